"""`/bouncer brief`: write a brief for coding agents."""

from bot.issues.commands import Command, Right
from bot.issues.exemptions import why_not_held
from bot.policy import Policy
from bot.workflows.commands import CommandHandler
from bot.workflows.issue.fix_notice import FixNotice, may_be_worked_on
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueOutcome


def carry_out(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """Of an issue that is clear, taken as it is, or never held."""
    subject, notice = actions.subject(), FixNotice(actions.look)
    ready = may_be_worked_on(subject) or why_not_held(actions.facts(subject, policy), policy)
    return IssueOutcome(notice.brief() if ready else notice.early())


COMMAND = CommandHandler("brief", Right.WRITE, carry_out)
