"""Whether a test that failed once with the change is broken by it, or disagrees with itself anyway.

Tests that pass with the change are looked at again, under seeds by chance: what is green once may not be so always. The
first run has the hash seed 0, as everybody knows; code may be right under that alone.
"""

import secrets
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import comb

from bot.verification.defects.runs import selected
from bot.verification.files.index import Changed
from bot.verification.programs import functions_around_changes
from bot.verification.syntax import functions_of
from bot.verification.testing.sources import file_of, function_of
from bot.verification.trial.outcomes import lost
from bot.verification.trial.times import out_of_time
from bot.verification.values import Order, RecordedCall, Suite, TestResult, TestRun, TestStatus

RARELY = 0.1  # how likely chance alone may be, before a test that is not always red with the change is broken by it
FIRST, MORE = 4, 3  # rounds, and times two more of what is red at times
FOR_MORE = 30.0  # seconds, after which no further round begins
ENOUGH = 10  # runs with the change, of which one that is red says nothing


class Steadiness(StrEnum):
    """What the repeated runs of one test amount to."""

    BROKEN = "broken"  # steady without the change: what fails with it again, fails by it
    UNSTEADY = "unsteady"  # steady without the change, and too seldom red with it to say more
    FLAKY = "flaky"  # it fails without the change as well
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
    failed, runs = tally.head_failed, tally.head_runs
    if tally.base_failed:
        return Steadiness.FLAKY
    # That all that is red falls to the change, were it red as often without it (Fisher's exact test).
    chance = comb(runs, failed) / comb(runs + tally.base_runs, failed)
    if failed >= 2 and chance <= RARELY:
        return Steadiness.BROKEN
    if not last:
        return Steadiness.OPEN
    if failed == runs:  # there was no time for more, and none speaks for it
        return Steadiness.BROKEN
    return Steadiness.FLAKY if failed < 2 and runs >= ENOUGH else Steadiness.UNSTEADY


AS_FIRST = Order()  # with all other tests between


def rounds(seed: int | None = None) -> tuple[Order, ...]:
    """The rounds behind the first: another order, then just what showed it, in one order twice: that of the seed under
    which it showed, or one by chance; between the two, as at first. What is then red at times is asked more often, by
    it and others."""
    seed = secrets.randbelow(2**31) if seed is None else seed
    more = (Order(seed=each) for _ in range(MORE) for each in (seed, secrets.randbelow(2**31)))
    return Order(reverse=True), Order(seed=seed), AS_FIRST, Order(seed=seed), *more


@dataclass(frozen=True, slots=True)
class Look:
    """The same tests once more: what speaks for the head first, is asked again. seed: by which; `None` for the first
    run's, or another order. of: the names of the tests that were asked; `None` for all. base: in the same way; `None`
    where nothing was red."""

    seed: int | None
    of: frozenset[str] | None
    head: TestRun
    base: TestRun | None = None

    @property
    def red(self) -> frozenset[str]:
        """Tests that do not pass with the change."""
        return (self.of or frozenset()) - self.head.passing.keys()


@dataclass(frozen=True, slots=True)
class Repeated:
    """Both runs, with the tests marked that repeating shows to be flaky or broken. unsteady: tests that failed at times
    with the change, and never without it; they are marked flaky. calls: those that were recorded in each look at it."""

    before: TestRun
    after: TestRun
    unsteady: tuple[str, ...] = ()
    calls: tuple[tuple[RecordedCall, ...], ...] = ()


# One more run of these tests on both sides; `None` where no time is left for it.
Again = Callable[[Suite, Order], tuple[TestRun, TestRun] | None]


def run_again(
    before: TestRun,
    after: TestRun,
    suite: Suite,
    again: Again,
    looks: Sequence[Look] = (),
    *,
    settled: Collection[str] = frozenset(),
) -> Repeated:
    """Only what is red, in the first run or in a look, is repeated. settled: what was repeated before."""
    gone = lost(before, after).difference(settled)
    seen = frozenset[str]().union(*(look.red for look in looks))
    open_ = gone | seen
    ran = [Look(None, None, after, before), *looks]
    found: dict[str, Steadiness] = {}
    began = time.monotonic()
    for number, order in enumerate(rounds(next((look.seed for look in looks if look.red), None))):
        decided = {name: steadiness(_tally(name, ran), last=False) for name in open_}
        found |= decided
        open_ = {name for name, what in decided.items() if what is Steadiness.OPEN}
        if not open_ or (number >= FIRST and time.monotonic() - began > FOR_MORE):
            break
        files = tuple(sorted({file_of(name) for name in open_}))
        alone = replace(suite, select=files, files={path: suite.files[path] for path in files if path in suite.files})
        pair = again(suite if order == AS_FIRST or suite.command else alone, order)
        if pair is None or any(run.problem for run in pair):
            break
        ran.append(Look(order.seed, None, pair[1], pair[0]))
    found |= {name: steadiness(_tally(name, ran), last=True) for name in open_}
    unsteady = {name for name, what in found.items() if what is Steadiness.UNSTEADY}
    flaky = unsteady | {name for name, what in found.items() if what is Steadiness.FLAKY}
    broken = {name for name, what in found.items() if what is Steadiness.BROKEN} - gone
    after = _shown(after, {name: _red_one(name, ran) for name in broken})
    return Repeated(_marked(before, flaky), _marked(after, flaky), tuple(sorted(unsteady)))


