"""`/bouncer fixed`: look whether what it reports is fixed already."""

from bot.issues.commands import Command, Right
from bot.issues.messages import Note
from bot.policy import Policy
from bot.verdicts import State
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueOutcome


def carry_out(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """What is found is told to whoever asked."""
    if actions.subject().state is State.PAUSED:
        return actions.refuse(command, policy, Note("paused"))
    if not policy.issues.already_fixed.enabled:
        return actions.refuse(command, policy, Note("fixed_off"))
    return IssueOutcome("fixed", look=True, asked=True)


COMMAND = CommandHandler("fixed", Right.TRIAGE, carry_out)
