"""`/bouncer answer ID a`, `b` or `either`: say which behaviour is right, where Bouncer asks."""

from bot.issues.commands import Command, Right
from bot.rendering.pull_messages import refusal_note, unknown_note
from bot.verification.questions import spoken
from bot.workflows.commands import CommandHandler
from bot.workflows.review.comments import ReviewComments, ReviewOutcome


def carry_out(hearing: ReviewComments, command: Command) -> ReviewOutcome:
    """For whoever may write here, apart from the pull request's author."""
    if not hearing.may():
        return hearing.say(command.word, refusal_note(hearing.not_a_persons()))
    given = spoken(command.rest)
    return hearing.on_answer(given, command.word) if given else hearing.say(command.word, unknown_note())


COMMAND = CommandHandler("answer", Right.WRITE, carry_out)
