"""One change through the functions of `bouncer judge pull`, and the verdict again with one witness left out."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.commands.judge_pull import facts_of
from bot.commands.judge_pull_input import in_clone
from bot.commands.shared import own_settings
from bot.pulls.decide import decide_pull, rule_of
from bot.pulls.facts import PullFacts
from bot.pulls.result import PullResult
from bot.rendering.pull_reasons import reasons
from bot.settings import Settings
from bot.verdicts import Cause, Decision, Verdict
from lab.benchmarks.real_pulls_cases import Case


def _without_tests(facts: PullFacts) -> PullFacts:
    patch = facts.patch
    return replace(facts, patch=patch and replace(patch, regressions=(), contradictions=(), gone="", unlike=()))


def _without_own(facts: PullFacts) -> PullFacts:
    patch = facts.patch
    return replace(facts, patch=patch and replace(patch, own_failing=(), turned=(), hunks=(), repaired=()))


def _without_control(facts: PullFacts) -> PullFacts:
    return replace(facts, strength=None, patch=facts.patch and replace(facts.patch, control=None))


LEFT_OUT: Mapping[str, Callable[[PullFacts], PullFacts]] = {
    "judge": lambda facts: replace(facts, review=None, unjudged="left out"),
    "tests": _without_tests,
    "own tests": _without_own,
    "control": _without_control,
}


def run(case: Case) -> dict[str, Any]:
    """The verdict on one change, as plain data. Never raises: what goes wrong is the answer's reason."""
    started = time.monotonic()
    try:
        settings = own_settings(judge="offline")
        there = _environments(settings)
        facts, verdict = _judged(case, settings)
        cold = _environments(settings) != there
        without = {name: conclusion(decide_pull(leave(facts))) for name, leave in LEFT_OUT.items()}
    except Exception as error:  # noqa: BLE001 - a run that breaks is a result
        told = [f"{type(error).__name__}: {error}"]
        ended = {"conclusion": "broke", "reasons": told, "without": {}, "ran": False, "rule": "", "cold": False}
        return {"name": case.name, "kind": case.kind, "seconds": time.monotonic() - started, **ended}
    patch = facts.patch
    control = patch.control if patch else None
    return {
        "name": case.name,
        "kind": case.kind,
        "cold": cold,
        "seconds": round(time.monotonic() - started, 1),
        "conclusion": conclusion(verdict),
        "reasons": list(reasons(PullResult(verdict, "", facts=facts))),
        "without": without,
        "ran": patch is not None and not patch.facts.base.unavailable and bool(patch.facts.base.results),
        "rule": rule_of(facts).ground.value,
        "unexecuted": facts.unexecuted,
        "unfinished": list(patch.unfinished) if patch else [],
        "control": [control.proof.value, control.why, *control.unnoticed] if control else [],
        "defects": [facts.strength.killed, facts.strength.mutants] if facts.strength else [],
        "tests": [run.numbers.total() for run in (patch.facts.base, patch.facts.head)] if patch else [],
    }


def conclusion(verdict: Verdict) -> str:
    """As the check ends in `mode: enforce` with the built-in policy."""
    if verdict.decision is Decision.UNAVAILABLE:
        return "neutral" if verdict.cause in (None, Cause.OUTSIDE) else "action_required"
    return "success" if verdict.decision is Decision.ACCEPT else "failure"


def _environments(settings: Settings) -> int:
    """How many were set up so far: a verdict that adds one waited for it."""
    return len(list((settings.cache_dir / "environments" / "entries").glob("*")))


def _judged(case: Case, settings: Settings) -> tuple[PullFacts, Verdict]:
    with TemporaryDirectory() as scratch:
        issue = None
        if case.asked:
            issue = str(Path(scratch, "issue.md"))
            Path(issue).write_text(case.asked)
        with in_clone(case.clone, case.base, case.head, issue, settings) as proposed:
            facts = facts_of(proposed, settings)
    return facts, decide_pull(facts)
