"""`/bouncer accept`: take the issue as it is; Bouncer never asks here again."""

from bot.issues import lifecycle
from bot.issues.commands import Command, Right
from bot.policy import Policy
from bot.storage.ledger import Act
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.act import IssueActs
from bot.workflows.jobs import IssueOutcome


def carry_out(acts: IssueActs, command: Command, policy: Policy) -> IssueOutcome:
    """A hold ends, and the verdict is overruled where there was one."""
    subject = acts.subject()
    plan = lifecycle.accepted(acts.facts(subject, policy), policy, answer=True)
    return acts.accepted(plan, subject, policy, act=Act.ACCEPT)


COMMAND = CommandHandler("accept", Right.TRIAGE, carry_out)
