"""`/bouncer recheck`: judge the issue again, also a text that was judged."""

from bot.issues.commands import Command, Right
from bot.issues.messages import Note
from bot.policy import Policy
from bot.verdicts import State
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueOutcome


def carry_out(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """An accepted or a paused issue is not looked at."""
    match actions.subject().state:
        case State.ACTIVE:
            return IssueOutcome("recheck", recheck=True)
        case State.ACCEPTED:
            return actions.refuse(command, policy, Note("ended"))
        case State.PAUSED:
            return actions.refuse(command, policy, Note("paused"))


COMMAND = CommandHandler("recheck", Right.REPORTER, carry_out)
