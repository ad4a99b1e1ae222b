"""What the runs of a merged result amount to, by the same table as a pull request's own. Pure."""

from dataclasses import replace

from bot.pulls.decide import decide_pull
from bot.pulls.facts import PullFacts
from bot.rendering.gate_states import MERGED
from bot.verdicts import Cause, Decision, Verdict
from bot.verification.standing import Stood

OF_WHAT = "This is about the merged result, as the queue would have it."


def against(stood: Stood) -> Verdict | None:
    """What speaks against a group of the merge queue; `None` where nothing does, or nobody can say for reasons outside
    of it: then its pull request's own verdict holds. What was asked for is that verdict's matter."""
    facts = PullFacts(patch=stood.patch, unexecuted=stood.problem, conflict=stood.conflict, blame=stood.blame)
    found = decide_pull(facts)
    verdict = replace(found, judge=MERGED, reasons=(found.reasons[0], OF_WHAT, *found.reasons[1:]))
    passes = verdict.decision is Decision.ACCEPT or verdict.cause is Cause.OUTSIDE
    return None if passes else verdict
