"""`/bouncer accept`: take the issue as it is; Bouncer never asks here again."""

from bot.issues import lifecycle
from bot.issues.commands import Command, Right
from bot.policy import Policy
from bot.storage.ledger import Act
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueOutcome


def carry_out(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """A hold ends, and the verdict is overruled where there was one."""
    subject = actions.subject()
    plan = lifecycle.accepted(actions.facts(subject, policy), policy, answer=True)
    return actions.after_accept(plan, subject, policy, act=Act.ACCEPT)


COMMAND = CommandHandler("accept", Right.TRIAGE, carry_out)
