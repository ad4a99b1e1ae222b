"""`/bouncer resume`: look here again."""

from bot.issues import lifecycle
from bot.issues.commands import Command, Right
from bot.policy import Policy
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueOutcome


def carry_out(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """A fresh look follows. An accepted issue stays accepted."""
    subject = actions.subject()
    return IssueOutcome(
        actions.carry_out(lifecycle.resumed(actions.facts(subject, policy), policy), subject, policy), recheck=True
    )


COMMAND = CommandHandler("resume", Right.TRIAGE, carry_out)
