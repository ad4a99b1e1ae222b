"""The runs of a trial, in their order: the change's own tests and the base's, what touches them, and what is red again.

The base's tests run on the base's tree with the head's product code in it, so that nothing the change brings along has
a part in judging it. Its own tests run apart, as it was pushed.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial

from bot.sandbox.protocol import Executor
from bot.verification.environments.judged import judged_by_command
from bot.verification.patch_evidence import Contradiction, PatchFacts, ProgramHunk, Red, Turned
from bot.verification.programs import content, source_files
from bot.verification.testing.locks import held_against, lockable
from bot.verification.testing.run import run_suite
from bot.verification.testing.sources import steers_the_runner
from bot.verification.trial.answers import answers
from bot.verification.trial.bodies import Bodies
from bot.verification.trial.contradictions import contradiction
from bot.verification.trial.heard import guarded, heard, suspicious
from bot.verification.trial.hunks import pieces
from bot.verification.trial.inline import only_tests
from bot.verification.trial.judges import Judges, file_of, is_doctest
from bot.verification.trial.looks import PATIENCE, looked_at, looks
from bot.verification.trial.own import Own, beside, laid_over, own_files, suite_of, turned
from bot.verification.trial.patterns import looked_into, patterns
from bot.verification.trial.readers import readers
from bot.verification.trial.repeats import Look, Repeat, lost, repeated
from bot.verification.trial.silenced import silenced
from bot.verification.trial.times import in_reach, level, out_of_time
from bot.verification.trial.told_otherwise import only_when_tested
from bot.verification.values import Base, Environment, Program, Suite, TestResult, TestRun, TestStatus

LEAST = 1.0  # seconds without which nothing new is begun
FOR_BASE, FOR_HEAD = 0.4, 0.8  # of the time that is left, at most, for the base's tests on either side
MOST_READ = 2_000  # files of the base's tests
MOST_BESIDE = 20  # files of tests that are its own though it leaves the files alone
MOST_TRACED = 300  # files, those that the change touches first


@dataclass(frozen=True, slots=True)
class Findings:
    """What the runs of a trial gave, before anybody says what they amount to.

    altered: tests of the base's that the change did not leave alone. written: what the head's code wrote to that
    judges. answers: where its code gives the base's tests their answer. unsteady: tests that failed at times with the
    change and never without it, its own among them. alike: tests of its own that fail as others do without it.
    silenced: tests that it brings and keeps from running or failing, and that fail once they can. only_tested: those
    that pass since its code sees that it is tested. unfinished: what there was no time for.
    """

    facts: PatchFacts
    altered: frozenset[str] = frozenset()
    own_failing: tuple[str, ...] = ()
    turned: tuple[Turned, ...] = ()
    hunks: tuple[ProgramHunk, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    written: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    silenced: tuple[TestResult, ...] = ()
    only_tested: tuple[TestResult, ...] = ()
    unfinished: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialRun:
    """A trial that was held. judged: the program that the base's tests judged, by `suite`. own: the change's own tests,
    as a suite on its head; `None` where it brings none that ran."""

    findings: Findings
    judges: Judges
    judged: Program
    suite: Suite
    own: Suite | None = None


@dataclass(frozen=True)
class TrialSetup:
    """One change on trial. suite: the head's environment. asked: the specification, by others than the author. end: of
    `time.monotonic`, by when all of it is over."""

    executor: Executor
    base: Base
    head: Program
    suite: Suite
    asked: str
    end: float
    pool: ThreadPoolExecutor

    def run(
        self,
        program: Program,
        suite: Suite,
        *,
        reverse: bool = False,
        seed: int | None = None,
        trace: Iterable[str] = (),
        share: float = 1.0,
        most: float = math.inf,
    ) -> Future[TestRun]:
        """Begin a run that ends in time. share: of what is left, at most. most: seconds."""
        left, files = min(max(share * (self.end - time.monotonic()), LEAST), most), frozenset(trace)
        run = partial(run_suite, self.executor, program, suite, seconds=left, reverse=reverse, seed=seed, trace=files)
        return self.pool.submit(run)

    def tried(self) -> TrialRun:
        """All runs: its own tests and the base's first, then what only the first ones call for."""
        command = self.base.suite.command
        judges = Judges.of(self.base.program, self.head, command)
        base = self._with_readers(judges)
        judging = judges.judging(base.program)
        own_suite = self._own_suite(judges, judging)
        touched = frozenset(judges.changed) - judges.beside
        tests = replace(base.suite, first=base.first, watched=judging)
        before = self._before(tests, touched, judges.product_files)
        if before.problem and base.first and not out_of_time(before):  # it may lie in files that concern nobody
            tests = replace(tests, select=base.first, first=())
            before = self._before(tests, touched, judges.product_files)
        # Never beside the base's run, which the change would make late that way.
        pushed = self.run(self.head, own_suite, trace=_python(touched)) if own_suite else None
        judges = judges.after(before)
        judged = judges.judged(base.program)
        locked = lockable(judges.judging(base.program), before)
        environment = self._judging_environment()
        of_base = replace(tests, environment=environment, locked=locked)
        first = self.run(judged, of_base, share=FOR_HEAD)
        of_base = replace(of_base, first=())
        own = held_against(before, pushed.result()) if pushed else None
        rest = judges.beside - set(own_suite.select if own_suite else ())
        steers = bool(rest) or environment != self.suite.environment
        steered = pushed if command and pushed else self._as_pushed(tests, judges, touched, locked) if steers else None
        as_pushed = in_reach(before, held_against(before, steered.result())) if steered else None
        named = {*judging, *judges.beside, *judges.inline}
        paths = frozenset(path for path in named if path.endswith((".go", ".rs")))
        old, new = (Bodies(_reader(program, judges), paths) for program in (base.program, self.head))
        mine = self._mine(own, before, old, new, own_suite, judges)
        torn = frozenset[str]()
        if as_pushed and command is None:
            more = Own.as_pushed(as_pushed, before, old, new, judges.beside)
            torn = more.torn(own, as_pushed)
            if more.names - mine.names:
                mine, own_suite = Own(mine.names | more.names), self._with_more(own_suite, more, judges, judging)
                own = beside(own, as_pushed, mine)
        own_base = self._on_base(mine, own, own_suite, judges)
        before, once, late = level(before, held_against(before, first.result()))
        altered = frozenset(
            each.name
            for each in before.results
            if is_doctest(each.name) or old.demands(each.name) != new.demands(each.name)
        )
        pairs: list[tuple[TestRun | None, TestRun]] = []
        repeat = partial(self._again, judged, pairs)
        shown, again = repeated(before, once, of_base, repeat), tuple[Look, ...]()
        gone = lost(shown.before, shown.after)
        if gone <= altered | (_passing(as_pushed) if as_pushed else set()):  # else it is broken, whatever else shows
            touched = frozenset(judges.changed) - judges.beside
            again = self._looks(judged, of_base, shown.before, shown.after, touched)
            looked = repeated(shown.before, shown.after, of_base, repeat, again, settled=gone)
            shown = replace(looked, unsteady=(*shown.unsteady, *looked.unsteady))
        problem, written = heard(before, [*((look.base, look.head) for look in again), *pairs])
        before, after = shown.before, replace(shown.after, problem=shown.after.problem or problem)
        facts = PatchFacts(before, after, own or after, own_base=own_base)
        red = turned(mine, own, own_base, judges, self.head, self.asked) if own and own_base else ()
        same = _passing(before) - altered  # which another test of their file kept from being read, or built
        red = tuple(each for each in red if each.test not in same)
        hunks, red = self._borne(red, own_suite, judges) if own_suite else ((), red)
        only_tested = self._told_otherwise(red, own_suite, judges, new)
        staged = {each.name for each in only_tested}
        red = tuple(replace(each, counts=each.counts and each.test not in staged) for each in red)
        failing, at_times = self._twice(mine, own, own_suite, before)
        alike = mine.alike(own, before, old) if own and failing else frozenset()
        ran = (once, own, own_base, as_pushed)
        findings = Findings(
            replace(facts, as_pushed=as_pushed),
            altered=altered,
            own_failing=tuple(name for name in failing if name not in alike),
            alike=tuple(name for name in failing if name in alike),
            turned=red,
            hunks=hunks,
            contradictions=self._contradictions(lost(before, after), after, mine, own, old, new, judges),
            written=tuple(dict.fromkeys((*heard(before, [(None, each) for each in ran if each])[1], *written))),
            answers=self._answers(judges),
            unsteady=tuple(sorted({*shown.unsteady, *at_times, *torn})),
            silenced=self._silenced(red, own, own_suite, judges, old),
            only_tested=only_tested,
            unfinished=late,
        )
        return TrialRun(findings, judges, judged, of_base, own_suite)

    def _answers(self, judges: Judges) -> tuple[str, ...]:
        product = {path: both for path, both in judges.changed.items() if path not in judges.beside}
        judging = sorted(judges.judging(self.base.program))[:MOST_READ]
        return answers(product, (content(self.base.program, path) or b"" for path in judging))

    def _before(self, suite: Suite, touched: frozenset[str], product: frozenset[str]) -> TestRun:
        """The base's tests on the base. What is traced is its own files, the same for most changes to it."""
        traced = frozenset(_python([*sorted(touched & product), *sorted(product)]))
        base = self.base
        return base.keeper(suite, traced, lambda: self.run(base.program, suite, trace=traced, share=FOR_BASE).result())

    def _own_suite(self, judges: Judges, judging: frozenset[str]) -> Suite | None:
        """The tests that the change brings or changes, on its own head; `None` where it does neither."""
        if self.suite.command is not None:
            some = judges.inline or any(judges.tests_by_custom(path) for path in judges.beside)
            return guarded(self.suite, judges, judging, self._there) if some else None
        suite = suite_of(own_files(judges.changed, self._patterns()), self.head, self.suite)
        return guarded(suite, judges, judging, self._there) if suite.select else None

    @cached_property
    def _there(self) -> frozenset[str]:
        """The files of the head."""
        return frozenset({*source_files(self.head.tree), *self.head.files})

    def _with_more(self, own: Suite | None, more: Own, judges: Judges, judging: frozenset[str]) -> Suite:
        """The suite of its own tests, with the files of those that are its own as all were run."""
        there = [*(own.select if own else ()), *sorted({file_of(name) for name in more.names})[:MOST_BESIDE]]
        return guarded(suite_of(dict.fromkeys(there), self.head, self.suite), judges, judging, self._there)

    def _patterns(self) -> tuple[str, ...]:
        return patterns(partial(content, program) for program in (self.base.program, self.head))

    def _with_readers(self, judges: Judges) -> Base:
        """The base, whose tests that may read what the change puts beside them come first as well."""
        base, suite = self.base, self.base.suite
        if suite.command or not (base.first or suite.select):
            return base
        more = sorted(readers(judges, base.program) - {*base.first, *suite.select})
        if not suite.select:
            return replace(base, first=(*base.first, *more))
        known = {path: text for path in more if (text := content(base.program, path)) is not None}
        suite = replace(suite, select=(*suite.select, *known), files={**suite.files, **known})
        return replace(base, suite=suite)

    def _mine(
        self, own: TestRun | None, before: TestRun, old: Bodies, new: Bodies, suite: Suite | None, judges: Judges
    ) -> Own:
        """Which of the tests that ran on the head are its own."""
        if own is None or suite is None:
            return Own(frozenset())
        if suite.command is not None:
            named = (path for path in judges.beside if judges.tests_by_custom(path))
            files = {path: judges.changed[path][1] for path in {*named, *judges.inline}}
            return Own.of_command(own, before, suite.command, files)
        return Own.of(own, before, old, new, suite.select)

    def _judging_environment(self) -> Environment:
        """Where the base's tests judge. A command's tools would else be those that the head had installed."""
        own = self.suite.environment
        return judged_by_command(self.base.suite.environment, own) if self.base.suite.command else own

    def _as_pushed(
        self, tests: Suite, judges: Judges, touched: frozenset[str], locked: frozenset[str]
    ) -> Future[TestRun] | None:
        """The same tests where the head's own files and packages steer, and the files that it adds to them."""
        there = [each for each in tests.select if self._has(file_of(each))]
        if tests.select and self.suite.command is None:
            also, known = self._patterns(), {file_of(each) for each in there}
            new = (path for path in sorted(judges.beside - known) if looked_into(path, also))
            there += [path for path in new if self._has(path)]
            if not there:
                return None
        suite = replace(self.suite, select=tuple(there), first=tests.first, files={})
        suite = guarded(suite, judges, tests.watched, self._there)
        suite = replace(suite, locked=suite.locked | (locked & suite.watched))
        return self.run(self.head, suite, trace=_python(touched), share=FOR_HEAD)

    def _has(self, path: str) -> bool:
        """Whether the head has a file or a folder there."""
        return content(self.head, path) is not None or (self.head.tree is not None and (self.head.tree / path).is_dir())

    def _looks(
        self, judged: Program, tests: Suite, before: TestRun, once: TestRun, touched: frozenset[str]
    ) -> tuple[Look, ...]:
        """More looks at what is green with the change, where it touches product code and there is time for them."""
        if not touched or once.problem or self.end - time.monotonic() < LEAST:
            return ()
        names = looked_at(before, once, touched, whole=tests.command is not None)
        of_base, look = self.base.suite.environment, partial(self.run, most=PATIENCE)
        return looks(
            names,
            tests,
            lambda some, seeds: [each.result() for each in [look(judged, some, seed=seed) for seed in seeds]],
            lambda some, seed: look(self.base.program, replace(some, environment=of_base), seed=seed).result(),
            partial(suspicious, before),
        )

    def _again(
        self, judged: Program, pairs: list[tuple[TestRun | None, TestRun]], tests: Suite, repeat: Repeat
    ) -> tuple[TestRun, TestRun] | None:
        """One more run on both sides, where there is time for it. pairs: where both are noted."""
        if self.end - time.monotonic() < LEAST:
            return None
        of_base = replace(tests, environment=self.base.suite.environment)
        there = self.run(self.base.program, of_base, reverse=repeat.reverse, seed=repeat.seed)
        here = self.run(judged, tests, reverse=repeat.reverse, seed=repeat.seed)
        pairs.append((there.result(), here.result()))
        return there.result(), here.result()

    def _on_base(self, mine: Own, own: TestRun | None, suite: Suite | None, judges: Judges) -> TestRun | None:
        """The change's own tests on the base's code; only where one of them passes with the change."""
        if own is None or suite is None or not mine.passing(own):
            return None
        program, files = laid_over(self.base.program, self.head, judges)
        environment = self.base.suite.environment
        return self.run(program, replace(suite, files={**files, **suite.files}, environment=environment)).result()

    def _borne(
        self, found: tuple[Turned, ...], own: Suite, judges: Judges
    ) -> tuple[tuple[ProgramHunk, ...], tuple[Turned, ...]]:
        """Tests that are red for want of a name that nobody asked for: each counts where a piece of the change bears
        it, which shows when that is taken out and the name stays."""
        open_ = {each.test for each in found if each.red is Red.MISSING and not each.counts}
        if not open_ or own.command is not None or any(each.counts for each in found):
            return (), found
        product = {path: both for path, both in judges.changed.items() if path not in judges.beside}
        tests = replace(own, select=tuple(sorted({file_of(name) for name in open_})))
        begun = [
            (piece, self.run(replace(self.head, files={**self.head.files, piece.path: piece.without}), tests))
            for piece in pieces(product)
            if self.end - time.monotonic() > LEAST
        ]
        red = {piece.where: open_ - _passing(run.result()) for piece, run in begun if not run.result().unavailable}
        borne = frozenset[str]().union(*red.values())
        hunks = tuple(ProgramHunk(where, bool(tests)) for where, tests in red.items())
        return hunks, tuple(replace(each, counts=each.counts or each.test in borne) for each in found)

    def _told_otherwise(
        self, found: tuple[Turned, ...], own: Suite | None, judges: Judges, new: Bodies
    ) -> tuple[TestResult, ...]:
        """Tests of its own that go from red to green only since its code sees that it is tested."""
        names = {file_of(each.test) for each in found if each.counts}
        if not names or own is None or own.command is not None or not self.asked.strip():
            return ()
        tests = replace(own, select=tuple(sorted(names)))
        product = {path: both for path, both in judges.changed.items() if path not in judges.beside}

        def run(program: Program, reverse: bool) -> TestRun:
            return self.run(program, tests, reverse=reverse).result()

        return only_when_tested(found, new, self.head, product, self.asked, run)

    def _silenced(
        self,
        found: tuple[Turned, ...],
        own: TestRun | None,
        suite: Suite | None,
        judges: Judges,
        old: Bodies,
    ) -> tuple[TestResult, ...]:
        """Tests that it brings, keeps from running or failing, and fails; only where something was asked for and
        nothing goes from red to green."""
        told = any(each.counts for each in found) or not self.asked.strip()
        if told or own is None or suite is None or suite.command is not None:
            return ()

        def run(files: Mapping[str, bytes], reverse: bool) -> TestRun:
            paths = tuple(path for path in files if not steers_the_runner(path))
            tests = replace(suite, files={**suite.files, **files}, select=paths, locked=frozenset())
            return self.run(self.head, tests, reverse=reverse).result()

        return silenced(own, self.head, judges.changed, old, suite.select, run)

    def _twice(
        self, mine: Own, own: TestRun | None, suite: Suite | None, before: TestRun
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Its own tests that are red on its own head and are so again, and those that are not always."""
        if own is None or suite is None:
            return (), ()
        mine = mine if suite.command else mine.less(before)  # a command as a whole is red and green at once
        failing = mine.failing(own)
        if not failing or self.end - time.monotonic() < LEAST:
            return mine.twice(own, None)
        files = dict.fromkeys((*suite.select, *(file_of(each.name) for each in failing)))
        tests = suite if suite.command else suite_of(files, self.head, suite)
        return mine.twice(own, held_against(before, self.run(self.head, tests, reverse=True).result()))

    def _contradictions(
        self,
        gone: set[str],
        after: TestRun,
        mine: Own,
        own: TestRun | None,
        old: Bodies,
        new: Bodies,
        judges: Judges,
    ) -> tuple[Contradiction, ...]:
        """Lost tests that the change did not leave alone, unless its own version of one fails as well. Where a file
        that it touches cannot be read any more as the base has it, that goes for all of its tests that pass as pushed:
        what a file does when it is read belongs to each of them."""
        failed = {result.name: result for result in after.results}
        red = {result.name for result in mine.failing(own)} if own else set[str]()
        candidates = sorted(name for name in mine.names if not old.has(name))
        unread = {result.name for result in after.failing if result.name in judges.beside}
        green = {name for name in _passing(own) if file_of(name) in unread}
        return tuple(
            contradiction(name, failed.get(name) or failed.get(file_of(name)), old, new, candidates, self.asked)
            for name in sorted(gone - red)
            if (old.has(name) and old.demands(name) != new.demands(name))
            or (is_doctest(name) and name not in failed)
            or name in green
        )


def _passing(run: TestRun | None) -> set[str]:
    return {result.name for result in run.results if result.status is TestStatus.PASSED} if run else set()


def _python(paths: Iterable[str]) -> tuple[str, ...]:
    """Those that are traced."""
    return tuple(dict.fromkeys(path for path in paths if path.endswith(".py")))[:MOST_TRACED]


def _reader(program: Program, judges: Judges) -> Callable[[str], bytes | None]:
    """What tests are made of; what they call is no part of them."""

    def read(path: str) -> bytes | None:
        if path in judges.inline:
            return only_tests(content(program, path) or b"")
        return content(program, path) if judges.is_beside(path) else None

    return read
