"""`/bouncer fixed`: look whether what it reports is fixed already."""

from bot.issues.commands import Command, Right
from bot.issues.messages import NotLookedFor, Paused
from bot.policy import Policy
from bot.verdicts import State
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.act import IssueActs
from bot.workflows.jobs import IssueOutcome


def carry_out(acts: IssueActs, command: Command, policy: Policy) -> IssueOutcome:
    """What is found is told to whoever asked."""
    if acts.subject().state is State.PAUSED:
        return acts.refused(command, policy, Paused())
    if not policy.issues.already_fixed.enabled:
        return acts.refused(command, policy, NotLookedFor())
    return IssueOutcome("fixed", look=True, asked=True)


COMMAND = CommandHandler("fixed", Right.TRIAGE, carry_out)
