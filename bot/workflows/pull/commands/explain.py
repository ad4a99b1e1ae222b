"""`/bouncer explain`: all that led to the verdict."""

from bot.issues.commands import Right
from bot.pulls.result import restored
from bot.rendering.gate import explanation
from bot.rendering.pull_messages import exemption_note, person_note
from bot.storage.gates import GateRecord
from bot.verdicts import Left
from bot.workflows.commands import CommandHandler
from bot.workflows.pull.base import GateOutcome
from bot.workflows.pull.person_actions import GateCommand, GatePersonActions


def carry_out(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """Also of what is closed, or was left alone."""
    words = actions.services.makers.words(record.repo_id, record.number)
    judged = explanation(restored(record.judged)) if record.judged else ""
    left = exemption_note(Left(record.left_alone), record.base_branch) if record.left_alone else ""
    note = "\n\n".join(filter(None, (judged, left, *map(person_note, words))))
    return actions.say(record, said.name, note, actions.policy())


COMMAND = CommandHandler("explain", Right.ANYBODY, carry_out)
