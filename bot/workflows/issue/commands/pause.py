"""`/bouncer pause`: nothing is looked at here until `/bouncer resume`."""

from bot.issues import lifecycle
from bot.issues.commands import Command, Right
from bot.policy import Policy
from bot.workflows.commands import Handler
from bot.workflows.issue.act import Acts
from bot.workflows.jobs import Acted


def carry_out(acts: Acts, command: Command, policy: Policy) -> Acted:
    """Everything stays as it is."""
    subject = acts.subject()
    return Acted(acts.carry_out(lifecycle.paused(acts.facts(subject, policy), policy), subject, policy))


COMMAND = Handler("pause", Right.TRIAGE, carry_out)
