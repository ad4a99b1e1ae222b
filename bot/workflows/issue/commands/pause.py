"""`/bouncer pause`: nothing is looked at here until `/bouncer resume`."""

from bot.issues import lifecycle
from bot.issues.commands import Command, Right
from bot.policy import Policy
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueOutcome


def carry_out(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """Everything stays as it is."""
    subject = actions.subject()
    return IssueOutcome(actions.carry_out(lifecycle.paused(actions.facts(subject, policy), policy), subject, policy))


COMMAND = CommandHandler("pause", Right.TRIAGE, carry_out)
