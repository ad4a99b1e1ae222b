"""`/bouncer brief`: write a brief for coding agents."""

from bot.issues.commands import Command, Right
from bot.issues.decide import spared
from bot.policy import Policy
from bot.workflows.commands import Handler
from bot.workflows.issue.act import Acts
from bot.workflows.issue.fix_notice import Stale, accepted
from bot.workflows.jobs import Acted


def carry_out(acts: Acts, command: Command, policy: Policy) -> Acted:
    """Of an issue that is clear, taken as it is, or never held."""
    subject, stale = acts.subject(), Stale(acts.look)
    ready = accepted(subject) or spared(acts.facts(subject, policy), policy)
    return Acted(stale.brief() if ready else stale.early())


COMMAND = Handler("brief", Right.WRITE, carry_out)