def _tally(name: str, ran: Sequence[Look]) -> Tally:
    asked = [look for look in ran if look.of is None or name in look.of]
    base = [name not in look.base.passing for look in asked if look.base]
    head = [name not in look.head.passing for look in asked]
    return Tally(sum(base), len(base), sum(head), len(head))


def _red_one(name: str, ran: Sequence[Look]) -> TestResult:
    """How the test fails with the change, where it does."""
    told = (result for look in ran for result in look.head.failing if result.name == name)
    return next(told, TestResult(name, TestStatus.FAILED, "it did not come to its end"))


def _shown(run: TestRun, red: dict[str, TestResult]) -> TestRun:
    return replace(run, results=tuple(red.get(each.name, each) for each in run.results))


def _marked(run: TestRun, flaky: set[str]) -> TestRun:
    flaky_ones = (each for each in run.results if each.name in flaky)
    said = "it disagrees with itself"
    return _shown(run, {each.name: replace(each, status=TestStatus.FLAKY, message=said) for each in flaky_ones})


LOOKS = 3
MOST = 150  # tests
SECONDS = 3.0  # of one look, as long as its tests took before
NEAR_SECONDS = 10.0  # where they enter what changed: else a slow test would be spared
PATIENCE = 30.0  # seconds that a look may take, many times what it has to

# One more run of these tests by a seed.
Once = Callable[[Suite, int], TestRun]


def choose_for_looks(before: TestRun, after: TestRun, touched: Collection[str], *, whole: bool) -> tuple[str, ...]:
    """The names of the tests that are looked at again: those that enter what the change touches come first, and of
    either the quickest. whole: none can be asked for alone."""
    green = before.passing.keys() & after.passing.keys()
    # By the time they take without the change: one that makes them slow spares itself no look.
    took = {result.name: result.seconds for result in before.results if result.name in green and "…" not in result.name}
    if whole:
        return tuple(took) if before.seconds <= SECONDS else ()
    near = {function_of(test) for test, found in before.entered if any(function.path in touched for function in found)}
    around = max(0.0, before.seconds - sum(each.seconds for each in before.results)) / max(len(before.results), 1)
    cases: dict[str, list[str]] = {}  # which are run together, since a test is asked for without its parameters
    for name in took:
        cases.setdefault(function_of(name), []).append(name)
    cost = {each: sum(took[name] + around for name in its) for each, its in cases.items()}
    names, spent = list[str](), 0.0
    for each in sorted(cases, key=lambda each: (each not in near, cost[each], each))[:MOST]:
        spent += cost[each]
        if spent > (NEAR_SECONDS if each in near else SECONDS):
            break
        names += cases[each]
    return tuple(names)


def enter_changed(before: TestRun, touched: Changed) -> frozenset[str]:
    """The tests that enter a changed function, without their parameters; those that enter any of its file where lines
    outside of functions changed, or in one that the base does not have."""
    within, whole = set[tuple[str, str]](), set[str]()
    for path, (old, new) in touched.items():
        known = {each.name for each in functions_of(path, old or b"")}
        around = functions_around_changes(path, old, new) | functions_around_changes(path, new, old)
        found = {place.name if place else "" for place in around}
        within.update((path, name) for name in found)
        whole |= set() if found <= known else {path}
    return frozenset(
        function_of(test)
        for test, found in before.entered
        if any(each.path in whole or (each.path, each.name) in within for each in found)
    )


def looks(
    names: tuple[str, ...],
    suite: Suite,
    heads: Callable[[list[tuple[Suite, int]]], list[TestRun]],
    base: Once,
    odd: Callable[[TestRun], bool] = lambda run: False,
    near: Collection[str] = frozenset(),
) -> tuple[Look, ...]:
    """Look again. What is red or odd is asked of the base as well: a test that cannot be run by itself says nothing.

    heads: the runs of these tests with the change, by these seeds. base: one of them without it. odd: whether a run
    tells of more than how its tests end. near: of the tests those to which all looks but the first are for.
    """
    if not names:
        return ()
    asked = [names] + [tuple(name for name in names if function_of(name) in near) or names] * (LOOKS - 1)
    suites = [suite if suite.command else replace(suite, select=selected(some, MOST)) for some in asked]
    seeds = [secrets.randbelow(2**31) for _ in range(LOOKS)]
    told, unfit = list[Look](), frozenset[str]()
    for some, within, seed, run in zip(asked, suites, seeds, heads([*zip(suites, seeds, strict=True)]), strict=False):
        among = {name for name in some if suite.command or not {name, function_of(name)}.isdisjoint(within.select)}
        look = Look(seed, frozenset(among) - unfit, run)
        if run.unavailable or (out_of_time(run) and run.seconds < PATIENCE / 2):
            continue  # else it had time enough, and what did not end in it is red
        if look.red or odd(run):
            there = base(within, seed)
            unfit |= frozenset() if there.problem else among - there.passing.keys()
            look = replace(look, of=(look.of or frozenset()) & there.passing.keys(), base=there)
        told.append(look)
    return tuple(told)
