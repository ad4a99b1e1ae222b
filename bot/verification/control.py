"""The positive control: can the tests that judge this head still fail on it?

A few functions are broken on the head, one at a time, and just the tests that enter them run. Where none of these turns
red, the same break is tried on the base: tests that notice it there and not here cannot fail any more, and their green
is no evidence. Where they do not notice it there either, they never looked, and nothing follows.

Which test enters what is known from the base, whose code and tests nobody who is judged has written. The head is only
asked about tests of its own, and why a break went unseen; a lie there makes it harder to be proved, not easier.
"""

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.breaking import BreakForm, broken, functions_in
from bot.verification.patch_evidence import Control, Proof
from bot.verification.programs import content
from bot.verification.syntax import Function, innermost
from bot.verification.testing.run import run_suite
from bot.verification.testing.witnesses import FORGED, LEFT_OUT, TIME_OUT
from bot.verification.values import Program, Suite, TestRun

MOST_CHANGED = 5  # functions that changed and are broken
# Of the tests that enter a function, the quickest: a few are enough to see that something else comes out, and where
# nobody does, more are asked.
MOST_TESTS = {BreakForm.RETURNS: 8, BreakForm.RAISES: 40}
LEAST = 3.0  # seconds without which no break is begun
_AT_ONCE = 2
_MOST_FILES = 50  # that are looked through for one function
_MANY = 20  # parameters of one test
_PLAIN = re.compile(r"[\w.-]{1,100}\]", re.ASCII)  # names of parameters that pytest surely takes back
_CHANCE = random.SystemRandom()

NO_TIME = "There was no time left to break code on purpose."
NOT_COVERED = "No test that ran calls the changed code."
NOT_BREAKABLE = "It changes nothing that could be broken on purpose."
NOT_NOTICED = "No test notices when the changed code is broken on purpose, not even without this change."
NOT_READ = "It is unknown which tests call the changed code."


@dataclass(frozen=True, slots=True)
class Watched:
    """A program with tests that were run on it. run: that run; entered: which functions its tests enter, by the word
    of whoever is to be believed about it."""

    program: Program
    suite: Suite
    run: TestRun


def prove(
    executor: Executor,
    base: Watched,
    head: Watched,
    changed: Mapping[str, Iterable[int]],
    *,
    own: Watched | None = None,
    turned: Collection[str] = (),
    seconds: float,
) -> Control:
    """Whether the suite can still fail on this head. Never raises.

    base: the base's tests on the base, run with `trace`. head: the same tests on the judged head, which is the head's
    product under the base's tests and configuration. changed: path -> lines of the head's files that it touched.
    own: the head's own tests on the head, run with `trace`; turned: those of them that go from red to green. They are
    asked where the base's tests enter nothing that changed. seconds: for all of it.
    """
    end = time.monotonic() + seconds
    touched = _touched(head.program, changed)
    places = _Places(base, head)
    asked = sorted(filter(places.tests, touched), key=lambda function: -len(places.tests(function)))
    asked = [*asked[:MOST_CHANGED], *places.some_other(touched)]
    if seconds < LEAST:
        open_ = bool(asked or (touched and own and turned))
        return Control(Proof.UNTRIED, why=NO_TIME) if open_ else _unnoticed(touched, NOT_COVERED)
    trials = _Trials(executor, end)
    control = weigh(asked, touched, lambda function: _seen(trials, places, function))
    if control.proof is not Proof.UNPROVED:
        return control
    return _by_own(trials, touched, own, turned, asked=asked, tried=control.broken)


