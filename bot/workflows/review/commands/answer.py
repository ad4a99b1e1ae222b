"""`/bouncer answer ID a`, `b` or `either`: say which behaviour is right, where Bouncer asks."""

from bot.issues.commands import Command, Right
from bot.rendering.pull import refused_note, unknown_note
from bot.verification.questions import spoken
from bot.workflows.commands import Handler
from bot.workflows.review.hear import Heard, Hearing


def carry_out(hearing: Hearing, command: Command) -> Heard:
    """For whoever may write here, apart from the pull request's author."""
    if not hearing.may():
        return hearing.say(command.word, refused_note(hearing.not_a_persons()))
    given = spoken(command.rest)
    return hearing.answered(given, command.word) if given else hearing.say(command.word, unknown_note())


COMMAND = Handler("answer", Right.WRITE, carry_out)
