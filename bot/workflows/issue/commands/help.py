"""`/bouncer help`: the commands of issues. It answers whatever is no command here, too."""

from dataclasses import replace

from bot.issues.commands import Command, Right
from bot.issues.exemptions import why_no_look, why_not_held
from bot.issues.messages import Help
from bot.policy import Policy
from bot.workflows.commands import CommandHandler, words
from bot.workflows.issue.person_actions import IssuePersonActions
from bot.workflows.jobs import IssueOutcome


def carry_out(actions: IssuePersonActions, command: Command, policy: Policy) -> IssueOutcome:
    """Says as well why Bouncer leaves the issue alone, where it does."""
    facts = actions.facts(actions.subject(), policy)
    left = why_no_look(facts, policy) or why_not_held(facts, policy) or ""
    facts = replace(facts, history=replace(facts.history, left_alone=left))  # as its page says
    unknown = "" if command.word == "help" else command.word
    note = Help(unknown, unknown in words("pull", "review"), left, facts.page)
    return IssueOutcome(actions.answer(command, policy, note, facts))


COMMAND = CommandHandler("help", Right.ANYBODY, carry_out)
