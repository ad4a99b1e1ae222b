"""Results of pull requests for tests, by the facts that matter."""

from dataclasses import replace
from typing import Any

from bot.pulls.decide import decide_pull
from bot.pulls.facts import PullFacts
from bot.pulls.result import PullResult
from bot.verdicts import Verdict

HEAD = "a" * 40


def a_result(verdict: Verdict, head: str = HEAD, **facts: Any) -> PullResult:
    """facts: fields of `PullFacts`."""
    return PullResult(verdict, head, facts=PullFacts(**facts))


def changed(result: PullResult, **facts: Any) -> PullResult:
    """The same with other facts."""
    return replace(result, facts=replace(result.facts, **facts))


def decided(**facts: Any) -> PullResult:
    """What deciding makes of these facts."""
    known = PullFacts(**facts)
    return PullResult(decide_pull(known), HEAD, facts=known)
