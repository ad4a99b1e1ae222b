"""Running a program with a defect: which tests to ask, by when, and whether they notice."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest

from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.testing.run import Order, run_suite, run_variants
from bot.verification.testing.sources import file_of
from bot.verification.testing.witnesses import FORGED, LEFT_OUT, TIME_OUT
from bot.verification.values import Keeper, Program, Suite, TestRun, Variant

LEAST = 3.0  # seconds without which no defect is begun
AT_ONCE = 2
MOST_TESTS = 200  # that pytest is asked for by name
_PATIENCE = 2.0  # seconds that a test may take at least, and ten times what it took before
_WORTH_IT = 4  # programs for which a second sandbox is begun
_MANY = 20  # parameters of one test
_PLAIN = re.compile(r"[\w.-]{1,100}\]", re.ASCII)  # names of parameters that pytest surely takes back


@dataclass(frozen=True, slots=True)
class Watched:
    """A program with tests that were run on it. run: that run; entered: which functions its tests enter, by the word
    of whoever is to be believed about it."""

    program: Program
    suite: Suite
    run: TestRun


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier runs tell. seconds: of each test that passes on the program. entered: path and name of a function
    -> tests that enter it."""

    seconds: Mapping[str, float] = field(default_factory=dict)
    entered: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, ran: Iterable[TestRun], traced: Iterable[TestRun]) -> "Known":
        """ran: runs on the program. traced: runs that tell what tests enter, of its base as well."""
        passed = {name: seconds for run in ran for name, seconds in run.passing.items()}
        entered: dict[tuple[str, str], set[str]] = {}
        for run in traced:
            for test, functions in run.entered:
                for function in functions if test in passed else ():
                    entered.setdefault((function.path, function.name), set()).add(test)
        return cls(passed, {at: frozenset(tests) for at, tests in entered.items()})

    def tests(self, path: str, name: str) -> list[str]:
        """The tests that enter the function; where none does, those that enter any of its file."""
        of_file = (tests for (where, _), tests in self.entered.items() if where == path)
        return self.quickest(self.entered.get((path, name)) or frozenset[str]().union(*of_file))

    def quickest(self, tests: Iterable[str]) -> list[str]:
        """In the order in which they are asked."""
        return sorted(tests, key=lambda test: (self.seconds[test], test))


