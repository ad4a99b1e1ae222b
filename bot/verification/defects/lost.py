"""What a change takes from the tests it touches, by what they can do: the old and the new version of its test files run
against the same defects of the base, and a test that notices fewer is named.

It does not matter how a test came to notice less: nothing of how it is written is looked at. A test that fails on the
base in its new version demands something else, so it is no weaker one and is left out here.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, islice, zip_longest

from bot.verification.defects.defect import Defect, places
from bot.verification.defects.runs import MOST_TESTS, Known, TimedRuns, Watched, patience, selected
from bot.verification.defects.slips import slips
from bot.verification.patch_evidence import LostKills
from bot.verification.programs import content
from bot.verification.syntax import Function
from bot.verification.testing.sources import file_of, function_of
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.values import BAD, Experiment, Program, TestRun, TestStatus

MOST_FUNCTIONS = 6  # of those that the touched tests enter; so many defects are tried in a sandbox
MOST_DEFECTS = 16
_ENOUGH_FUNCTIONS = 3  # where these are entered by all of the tests
_FEW = 20  # tests, that are all asked whatever they enter
_FEW_DEFECTS = 2  # for tests that were left alone, which only what stands beside them could have made weaker
_MOST_SLIPS = 60
_MOST_NAMED = 5  # defects of one test
_ENOUGH = 3  # defects that one test lost, to name it by: more are not looked for
_ALL = frozenset(TestStatus)
# Behind a file of the base's, so that tests which import what only the change has can be read at all.
_ANY_NAME = b"""

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *_, **__: None
"""


def lost_kills(
    runs: TimedRuns,
    old: Watched,
    new: Watched | None,
    *,
    rewritten: Collection[str] = (),
    excused: Collection[str] = (),
) -> tuple[LostKills, ...]:
    """The tests whose new version notices fewer defects of the base, worst first. Never raises.

    old, new: the base's product with the touched test files as the base and as the change have them, and how these
    ran, the old ones with `trace`; no `new` where the change leaves nothing of them. What a test of a new name notices
    counts for every old one, since a test may be split. rewritten: those of the tests that are others than before. Once
    each of them that notices anything is known to notice less, and each function was broken, nothing more is tried: a
    person has to look at them anyway. excused: those that may notice less, so that none of them ends the search for
    others. What there is no time for is not named.
    The tests that were left alone are asked where no other one lost anything.
    """
    base = old.program
    if new and any("::" not in name for name in _of(new.run, BAD)):  # a file of tests that could not be read
        product = {function.path for _, found in old.run.entered for function in found}
        more = [path for path in product if b"def __getattr__" not in (content(base, path) or b"")]
        open_ = {path: (content(base, path) or b"") + _ANY_NAME for path in more}
        program = replace(new.program, files={**new.program.files, **open_})
        (run,) = runs.each([Experiment(program, new.suite)])
        if run is None:
            return ()
        new = Watched(program, new.suite, run)
    if new and new.run.unavailable:
        return ()
    pair = _Pair(runs, old, new)
    mine = pair.of(rewritten)
    sought, found = mine - pair.of(excused), tuple[LostKills, ...]()
    for tests, most in ((mine, MOST_DEFECTS), (pair.asked - mine, _FEW_DEFECTS)):
        if tests and not sought & {each.test for each in found}:
            every = _in_turn(base, _watched(old.run, tests), small=tests is mine)
            look = partial(pair.look, tests)
            found += compare(
                islice(every, most), MOST_FUNCTIONS, look, lambda its: its.known(sought) or runs.time_left < runs.least
            )
    return found


@dataclass(frozen=True, slots=True)
class Kills:
    """The defects that each test noticed as it was. kept: how many it notices still. lost: those that it does not."""

    kept: Counter[str] = field(default_factory=Counter)
    lost: dict[str, list[str]] = field(default_factory=dict)

    def known(self, sought: Set[str]) -> bool:
        """Whether some of those notice less, and none is left that lost nothing."""
        return bool(self.lost.keys() & sought) and not (self.kept.keys() - self.lost.keys()) & sought


def compare(
    broken: Iterator[Defect],
    at_once: int,
    seen: Callable[[Sequence[Defect], frozenset[str]], Iterable[Mapping[str, bool]]],
    enough: Callable[[Kills], bool],
) -> tuple[LostKills, ...]:
    """The tests that lost something, worst first, by so many defects at once. seen: of each defect the tests that
    noticed it, and whether they still do; beside it, those that lost enough to be named. enough: whether no further
    one is tried."""
    kills = Kills()
    while row := list(islice(broken, at_once)):
        named = frozenset(test for test, its in kills.lost.items() if len(its) >= _ENOUGH)
        for defect, found in zip(row, seen(row, named), strict=True):
            for test, still in found.items():
                if still:
                    kills.kept[test] += 1
                else:
                    kills.lost.setdefault(test, []).append(defect.told)
        if enough(kills):
            break
    kept = kills.kept
    lost = [
        LostKills(test, kept[test] + len(its), kept[test], tuple(its[:_MOST_NAMED])) for test, its in kills.lost.items()
    ]
    return tuple(sorted(lost, key=lambda one: (one.killed_now - one.killed, one.test)))


@dataclass(frozen=True)
class _Pair:
    """The two versions of the tests, by their names without parameters."""

    runs: TimedRuns
    old: Watched
    new: Watched | None

    @cached_property
    def asked(self) -> frozenset[str]:
        """Those that can have become weaker."""
        fails, run = self._now(BAD), self.old.run
        mine = _of(run, {TestStatus.PASSED}) - _of(run, BAD)
        # A file that cannot be read on the base is said by its own name: nothing is known of its tests.
        return frozenset(test for test in mine if not {test, file_of(test)} & fails)

    def of(self, names: Collection[str]) -> frozenset[str]:
        """Those of the asked that are meant."""
        return self.asked & frozenset(map(function_of, names))

    def look(self, tests: frozenset[str], row: Sequence[Defect], named: frozenset[str]) -> list[dict[str, bool]]:
        """Of each defect those of the tests that noticed it, and whether they still do; nothing where there are none of
        which more is to be known. named: those that are known to notice less."""
        asked = [self._select(tests, each) for each in row]
        noticed = [(red or frozenset()) & tests for red in self._red(self.old, row, asked)]
        open_ = [at for at, found in enumerate(noticed) if found - named]
        now = dict(zip(open_, self._red_now([row[at] for at in open_], [noticed[at] for at in open_]), strict=True))
        told = [
            {test: self._still(test, red) for test in found} if (red := now.get(at)) is not None else {}
            for at, found in enumerate(noticed)
        ]
        doubtful = [at for at, found in enumerate(told) if not all(found.values())]
        # As they were asked, by themselves and with the defect anew: what was kept names nobody.
        both = [*([None] * len(doubtful)), *(row[at] for at in doubtful)]
        anyway = self._red(self.old, both, [asked[at] for at in doubtful] * 2, repeats=True)
        for at, red, again in zip(doubtful, anyway, anyway[len(doubtful) :], strict=False):
            sure = frozenset() if red is None or again is None else again - red
            told[at] = {test: still for test, still in told[at].items() if test in sure}
        return told

    def _select(self, tests: frozenset[str], defect: Defect) -> tuple[str, ...]:
        """What to ask pytest for; where there are many, those that enter what is broken."""
        known = self._known
        names = known.quickest(known.seconds) if len(tests) <= _FEW else known.tests(defect.path, defect.of.name)
        return selected((name for name in names if function_of(name) in tests), MOST_TESTS)

    @cached_property
    def _known(self) -> Known:
        return Known.of([self.old.run], [self.old.run])

    @cached_property
    def _brought(self) -> frozenset[str]:
        """The tests of new names; what is red anyway sees nothing."""
        return self._now(_ALL) - _of(self.old.run, _ALL) - self._now(BAD)

    def _now(self, statuses: Collection[TestStatus]) -> frozenset[str]:
        return _of(self.new.run, statuses) if self.new else frozenset()

    def _red_now(self, row: Sequence[Defect], noticed: Sequence[frozenset[str]]) -> list[frozenset[str] | None]:
        """The same of the new version, for what the old one noticed."""
        known, cut = self._now(_ALL), bool(self.new and self.new.run.problem)
        there = [tuple(sorted(test for test in found | self._brought if test in known or cut)) for found in noticed]
        if not (self.new and any(there)):
            return [frozenset() for _ in row]
        return self._red(self.new, row, there)

    def _red(
        self, watched: Watched, row: Sequence[Defect | None], asked: Sequence[tuple[str, ...]], *, repeats: bool = False
    ) -> list[frozenset[str] | None]:
        """The tests that are red with each defect, or without any; `None` where the time was over. Where one of the
        asked is not found any more, pytest runs none, so all of its files are asked then."""
        program, suite = watched.program, replace(watched.suite, test_seconds=patience(watched.suite, watched.run))
        experiments = [
            Experiment(program, replace(suite, select=names or suite.select), once=True, repeats=repeats, broken=its)
            for names, its in zip(asked, (each.put_into(program) if each else {} for each in row), strict=True)
        ]
        ran = self.runs.each(experiments)
        lost = [at for at, run in enumerate(ran) if run and not _of(run, _ALL).issuperset(map(function_of, asked[at]))]
        again = self.runs.each([replace(experiments[at], suite=suite) for at in lost])
        for at, run in zip(lost, again, strict=True):
            ran[at] = run
        return [None if run is None or TIME_OUT in run.problem else _of(run, BAD) for run in ran]

    def _still(self, test: str, red: frozenset[str]) -> bool:
        """Whether the test's new version notices, or a test that is new."""
        return test in red or file_of(test) in red or bool(self._brought & red)


