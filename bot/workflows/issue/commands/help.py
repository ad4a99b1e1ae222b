"""`/bouncer help`: the commands of issues. It answers whatever is no command here, too."""

from dataclasses import replace

from bot.issues.commands import Command, Right
from bot.issues.decide import leave_alone, spared
from bot.issues.messages import Help
from bot.policy import Policy
from bot.workflows.commands import Handler, words
from bot.workflows.issue.act import Acts
from bot.workflows.jobs import Acted


def carry_out(acts: Acts, command: Command, policy: Policy) -> Acted:
    """Says as well why Bouncer leaves the issue alone, where it does."""
    facts = acts.facts(acts.subject(), policy)
    left = leave_alone(facts, policy) or spared(facts, policy) or ""
    facts = replace(facts, history=replace(facts.history, left_alone=left))  # as its page says
    unknown = "" if command.word == "help" else command.word
    note = Help(unknown, unknown in words("pull", "review"), left, facts.page)
    return Acted(acts.answered(command, policy, note, facts))


COMMAND = Handler("help", Right.ANYBODY, carry_out)