def weigh(asked: Sequence[Function], touched: Collection[Function], seen: Callable[[Function], bool | None]) -> Control:
    """What breaking these functions tells. touched: those that change, one of which has to be noticed. seen: whether
    breaking one is noticed on the head; `None` where that says nothing of the head."""
    with Pool(max_workers=_AT_ONCE) as pool:
        answers = dict(zip(asked, pool.map(seen, asked), strict=True))
    blind = tuple(function.called for function, answer in answers.items() if answer is False)
    tried = (*(function.called for function, answer in answers.items() if answer), *blind)
    if blind:
        return Control(Proof.BLIND, tried, blind)
    proved = any(answer and function in touched for function, answer in answers.items())
    return Control(Proof.PROVED if proved else Proof.UNPROVED, tried)


def _by_own(
    trials: "_Trials",
    touched: list[Function],
    own: Watched | None,
    turned: Collection[str],
    *,
    asked: list[Function],
    tried: tuple[str, ...],
) -> Control:
    """Where no test of the base's tells: the change's own tests that go from red to green."""
    covered = any(function in touched for function in asked)
    unseen: list[str] = []
    if own and turned:
        entered = {test: found for test, found in own.run.entered if test in turned}
        mine = [function for function in touched if any(function in found for found in entered.values())]
        for function in mine[:MOST_CHANGED]:
            tests = [test for test, found in entered.items() if function in found]
            answer = trials.notice(own, function, tests)
            if answer:
                return Control(Proof.PROVED, (*tried, function.called))
            if answer is not None:
                unseen.append(function.called)
        if unseen and not trials.late:
            return Control(Proof.BLIND, (*tried, *unseen), tuple(unseen))
    if trials.late:
        return Control(Proof.UNTRIED, tried, why=NO_TIME)
    return replace(_unnoticed(touched, NOT_NOTICED if covered else NOT_COVERED), broken=tried)


def _unnoticed(touched: list[Function], why: str) -> Control:
    return Control(Proof.UNPROVED, why=why) if touched else Control(Proof.NOTHING, why=NOT_BREAKABLE)


def _seen(trials: "_Trials", places: "_Places", function: Function) -> bool | None:
    """Whether breaking the function on the head is noticed; `None` where that says nothing of the head."""
    tests = places.tests(function)
    answer = trials.notice(places.head, function, tests)
    if answer is not False:
        return answer
    before = places.on_base(function)
    if before is None or not trials.notice(places.base, before, tests):
        return None  # they never looked
    return None if trials.left_out(places.head, function, tests) else False


