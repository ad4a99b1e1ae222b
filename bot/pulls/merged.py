"""What the runs of a merged result amount to, by the same table as a pull request's own. Pure."""

from dataclasses import replace

from bot.pulls.decide import decide_pull
from bot.pulls.facts import PullFacts
from bot.pulls.result import MERGED, PullResult
from bot.verdicts import Cause, Decision
from bot.verification.standing import HeadTrial


def against(stood: HeadTrial, head: str) -> PullResult | None:
    """What speaks against a group of the merge queue, whose commit is `head`; `None` where nothing does, or nobody can
    say for reasons outside of it: then its pull request's own verdict holds. What was asked for is that verdict's
    matter."""
    facts = PullFacts(patch=stood.patch, unexecuted=stood.problem, conflict=stood.conflict, blame=stood.blame)
    verdict = replace(decide_pull(facts), judge=MERGED)
    passes = verdict.decision is Decision.ACCEPT or verdict.cause is Cause.OUTSIDE
    return None if passes else PullResult(verdict, head, facts=facts)