def _of(run: TestRun, statuses: Collection[TestStatus]) -> frozenset[str]:
    return frozenset(function_of(result.name) for result in run.results if result.status in statuses)


def _watched(run: TestRun, tests: frozenset[str]) -> list[Function]:
    """Functions that the tests enter: one after the other that which most tests enter of those not yet looked at."""
    entered: dict[Function, set[str]] = {}
    for name, found in run.entered:
        if function_of(name) in tests:
            for function in found:
                entered.setdefault(function, set()).add(function_of(name))
    chosen: list[Function] = []
    waiting = set().union(*entered.values()) if entered else set()
    while entered and len(chosen) < (MOST_FUNCTIONS if waiting else _ENOUGH_FUNCTIONS):
        best = max(entered, key=lambda one: (len(entered[one] & waiting), -len(entered[one]), one.path, one.name))
        chosen.append(best)
        waiting -= entered.pop(best)
    return chosen


def _in_turn(base: Program, functions: list[Function], *, small: bool) -> Iterator[Defect]:
    """One of each function before the second of any; slips between the large ones, which show less."""
    large = [_large(base, one) for one in functions]
    yield from [its.pop(0) for its in large if its]
    slipped = _small(base, functions) if small else {}
    rows = [
        chain.from_iterable(zip_longest(slipped.get(one, ()), its)) for one, its in zip(functions, large, strict=True)
    ]
    for row in zip_longest(*(filter(None, each) for each in rows)):
        yield from filter(None, row)


def _large(base: Program, function: Function) -> list[Defect]:
    there = places(base, function.path, {function.first})
    return next((its for one, its in there.items() if (one.name, one.first) == (function.name, function.first)), [])


def _small(base: Program, functions: list[Function]) -> dict[Function, list[Defect]]:
    lines: dict[str, list[int]] = {}
    for one in functions:
        lines.setdefault(one.path, []).extend(range(one.first, one.last + 1))
    made = slips({path: content(base, path) or b"" for path in lines}, lines, _MOST_SLIPS)
    found: dict[Function, list[Defect]] = {}
    for slip in made:
        holds = next(one for one in functions if one.path == slip.path and one.first <= slip.of.first <= one.last)
        found.setdefault(holds, []).append(slip)
    return found
