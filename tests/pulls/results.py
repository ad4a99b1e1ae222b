"""Results of pull requests for tests, by the facts that matter: fields of `PullFacts` and of its trial."""

from dataclasses import fields, replace
from typing import Any

from bot.pulls.decide import decide_pull
from bot.pulls.facts import PullFacts
from bot.pulls.result import PullResult
from bot.verdicts import Verdict
from bot.verification.evidence import HeadTrial

HEAD = "a" * 40
_OF_TRIAL = {each.name for each in fields(HeadTrial)} - {"shown"}


def known(before: PullFacts = PullFacts(), **facts: Any) -> PullFacts:  # noqa: B008 (frozen)
    trial = {name: value for name, value in facts.items() if name in _OF_TRIAL}
    others = {name: value for name, value in facts.items() if name not in _OF_TRIAL or name == "blame"}
    return replace(before, trial=replace(before.trial, **trial), **others)


def a_result(verdict: Verdict, head: str = HEAD, **facts: Any) -> PullResult:
    return PullResult(verdict, head, facts=known(**facts))


def changed(result: PullResult, **facts: Any) -> PullResult:
    """The same with other facts."""
    return replace(result, facts=known(result.facts, **facts))


def decided(**facts: Any) -> PullResult:
    """What deciding makes of these facts."""
    return PullResult(decide_pull(known(**facts)), HEAD, facts=known(**facts))
