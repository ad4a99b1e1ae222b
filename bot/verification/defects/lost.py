"""What a change takes from the tests it touches, by what they can do: the old and the new version of its test files run
against the same defects of the base, and a test that notices fewer is named.

It does not matter how a test came to notice less: nothing of how it is written is looked at. A test that fails on the
base in its new version demands something else, so it is no weaker one and is left out here.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest

from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.defects.defect import Defect, defects, places
from bot.verification.defects.runs import AT_ONCE, TimedRuns
from bot.verification.defects.slips import slips
from bot.verification.patch_evidence import LostKills
from bot.verification.programs import content
from bot.verification.syntax import Function
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.values import BAD, Program, Suite, TestRun, TestStatus, Variant

MOST_FUNCTIONS = 6  # of those that the touched tests enter
LEAST = 2.0  # seconds without which no defect is begun
MOST_DEFECTS = 16
_ENOUGH_FUNCTIONS = 3  # where these are entered by all of the tests
_FEW_DEFECTS = 2  # where no test was rewritten, and only what stands beside them could have made them weaker
_MOST_SLIPS = 60
_AT_LEAST = 4  # defects that are tried before it is asked whether that is enough
_MOST_NAMED = 5  # defects of one test
_ENOUGH = 3  # defects that one test lost, to name it by: more are not looked for
# Behind a file of the base's, so that tests which import what only the change has can be read at all.
_ANY_NAME = b"""

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *_, **__: None
"""


def lost_kills(
    executor: Executor,
    base: Program,
    old: Suite,
    new: Suite | None,
    product: Collection[str],
    *,
    rewritten: Collection[str] = (),
    excused: Collection[str] = (),
    seconds: float = 15.0,
) -> tuple[LostKills, ...]:
    """The tests whose new version notices fewer defects of the base, worst first. Never raises.

    old, new: the touched test files as the base and as the change have them, to be run on the base's product; no `new`
    where it leaves nothing of them. product: Python files that may get a defect. What a test of a new name notices
    counts for every old one, since a test may be split. rewritten: those of the tests that are others than before. Once
    each of them that notices anything is known to notice less, and each function was broken, nothing more is tried: a
    person has to look at them anyway. excused: those that may notice less, so that none of them ends the search for
    others. seconds: for all of it; what there is no time for is not named.
    """
    runs, more = TimedRuns(executor, time.monotonic() + seconds, LEAST), dict[str, bytes]()

    def first(suite: Suite | None) -> TestRun | None:
        program = _extended(base, more if suite is new else {})
        return runs.run(program, suite, frozenset(product)) if suite else TestRun((), 0.0)

    with Pool(max_workers=AT_ONCE) as pool:
        before, after = pool.map(first, (old, new))
    if after and any("::" not in name for name in _of(after, BAD)):  # a file of tests that could not be read
        more = {path: _ANY_NAME for path in product if b"def __getattr__" not in (content(base, path) or b"")}
        after = first(new)
    if before is None or after is None:
        return ()
    tests, most = _Tests(before, after), MOST_DEFECTS if rewritten else _FEW_DEFECTS
    sought = tests.of(rewritten) - tests.of(excused)
    rows = _together(_in_turn(base, _watched(before, tests.asked), small=bool(rewritten)))

    def noticing(suite: Suite | None, row: Sequence[Defect]) -> list[frozenset[str] | None]:
        """The tests of this version that notice each; `None` where the time was over."""
        if suite is None:
            return [frozenset() for _ in row]
        laid = more if suite is new else {}
        ran = runs.each(suite, [Variant(_extended(each.into(base), laid)) for each in row])
        return [None if run is None or TIME_OUT in run.problem else _of(run, BAD) for run in ran]

    def look(row: Sequence[Defect], named: frozenset[str]) -> list[dict[str, bool]]:
        """Nothing where the old version notices for no test of which more is to be known."""
        was = [(found or frozenset()) & tests.asked for found in noticing(old, row)]
        open_ = [each for each, noticed in zip(row, was, strict=True) if noticed - named]
        now = dict(zip(open_, noticing(new, open_), strict=True))
        return [
            {test: tests.still(test, found) for test in noticed} if (found := now.get(each)) is not None else {}
            for each, noticed in zip(row, was, strict=True)
        ]

    return compare(rows, look, lambda kills: kills.known(sought) or runs.time_left < LEAST, most)


@dataclass(frozen=True, slots=True)
class Kills:
    """The defects that each test noticed as it was. kept: how many it notices still. lost: those that it does not."""

    kept: Counter[str] = field(default_factory=Counter)
    lost: dict[str, list[str]] = field(default_factory=dict)

    def known(self, sought: Set[str]) -> bool:
        """Whether some of those notice less, and none is left that lost nothing."""
        return bool(self.lost.keys() & sought) and not (self.kept.keys() - self.lost.keys()) & sought


def compare(
    rows: Iterable[Iterable[Defect]],
    seen: Callable[[Sequence[Defect], frozenset[str]], Iterable[Mapping[str, bool]]],
    enough: Callable[[Kills], bool],
    most: int,
) -> tuple[LostKills, ...]:
    """The tests that lost something, worst first, by at most so many defects, a row after the other. seen: of each
    defect of a row the tests that noticed it, and whether they still do; beside it, those that lost enough to be named.
    enough: whether no further row is tried."""
    kills = Kills()
    for row in rows:
        tried, named = list(row)[:most], frozenset(test for test, its in kills.lost.items() if len(its) >= _ENOUGH)
        for defect, found in zip(tried, seen(tried, named), strict=True):
            for test, still in found.items():
                if still:
                    kills.kept[test] += 1
                else:
                    kills.lost.setdefault(test, []).append(defect.told)
        most -= len(tried)
        if most <= 0 or enough(kills):
            break
    kept = kills.kept
    lost = [
        LostKills(test, kept[test] + len(its), kept[test], tuple(its[:_MOST_NAMED])) for test, its in kills.lost.items()
    ]
    return tuple(sorted(lost, key=lambda one: (one.killed_now - one.killed, one.test)))


def _extended(program: Program, more: Mapping[str, bytes]) -> Program:
    """The program with this at the end of its files."""
    texts = {path: (content(program, path) or b"") + text for path, text in more.items()}
    return replace(program, files={**program.files, **texts})


class _Tests:
    """The two versions of the tests, by their names without parameters. asked: those that can have become weaker."""

    def __init__(self, before: TestRun, after: TestRun) -> None:
        passed, there = _of(before, {TestStatus.PASSED}), _of(after, set(TestStatus))
        self._brought = there - _of(before, set(TestStatus)) - _of(after, BAD)  # what is red anyway sees nothing
        fails = _of(after, BAD)
        mine = passed - _of(before, BAD)
        # A file that cannot be read on the base is said by its own name: nothing is known of its tests.
        self.asked = frozenset(test for test in mine if not {test, test.partition("::")[0]} & fails)

    def of(self, names: Collection[str]) -> frozenset[str]:
        """Those of the asked that are meant."""
        return self.asked & frozenset(map(_bare, names))

    def still(self, test: str, noticed: frozenset[str]) -> bool:
        """Whether the test's new version notices, or a test that is new."""
        return test in noticed or test.partition("::")[0] in noticed or bool(self._brought & noticed)


