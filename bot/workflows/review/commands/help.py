"""`/bouncer help` on a pull request. It answers whatever is no command there, too."""

from bot.issues.commands import Command, Right
from bot.rendering.pull_messages import help_note
from bot.workflows.commands import CommandHandler, words
from bot.workflows.review.comments import ReviewComments, ReviewOutcome


def carry_out(hearing: ReviewComments, command: Command) -> ReviewOutcome:
    """Says as well where a command belongs that is one for issues."""
    unknown = "" if command.word == "help" else command.word
    return hearing.say(command.word, help_note(unknown, elsewhere=unknown in words("issue")))


COMMAND = CommandHandler("help", Right.ANYBODY, carry_out)
