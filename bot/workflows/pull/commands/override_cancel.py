"""`/bouncer override-cancel`: take back an override, and the word that it is a person's."""

from bot.issues.commands import Right
from bot.storage.gates import GateRecord, GateState
from bot.workflows.commands import CommandHandler
from bot.workflows.pull.base import GateOutcome
from bot.workflows.pull.check_run import publish
from bot.workflows.pull.people import GateCommand, GatePeople


def carry_out(people: GatePeople, record: GateRecord, said: GateCommand) -> GateOutcome:
    """Both what lets a commit through and what makes it a person's."""
    policy = people.policy()
    if policy is None or people.permission(record, policy) is None:
        return people.refused(record, policy, "override-cancel")
    who, now = people.sender, people.services.now()
    lifted = people.services.makers.end(record.repo_id, record.number, by=who, at=now, until=now)
    ended = people.services.overrides.end(record.repo_id, record.number, by=who, at=now)
    if lifted and policy.pulls.enabled:
        return people.judge(record, policy, "once more, since nobody says any more that it is a person's")
    if not ended:
        return GateOutcome("nothing was overridden")
    if record.state is GateState.JUDGING:
        return GateOutcome("the override was taken back")
    return GateOutcome(publish(people.services, people.client, record, policy))


COMMAND = CommandHandler("override-cancel", Right.TRIAGE, carry_out)
