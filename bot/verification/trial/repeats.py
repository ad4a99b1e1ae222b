"""Whether a test that failed once with the change is broken by it, or disagrees with itself anyway."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.verification.testing.compare import compare_runs
from bot.verification.trial.judges import file_of
from bot.verification.values import Suite, TestRun, TestStatus


class Steadiness(StrEnum):
    """What the repeated runs of one test amount to."""

    BROKEN = "broken"  # steady without the change: what fails with it again, fails by it
    FLAKY = "flaky"  # it fails without the change as well, or only once with it
    OPEN = "open"  # another round decides


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a test failed, of how many runs, on either side."""

    base_failed: int
    base_runs: int
    head_failed: int
    head_runs: int


def steadiness(tally: Tally, *, last: bool) -> Steadiness:
    """The rule. last: there is no time or reason for another round."""
    if tally.base_failed:
        return Steadiness.FLAKY
    if tally.head_failed >= 2:
        return Steadiness.BROKEN
    if tally.head_failed and tally.head_runs == 1 and last:
        return Steadiness.BROKEN  # nothing speaks against what was seen
    return Steadiness.FLAKY if last else Steadiness.OPEN


@dataclass(frozen=True, slots=True)
class Repeat:
    """How a round differs from the first. whole: among all other tests, as there."""

    reverse: bool = False
    seed: int | None = None
    whole: bool = False


def rounds() -> tuple[Repeat, ...]:
    """The rounds behind the first: another order, then just what showed it, then one order by chance, twice."""
    seed = secrets.randbelow(2**31)
    return Repeat(reverse=True), Repeat(whole=True), Repeat(seed=seed), Repeat(seed=seed)


# One more run of these tests on both sides; `None` where no time is left for it.
Again = Callable[[Suite, Repeat], tuple[TestRun, TestRun] | None]


def repeated(before: TestRun, after: TestRun, suite: Suite, again: Again) -> tuple[TestRun, TestRun]:
    """Both runs, with the tests marked flaky that repeating shows to be so. Only what is red is repeated."""
    open_ = lost(before, after)
    runs = [(before, after)]
    flaky: set[str] = set()
    for repeat in rounds():
        tallies = {name: _tally(name, runs) for name in open_}
        decided = {name: steadiness(tally, last=False) for name, tally in tallies.items()}
        flaky |= {name for name, found in decided.items() if found is Steadiness.FLAKY}
        open_ = {name for name, found in decided.items() if found is Steadiness.OPEN}
        if not open_:
            break
        files = tuple(sorted({file_of(name) for name in open_}))
        alone = replace(suite, select=files, files={path: suite.files[path] for path in files if path in suite.files})
        pair = again(suite if repeat.whole or suite.command else alone, repeat)
        if pair is None or any(run.problem for run in pair):
            break
        runs.append(pair)
    flaky |= {name for name in open_ if steadiness(_tally(name, runs), last=True) is Steadiness.FLAKY}
    return _marked(before, flaky), _marked(after, flaky)


def lost(before: TestRun, after: TestRun) -> set[str]:
    """Tests that passed and no longer do. Where a run broke off, only what really failed in it."""
    kept = compare_runs(before, after)
    failed = {result.name for result in kept.regressions}
    return failed if kept.problem else {*failed, *kept.removed, *kept.skipped}


def _tally(name: str, runs: Sequence[tuple[TestRun, TestRun]]) -> Tally:
    failed = [[_status(run, name) is not TestStatus.PASSED for run in side] for side in zip(*runs, strict=True)]
    return Tally(sum(failed[0]), len(runs), sum(failed[1]), len(runs))


def _status(run: TestRun, name: str) -> TestStatus | None:
    return next((result.status for result in run.results if result.name == name), None)


def _marked(run: TestRun, flaky: Iterable[str]) -> TestRun:
    names = set(flaky)
    if not names:
        return run
    results = tuple(
        replace(each, status=TestStatus.FLAKY, message="it disagrees with itself") if each.name in names else each
        for each in run.results
    )
    return replace(run, results=results)
