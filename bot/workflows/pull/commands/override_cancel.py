"""`/bouncer override-cancel`: take back an override, and the word that it is a person's."""

from bot.issues.commands import Right
from bot.storage.gates import GateRecord, GateState
from bot.workflows.commands import CommandHandler
from bot.workflows.pull.base import GateOutcome
from bot.workflows.pull.check_run import publish
from bot.workflows.pull.person_actions import GateCommand, GatePersonActions


def carry_out(actions: GatePersonActions, record: GateRecord, said: GateCommand) -> GateOutcome:
    """Both what lets a commit through and what makes it a person's."""
    policy = actions.policy()
    if policy is None or actions.permission(record, policy) is None:
        return actions.refuse(record, policy, "override-cancel")
    who, now = actions.sender, actions.services.now()
    lifted = actions.services.makers.end(record.repo_id, record.number, by=who, at=now, until=now)
    ended = actions.services.overrides.end(record.repo_id, record.number, by=who, at=now)
    if lifted and policy.pulls.enabled:
        return actions.judge(record, policy, "once more, since nobody says any more that it is a person's")
    if not ended:
        return GateOutcome("nothing was overridden")
    if record.state is GateState.JUDGING:
        return GateOutcome("the override was taken back")
    return GateOutcome(publish(actions.services, actions.client, record, policy))


COMMAND = CommandHandler("override-cancel", Right.OVERRIDE, carry_out)
