"""`/bouncer recheck`: put the last rejection to the test again. The gate judges its commit again by itself."""

from bot.issues.commands import Command, Right
from bot.rendering.pull_messages import help_note, refusal_note
from bot.workflows.commands import CommandHandler
from bot.workflows.review.comments import ReviewComments, ReviewOutcome


def carry_out(hearing: ReviewComments, command: Command) -> ReviewOutcome:
    """For whoever may write here, apart from the pull request's author."""
    if not hearing.may():
        return hearing.say(command.word, refusal_note(hearing.not_a_persons()))
    record = hearing.record()
    if record.review:
        return ReviewOutcome("recheck", record.review)
    return ReviewOutcome("the gate judges it again") if hearing.has_gate else hearing.say(command.word, help_note())


COMMAND = CommandHandler("recheck", Right.WRITE, carry_out)