def _bare(name: str) -> str:
    return name.partition("[")[0]


def _of(run: TestRun, statuses: Collection[TestStatus]) -> frozenset[str]:
    return frozenset(_bare(result.name) for result in run.results if result.status in statuses)


def _watched(run: TestRun, tests: frozenset[str]) -> list[Function]:
    """Functions that the tests enter: one after the other that which most tests enter of those not yet looked at."""
    entered: dict[Function, set[str]] = {}
    for name, found in run.entered:
        if _bare(name) in tests:
            for function in found:
                entered.setdefault(function, set()).add(_bare(name))
    chosen: list[Function] = []
    waiting = set().union(*entered.values()) if entered else set()
    while entered and len(chosen) < (MOST_FUNCTIONS if waiting else _ENOUGH_FUNCTIONS):
        best = max(entered, key=lambda one: (len(entered[one] & waiting), -len(entered[one]), one.path, one.name))
        chosen.append(best)
        waiting -= entered.pop(best)
    return chosen


def _in_turn(base: Program, functions: list[Function], *, small: bool) -> Iterator[tuple[Defect, ...]]:
    """One of each function before the second of any; slips between the large ones, which show less."""
    large = [_large(base, one) for one in functions]
    yield tuple(its.pop(0) for its in large if its)
    slipped = _small(base, functions) if small else {}
    rows = [
        chain.from_iterable(zip_longest(slipped.get(one, ()), its)) for one, its in zip(functions, large, strict=True)
    ]
    for row in zip_longest(*(filter(None, each) for each in rows)):
        yield tuple(filter(None, row))


def _together(rows: Iterable[tuple[Defect, ...]]) -> Iterator[tuple[Defect, ...]]:
    """The same in fewer rows: a sandbox costs as much as some defects."""
    row: tuple[Defect, ...] = ()
    for each in rows:
        row += each
        if len(row) >= _AT_LEAST:
            yield row
            row = ()
    if row:
        yield row


def _large(base: Program, function: Function) -> list[Defect]:
    there = places(defects(function.path, content(base, function.path) or b"", {function.first}))
    return next((its for one, its in there.items() if (one.name, one.first) == (function.name, function.first)), [])


def _small(base: Program, functions: list[Function]) -> dict[Function, list[Defect]]:
    lines: dict[str, list[int]] = {}
    for one in functions:
        lines.setdefault(one.path, []).extend(range(one.first, one.last + 1))
    made = slips({path: content(base, path) or b"" for path in lines}, lines, _MOST_SLIPS)
    found: dict[Function, list[Defect]] = {}
    for slip in made[0] if made else ():
        holds = next(one for one in functions if one.path == slip.path and one.first <= slip.of.first <= one.last)
        found.setdefault(holds, []).append(slip)
    return found
