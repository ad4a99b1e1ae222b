"""`/bouncer pause`: nothing is looked at here until `/bouncer resume`."""

from bot.issues import lifecycle
from bot.issues.commands import Command, Right
from bot.policy import Policy
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.act import IssueActs
from bot.workflows.jobs import IssueOutcome


def carry_out(acts: IssueActs, command: Command, policy: Policy) -> IssueOutcome:
    """Everything stays as it is."""
    subject = acts.subject()
    return IssueOutcome(acts.carry_out(lifecycle.paused(acts.facts(subject, policy), policy), subject, policy))


COMMAND = CommandHandler("pause", Right.TRIAGE, carry_out)
