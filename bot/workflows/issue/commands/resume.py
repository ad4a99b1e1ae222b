"""`/bouncer resume`: look here again."""

from bot.issues import lifecycle
from bot.issues.commands import Command, Right
from bot.policy import Policy
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.act import IssueActs
from bot.workflows.jobs import IssueOutcome


def carry_out(acts: IssueActs, command: Command, policy: Policy) -> IssueOutcome:
    """A fresh look follows. An accepted issue stays accepted."""
    subject = acts.subject()
    return IssueOutcome(
        acts.carry_out(lifecycle.resumed(acts.facts(subject, policy), policy), subject, policy), recheck=True
    )


COMMAND = CommandHandler("resume", Right.TRIAGE, carry_out)
