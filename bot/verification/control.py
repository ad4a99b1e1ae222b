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
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

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
_MANY = 20  # parameters of one test
_PLAIN = re.compile(r"[\w.-]{1,100}\]", re.ASCII)  # names of parameters that pytest surely takes back
_CHANCE = random.SystemRandom()

NO_TIME = "There was no time left to break code on purpose."
NOT_COVERED = "No test that ran calls the changed code."
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
    asked = [function for function in touched if places.tests(function)]
    asked.sort(key=lambda function: -len(places.tests(function)))
    asked = [*asked[:MOST_CHANGED], *places.some_other(touched)]
    if seconds < LEAST:
        open_ = bool(asked or (touched and own and turned))
        return Control(Proof.UNTRIED, why=NO_TIME) if open_ else Control(Proof.UNPROVED, why=NOT_COVERED)
    trials = _Trials(executor, end)
    with Pool(max_workers=_AT_ONCE) as pool:
        seen = dict(zip(asked, pool.map(lambda one: _seen(trials, places, one), asked), strict=True))
    noticed = [function for function in asked if seen[function] is True]
    blind = [function for function in asked if seen[function] is False]
    tried = tuple(function.called for function in (*noticed, *blind))
    if blind:
        return Control(Proof.BLIND, tried, tuple(function.called for function in blind))
    if any(function in touched for function in noticed):
        return Control(Proof.PROVED, tried)
    return _by_own(trials, touched, own, turned, asked=asked, tried=tried)


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
    return Control(Proof.UNPROVED, tried, why=NOT_NOTICED if covered else NOT_COVERED)


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
        passing = head.run.passing
        self._tests: dict[tuple[str, str], dict[str, float]] = {}
        self._there: dict[tuple[str, str], Function] = {}
        for test, found in base.run.entered:
            for function in found:
                self._there.setdefault((function.path, function.name), function)
                if test in passing:
                    self._tests.setdefault((function.path, function.name), {})[test] = passing[test]

    def tests(self, function: Function) -> list[str]:
        """Tests that enter it on the base and pass on the head, the quickest first."""
        found = self._tests.get((function.path, function.name), {})
        return sorted(found, key=lambda test: (found[test], test))

    def on_base(self, function: Function) -> Function | None:
        return self._there.get((function.path, function.name))

    def some_other(self, touched: list[Function]) -> list[Function]:
        """One that the change leaves alone and that tests enter; any of them."""
        names = {(function.path, function.name) for function in touched}
        paths = sorted({path for path, name in self._tests if (path, name) not in names})
        _CHANCE.shuffle(paths)
        for path in paths:
            here = [one for one in functions_in(self.head.program, path) if (path, one.name) not in names]
            if found := [function for function in here if self.tests(function)]:
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

    def run(self, program: Program, suite: Suite) -> TestRun | None:
        """`None` where it was left out or cut short, or could not be made."""
        left = self.end - time.monotonic()
        run = run_suite(self.executor, program, suite, seconds=left) if left >= self.least else None
        cut = run is None or run.unavailable or TIME_OUT in run.problem or time.monotonic() > self.end
        self.late = self.late or cut
        return None if cut else run


class _Trials:
    """Runs of a program with one function broken. late: one was left out, or cut short, for want of time."""

    def __init__(self, executor: Executor, end: float) -> None:
        self._executor, self._end = executor, end
        self.late = False

    def notice(self, watched: Watched, function: Function, tests: list[str]) -> bool | None:
        """Whether one of the tests turns red when the function is broken; `None` where it could not be tried."""
        answers = []
        for form in (BreakForm.RETURNS, BreakForm.RAISES):
            text = broken(content(watched.program, function.path) or b"", function, form)
            if text is None:
                return None
            program = replace(watched.program, files={**watched.program.files, function.path: text})
            answers.append(self._red(replace(watched, program=program), tests, MOST_TESTS[form]))
            if answers[-1]:
                return True
        return None if None in answers else False

    def left_out(self, watched: Watched, function: Function, tests: list[str]) -> bool:
        """Whether the tests do not come to the function any more, as they are run on the program."""
        run = self._run(watched, tests, MOST_TESTS[BreakForm.RAISES], frozenset({function.path}))
        return run is not None and not any(function in found for _, found in run.entered)

    def _red(self, watched: Watched, tests: list[str], most: int) -> bool | None:
        run = self._run(watched, tests, most)
        if run is None or run.unavailable or (not run.failing and TIME_OUT in run.problem):
            return None
        # What was there before is no sign, and that the report is caught lying notices nothing.
        told = any(each in run.problem for each in (FORGED, LEFT_OUT))
        amiss = bool(run.problem) and not watched.run.problem and not told
        return amiss or bool(run.failing)

    def _run(
        self, watched: Watched, tests: list[str], most: int, trace: frozenset[str] = frozenset()
    ) -> TestRun | None:
        left = self._end - time.monotonic()
        if left < LEAST:
            self.late = True
            return None
        suite = replace(watched.suite, select=selected(tests, most))
        run = run_suite(self._executor, watched.program, suite, seconds=left, trace=trace)
        self.late = self.late or TIME_OUT in run.problem
        return run


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
