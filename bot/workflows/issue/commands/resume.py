"""`/bouncer resume`: look here again."""

from bot.issues import lifecycle
from bot.issues.commands import Command, Right
from bot.policy import Policy
from bot.workflows.commands import Handler
from bot.workflows.issue.act import Acts
from bot.workflows.jobs import Acted


def carry_out(acts: Acts, command: Command, policy: Policy) -> Acted:
    """A fresh look follows. An accepted issue stays accepted."""
    subject = acts.subject()
    return Acted(acts.carry_out(lifecycle.resumed(acts.facts(subject, policy), policy), subject, policy), recheck=True)


COMMAND = Handler("resume", Right.TRIAGE, carry_out)
