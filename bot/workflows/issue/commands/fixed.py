"""`/bouncer fixed`: look whether what it reports is fixed already."""

from bot.issues.commands import Command, Right
from bot.issues.messages import NotLookedFor, Paused
from bot.policy import Policy
from bot.verdicts import State
from bot.workflows.commands import Handler
from bot.workflows.issue.act import Acts
from bot.workflows.jobs import Acted


def carry_out(acts: Acts, command: Command, policy: Policy) -> Acted:
    """What is found is told to whoever asked."""
    if acts.subject().state is State.PAUSED:
        return acts.refused(command, policy, Paused())
    if not policy.issues.already_fixed.enabled:
        return acts.refused(command, policy, NotLookedFor())
    return Acted("fixed", look=True, asked=True)


COMMAND = Handler("fixed", Right.TRIAGE, carry_out)