@dataclass
class TimedRuns:
    """Runs that end by a moment. end: of `time.monotonic`. least: seconds without which none is begun. late: one was
    left out, or cut short, for want of time."""

    executor: Executor
    end: float
    least: float = LEAST
    late: bool = False

    @property
    def time_left(self) -> float:
        """Seconds."""
        return self.end - time.monotonic()

    def run(self, program: Program, suite: Suite, trace: frozenset[str] = frozenset()) -> TestRun | None:
        """A run, however it ends; `None` where it was left out, or could not be made."""
        left = self.time_left
        order = Order(trace=trace)
        run = run_suite(self.executor, program, suite, seconds=left, order=order) if left >= self.least else None
        self.late = self.late or run is None or TIME_OUT in run.problem or time.monotonic() > self.end
        return None if run is None or run.unavailable else run

    def whole(self, program: Program, suite: Suite) -> TestRun | None:
        """One that was not cut short either."""
        run = self.run(program, suite)
        return None if run is None or TIME_OUT in run.problem or time.monotonic() > self.end else run

    def notice(self, watched: Watched, program: Program, select: tuple[str, ...] = ()) -> bool | None:
        """Whether tests that pass on the watched program notice what is otherwise in this one; `None` where that could
        not be tried. select: what pytest is asked for."""
        return self.notice_each(watched.suite, [(watched.run, Variant(program, select))])[0]

    def any_notices(self, asked: Iterable[tuple[Watched, Program]]) -> bool | None:
        """Whether tests notice any of these; `None` where none does of those for which there was time."""
        found = any(self.notice(watched, program, watched.suite.select) for watched, program in asked)
        return True if found else None if self.late else False

    def notice_each(self, suite: Suite, asked: Sequence[tuple[TestRun | None, Variant]]) -> list[bool | None]:
        """The same of several programs. asked: how the tests end on the watched program, where that is known, and each
        program. Where none passes anyway, none notices."""
        able = [(known, each) for known, each in asked if known and known.passing]
        runs = self.each(
            suite,
            [
                # A file of theirs that cannot be read any more is told by its own name.
                replace(
                    each,
                    until=frozenset({*known.passing, *map(file_of, known.passing)}),
                    test_seconds=patience(suite, known),
                )
                for known, each in able
            ],
        )
        notices = _notices if suite.command is None else _fewer_pass
        told = (None if run is None else notices(known, run) for (known, _), run in zip(able, runs, strict=True))
        return [None if known is None else next(told) if known.passing else False for known, _ in asked]

    def each_kept(
        self, suite: Suite, variants: Sequence[Variant], keeper: Keeper, broken: Sequence[Mapping[str, bytes | None]]
    ) -> list[TestRun | None]:
        """The same where some may be known. broken: what of the base each has otherwise."""

        def not_kept() -> TestRun:
            raise _NotKept

        found: list[TestRun | None] = [None] * len(variants)
        missing = list[int]()
        for at, (each, its) in enumerate(zip(variants, broken, strict=True)):
            try:
                found[at] = keeper(each.of(suite), (), not_kept, broken=its)
            except _NotKept:
                missing.append(at)
        for at, run in zip(missing, self.each(suite, [variants[at] for at in missing]), strict=True):
            if run:
                found[at] = keeper(variants[at].of(suite), (), partial(_same, run), broken=broken[at])
        return found

    def each(self, suite: Suite, variants: Sequence[Variant]) -> list[TestRun | None]:
        """A run of each: by pytest as `run` has it, several in one sandbox, by a command as `whole` has it."""
        if suite.command is not None:
            with Pool(max_workers=AT_ONCE) as pool:
                return list(pool.map(lambda one: self.whole(one.program, suite), variants))
        left, many = self.time_left, AT_ONCE if len(variants) >= _WORTH_IT else 1
        shares = [variants[start::many] for start in range(many)]
        if left < self.least:
            self.late = True
            return [None] * len(variants)
        with Pool(max_workers=AT_ONCE) as pool:
            ran = pool.map(lambda some: run_variants(self.executor, suite, some, seconds=left), filter(None, shares))
            found = [run for row in zip_longest(*ran) for run in row]
        found += [None] * (len(variants) - len(found))
        self.late = self.late or any(run is None or TIME_OUT in run.problem for run in found)
        return [None if run is None or run.unavailable else run for run in found[: len(variants)]]


class _NotKept(Exception):
    """Tells that a run is still to be made."""


def _same(run: TestRun) -> TestRun:
    return run


def _fewer_pass(known: TestRun, run: TestRun) -> bool:
    return bool(known.passing.keys() - run.passing.keys())


def _notices(known: TestRun, run: TestRun) -> bool | None:
    if not run.failing and TIME_OUT in run.problem:
        return None
    # What was there before is no sign, and that the report is caught lying notices nothing.
    told = any(each in run.problem for each in (FORGED, LEFT_OUT))
    red = {each.name for each in run.failing} - {each.name for each in known.failing}
    return bool(red) or (bool(run.problem) and not known.problem and not told)


def patience(suite: Suite, run: TestRun) -> float:
    """Seconds that a test may take with a defect."""
    return min(suite.test_seconds, _PATIENCE + 10 * max(run.passing.values(), default=0.0))


def selected(tests: Iterable[str], most: int) -> tuple[str, ...]:
    """What to ask pytest for, so that these run: without parameters, whose names a broken program may change, unless a
    test has so many that a few of them have to do."""
    whole = [name for name in tests if "…" not in name]  # else cut for its length
    many = {bare for bare, count in Counter(name.partition("[")[0] for name in whole).items() if count > _MANY}
    names = [
        name if bare in many and _PLAIN.fullmatch(rest) else bare
        for name in whole
        for bare, _, rest in [name.partition("[")]
    ]
    return tuple(dict.fromkeys(names))[:most]
