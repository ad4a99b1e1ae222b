"""Whether a test that failed once with the change is broken by it, or disagrees with itself anyway."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.verification.testing.compare import compare_runs
from bot.verification.trial.judges import file_of
from bot.verification.values import Suite, TestRun, TestStatus

ROUNDS = 5  # of each side at most, the first among them


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


# One more run of these tests on both sides; `None` where no time is left for it. whole: among all others.
Again = Callable[[Suite, bool], tuple[TestRun, TestRun] | None]


def repeated(before: TestRun, after: TestRun, suite: Suite, again: Again) -> tuple[TestRun, TestRun]:
    """Both runs, with the tests marked flaky that repeating shows to be so. Only what is red is repeated.

    First in the opposite order with another seed, then among all tests with the seed that showed it, then by
    themselves.
    """
    open_ = lost(before, after)
    runs = [(before, after)]
    flaky: set[str] = set()
    for number in range(1, ROUNDS):
        tallies = {name: _tally(name, runs) for name in open_}
        decided = {name: steadiness(tally, last=False) for name, tally in tallies.items()}
        flaky |= {name for name, found in decided.items() if found is Steadiness.FLAKY}
        open_ = {name for name, found in decided.items() if found is Steadiness.OPEN}
        if not open_:
            break
        files = tuple(sorted({file_of(name) for name in open_}))
        alone = replace(suite, select=files, files={path: suite.files[path] for path in files if path in suite.files})
        pair = again(suite if number == 2 or suite.command else alone, number % 2 == 1)
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
