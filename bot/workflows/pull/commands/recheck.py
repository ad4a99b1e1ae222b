"""`/bouncer recheck`, the button, and GitHub's own re-run: judge the same commit once more."""

from bot.issues.commands import Right
from bot.storage.gates import GateRecord
from bot.workflows.commands import CommandHandler
from bot.workflows.pull.base import GateOutcome
from bot.workflows.pull.person_actions import GateCommand, GatePersonActions


def carry_out(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """For whoever may write."""
    policy = actions.policy()
    if policy is None or not policy.pulls.enabled:
        return GateOutcome("not judged again: the policy is invalid, or does not want it")
    if not actions.may_write():
        return GateOutcome("not judged again: the sender may not write here")
    return actions.judge(record, policy, "once more, since somebody asked")


COMMAND = CommandHandler("recheck", Right.WRITE, carry_out)
