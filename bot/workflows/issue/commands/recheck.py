"""`/bouncer recheck`: judge the issue again, also a text that was judged."""

from bot.issues.commands import Command, Right
from bot.issues.messages import Ended, Paused
from bot.policy import Policy
from bot.verdicts import State
from bot.workflows.commands import Handler
from bot.workflows.issue.act import Acts
from bot.workflows.jobs import Acted


def carry_out(acts: Acts, command: Command, policy: Policy) -> Acted:
    """An accepted or a paused issue is not looked at."""
    match acts.subject().state:
        case State.ACTIVE:
            return Acted("recheck", recheck=True)
        case State.ACCEPTED:
            return acts.refused(command, policy, Ended())
        case State.PAUSED:
            return acts.refused(command, policy, Paused())


COMMAND = Handler("recheck", Right.REPORTER, carry_out)