class _Places:
    """The functions of the head, with the base's tests that enter them."""

    def __init__(self, base: Watched, head: Watched) -> None:
        self.base, self.head = base, head
        self._known = Known.of([head.run], [base.run])
        entered = [function for _, found in base.run.entered for function in found]
        self._there = {(function.path, function.name): function for function in reversed(entered)}

    def tests(self, function: Function) -> list[str]:
        """Tests that enter it on the base and pass on the head, the quickest first."""
        return self._known.quickest(self._known.entered.get((function.path, function.name), ()))

    def on_base(self, function: Function) -> Function | None:
        return self._there.get((function.path, function.name))

    def some_other(self, touched: list[Function]) -> list[Function]:
        """One that the change leaves alone and that tests enter; any of them."""
        names = {(function.path, function.name) for function in touched}
        paths = {path for path, _ in self._known.entered.keys() - names}
        return some_function(
            self.head.program, paths, lambda one: (one.path, one.name) not in names and bool(self.tests(one))
        )


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier runs tell. seconds: of each test that passes on the program. entered: path and name of a function
    -> tests that enter it. first: tests that are asked before others."""

    seconds: Mapping[str, float] = field(default_factory=dict)
    entered: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    first: frozenset[str] = frozenset()

    @classmethod
    def of(cls, ran: Iterable[TestRun], traced: Iterable[TestRun], first: Iterable[str] = ()) -> "Known":
        """ran: runs on the program. traced: runs that tell what tests enter, of its base as well."""
        passed = {name: seconds for run in ran for name, seconds in run.passing.items()}
        entered: dict[tuple[str, str], set[str]] = {}
        for run in traced:
            for test, functions in run.entered:
                for function in functions if test in passed else ():
                    entered.setdefault((function.path, function.name), set()).add(test)
        return cls(passed, {at: frozenset(tests) for at, tests in entered.items()}, frozenset(first))

    def tests(self, path: str, name: str) -> list[str]:
        """The tests that enter the function; where none does, those that enter any of its file."""
        of_file = (tests for (where, _), tests in self.entered.items() if where == path)
        return self.quickest(self.entered.get((path, name)) or frozenset[str]().union(*of_file))

    def quickest(self, tests: Iterable[str]) -> list[str]:
        """In the order in which they are asked."""
        return sorted(tests, key=lambda test: (test not in self.first, self.seconds[test], test))


def some_function(program: Program, paths: Iterable[str], fit: Callable[[Function], bool]) -> list[Function]:
    """One of these files that can be broken and fits, by chance; none where none does."""
    order = sorted(paths)
    _CHANCE.shuffle(order)
    for path in order[:_MOST_FILES]:
        if found := list(filter(fit, functions_in(program, path))):
            return [_CHANCE.choice(found)]
    return []


@dataclass
class TimedRuns:
    """Runs that end by a moment. end: of `time.monotonic`. least: seconds without which none is begun. late: one was
    left out, or cut short, for want of time."""

    executor: Executor
    end: float
    least: float = LEAST
    late: bool = False

    def begin(self, program: Program, suite: Suite, trace: frozenset[str] = frozenset()) -> TestRun | None:
        """A run, however it ends; `None` where it was left out."""
        left = self.end - time.monotonic()
        run = run_suite(self.executor, program, suite, seconds=left, trace=trace) if left >= self.least else None
        self.late = self.late or run is None or TIME_OUT in run.problem
        return run

    def run(self, program: Program | None, suite: Suite) -> TestRun | None:
        """`None` where it was left out or cut short, or could not be made."""
        run = self.begin(program, suite) if program else None
        cut = run is None or run.unavailable or TIME_OUT in run.problem or time.monotonic() > self.end
        self.late = self.late or cut
        return None if cut else run


class _Trials(TimedRuns):
    """Runs of a program with one function broken."""

    def notice(self, watched: Watched, function: Function, tests: list[str]) -> bool | None:
        """Whether one of the tests turns red when the function is broken; `None` where it could not be tried."""
        answers = []
        source, files = content(watched.program, function.path) or b"", watched.program.files
        for form, most in MOST_TESTS.items():
            text = broken(source, function, form)
            if text is None:
                return None
            program = replace(watched.program, files={**files, function.path: text})
            run = self.begin(program, replace(watched.suite, select=selected(tests, most), until=frozenset(tests)))
            answers.append(_red(watched, run))
            if answers[-1]:
                return True
        return None if None in answers else False

    def left_out(self, watched: Watched, function: Function, tests: list[str]) -> bool:
        """Whether the tests do not come to the function any more, as they are run on the program."""
        suite = replace(watched.suite, select=selected(tests, MOST_TESTS[BreakForm.RAISES]))
        run = self.begin(watched.program, suite, frozenset({function.path}))
        return run is not None and not any(function in found for _, found in run.entered)


def _red(watched: Watched, run: TestRun | None) -> bool | None:
    """Whether something is seen in a run. watched: without the break."""
    if run is None or run.unavailable or (not run.failing and TIME_OUT in run.problem):
        return None
    # What was there before is no sign, and that the report is caught lying notices nothing.
    told = any(each in run.problem for each in (FORGED, LEFT_OUT))
    return bool(run.failing) or (bool(run.problem) and not watched.run.problem and not told)


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


def _touched(program: Program, changed: Mapping[str, Iterable[int]]) -> list[Function]:
    """The functions of the changed lines that can be broken."""
    found: dict[Function, None] = {}
    for path, lines in sorted(changed.items()):
        around = innermost(functions_in(program, path))
        found.update((function, None) for line in sorted(lines) if (function := around(line)))
    return list(found)
