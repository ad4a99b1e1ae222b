"""Running a program with a defect: which tests to ask, by when, and whether they notice."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.testing.run import run_each
from bot.verification.testing.sources import file_of
from bot.verification.testing.witnesses import FORGED, LEFT_OUT, TIME_OUT
from bot.verification.values import Experiment, Keeper, Program, Suite, TestRun

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


Broken = Mapping[str, bytes | None]  # files of a program as they are with a defect


@dataclass
class TimedRuns:
    """Experiments that end by a moment. end: of `time.monotonic`. least: seconds without which none is begun. keeper:
    of the base, for who asks anew before what was red by chance names anybody. late: one was left out, or cut short,
    for want of time."""

    executor: Executor
    end: float
    least: float = LEAST
    keeper: Keeper = field(default_factory=Keeper)
    late: bool = False

    @property
    def time_left(self) -> float:
        """Seconds."""
        return self.end - time.monotonic()

    def each(self, asked: Sequence[Experiment]) -> list[TestRun | None]:
        """A run of each, several of pytest's in one sandbox; `None` where it was left out, or could not be made. A
        command's was not cut short either."""
        by_command = bool(asked) and asked[0].suite.command is not None
        many = len(asked) if by_command else AT_ONCE if len(asked) >= _WORTH_IT else 1
        with Pool(max_workers=AT_ONCE) as pool:
            ran = list(pool.map(self._runs, filter(None, (asked[start::many] for start in range(many)))))
        return [run for row in zip_longest(*ran) for run in row][: len(asked)]

    def _runs(self, asked: Sequence[Experiment]) -> list[TestRun | None]:
        left = self.time_left
        ran = run_each(self.executor, self.keeper, asked, seconds=left) if left >= self.least else [None] * len(asked)
        cut = asked[0].suite.command is not None and self.time_left < 0
        self.late = self.late or cut or any(run is None or TIME_OUT in run.problem for run in ran)
        return [None if cut or run is None or run.unavailable else run for run in ran]

    def notice(self, watched: Watched, broken: Sequence[Broken], select: tuple[str, ...] = ()) -> list[bool | None]:
        """Whether tests that pass on the watched program notice each of these; `None` where that could not be tried.
        select: what pytest is asked for, instead of all."""
        run, suite = watched.run, watched.suite
        if not run.passing:
            return [False] * len(broken)
        # A file of theirs that cannot be read any more is told by its own name.
        until = frozenset({*run.passing, *map(file_of, run.passing)})
        suite = replace(suite, select=select or suite.select, until=until, test_seconds=patience(suite, run))
        ran = self.each([Experiment(watched.program, suite, broken=each) for each in broken])
        notices = _notices if suite.command is None else _fewer_pass
        return [None if each is None else notices(run, each) for each in ran]

    def any_notices(self, asked: Iterable[tuple[Watched, Broken]]) -> bool | None:
        """Whether tests notice any of these; `None` where none does of those for which there was time."""
        found = any(self.notice(watched, [broken])[0] for watched, broken in asked)
        return True if found else None if self.late else False


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
