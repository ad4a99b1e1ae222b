"""`/bouncer help` on a pull request. It answers whatever is no command there, too."""

from bot.issues.commands import Command, Right
from bot.rendering.pull import help_note
from bot.workflows.commands import Handler, words
from bot.workflows.review.hear import Heard, Hearing


def carry_out(hearing: Hearing, command: Command) -> Heard:
    """Says as well where a command belongs that is one for issues."""
    unknown = "" if command.word == "help" else command.word
    return hearing.say(command.word, help_note(unknown, elsewhere=unknown in words("issue")))


COMMAND = Handler("help", Right.ANYBODY, carry_out)
