"""What people can say about a review bot's rejection: a function a command, and the table of them below."""

from bot.markdown.commands import Command
from bot.rendering.comment import render
from bot.rendering.pull_messages import help_note
from bot.verification.fix_guided.questions import spoken
from bot.workflows.commands import CommandHandler, Right, what_was_tried
from bot.workflows.review.comments import ReviewComments, ReviewOutcome
from bot.workflows.review.gather import review_record


def answer(hearing: ReviewComments, command: Command) -> ReviewOutcome:
    """`answer ID a`, `b` or `either`: which behaviour is right, where Bouncer asks."""
    given = spoken(command.rest)
    return hearing.on_answer(given, command.word) if given else hearing.say(command.word, render("pull_unknown"))


def help_(hearing: ReviewComments, command: Command) -> ReviewOutcome:
    """Answers whatever is no command here, too. Says as well where a command belongs that is one for issues."""
    return hearing.say(command.word, help_note(**what_was_tried(command, "pull", "review")))


def recheck(hearing: ReviewComments, command: Command) -> ReviewOutcome:
    """Put the last rejection to the test again. The gate judges its commit again by itself."""
    record = review_record(hearing)
    if record.review:
        return ReviewOutcome("recheck", record.review)
    return ReviewOutcome("the gate judges it again") if hearing.has_gate else hearing.say(command.word, help_note())


COMMANDS = (
    CommandHandler("answer", Right.WRITE, answer, lifts=True),
    CommandHandler("help", Right.ANYBODY, help_),
    CommandHandler("recheck", Right.WRITE, recheck),
)
