"""`/bouncer accept`: take the issue as it is; Bouncer never asks here again."""

from bot.issues import lifecycle
from bot.issues.commands import Command, Right
from bot.policy import Policy
from bot.storage.ledger import Act
from bot.workflows.commands import Handler
from bot.workflows.issue.act import Acts
from bot.workflows.jobs import Acted


def carry_out(acts: Acts, command: Command, policy: Policy) -> Acted:
    """A hold ends, and the verdict is overruled where there was one."""
    subject = acts.subject()
    plan = lifecycle.accepted(acts.facts(subject, policy), policy, answer=True)
    return acts.accepted(plan, subject, policy, act=Act.ACCEPT)


COMMAND = Handler("accept", Right.TRIAGE, carry_out)
