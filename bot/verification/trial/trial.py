"""The runs of a trial, in their order: the change's own tests and the base's, what touches them, and what is red again.

The base's tests run on the base's tree with the head's product code in it, so that nothing the change brings along has
a part in judging it. Its own tests run apart, as it was pushed.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import PurePosixPath

from bot.changes.kinds import is_test_module
from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.environments.working import judging_environment
from bot.verification.files.bodies import Bodies, is_another
from bot.verification.files.index import FileIndex
from bot.verification.files.rust_tests import only_tests
from bot.verification.patch_evidence import Contradiction, PatchEvidence, PatchFacts, Standing
from bot.verification.programs import content, source_files
from bot.verification.testing.sources import file_of, is_doctest
from bot.verification.testing.witnesses import check_replaced, lockable
from bot.verification.trial.contradictions import contradiction, of_data
from bot.verification.trial.failures import newer_name
from bot.verification.trial.node_calls import TOOLS, NodeCalls
from bot.verification.trial.of_both import end_otherwise
from bot.verification.trial.outcomes import judge_patch, lost
from bot.verification.trial.own import Own, beside, laid_over, own_files, run_twice, suite_of, turned
from bot.verification.trial.recorded_calls import calls_not_made, first_calls, tests_by_hand
from bot.verification.trial.repeats import (
    PATIENCE,
    Look,
    Repeated,
    choose_for_looks,
    enter_changed,
    looks,
    run_again,
)
from bot.verification.trial.replay import Replay
from bot.verification.trial.setup import TrialRun, TrialSetup, guard, readers, suspicions, suspicious
from bot.verification.trial.times import BASE, CALLS, HEAD, LOOKS, PUSHED, REPEATS, in_reach, level, out_of_time
from bot.verification.trial.typed_calls import OF_COMPILERS, TypedCalls
from bot.verification.values import Base, Environment, Order, Program, RecordedCall, Suite, TestResult, TestRun

MOST_BESIDE = 20  # files of tests that are its own though it leaves the files alone
MOST_TRACED = 300  # files, those that the change touches first


_Begun = Future[TestRun] | None


@dataclass(frozen=True, slots=True)
class _Reading:
    """The change as it is read. old, new: the tests of either version. suite: of the base's, as they judge it."""

    judges: FileIndex
    old: Bodies
    new: Bodies
    suite: Suite


@dataclass(frozen=True, slots=True)
class _OwnTests:
    """The change's own tests. suite: `None` where it brings none. run: on its head, on_base: on the base's code.
    as_pushed: the base's tests as the change has them. unsteady: tests that are red among all others alone."""

    tests: Own
    suite: Suite | None
    run: TestRun | None
    on_base: TestRun | None
    as_pushed: TestRun | None
    unsteady: frozenset[str]


def on_trial(
    executor: Executor,
    base: Base,
    head: Program,
    suite: Suite,
    *,
    specification: str = "",
    seconds: float = 120.0,
) -> TrialRun:
    """Run the change's own tests and the base's; say how the change stands, and by which runs. A change that passes
    all of this is *plausible*, never valid: tests cannot show that nothing is wrong.

    head: as it was pushed. suite: its environment. specification: what was asked for, by others than the author.
    """
    started = time.monotonic()
    with Pool(max_workers=2) as pool:
        tried = ChangeTrial(executor, base, head, suite, specification, started + seconds, pool).tried()
    found = judge_patch(tried.found, tried.altered)
    return replace(tried, found=replace(found, seconds=time.monotonic() - started))


@dataclass(frozen=True)
class ChangeTrial(TrialSetup):
    """The runs of one change, and what they found."""

    def tried(self) -> TrialRun:
        """All runs: its own tests and the base's first, then what only the first ones call for."""
        command = self.base.suite.command
        judges = FileIndex.of(self.base.program, self.head, command)
        base, touched = self.base, frozenset(judges.touched)
        # Tests that may read what the change puts beside them come first as well.
        there = Bodies(_reader(base.program, judges))
        more = sorted(readers(judges, there)) if base.first and not command else ()
        first = tuple(dict.fromkeys((*base.first, *more)))
        tests = replace(base.suite, first=first, watched=judges.judging)
        before = self._before(tests, touched, judges.product_files)
        if before.problem and first and not out_of_time(before):  # it may lie in files that concern nobody
            tests = replace(tests, select=first, first=())
            before = self._before(tests, touched, judges.product_files)
        judges = judges.after(before)  # it tells tests that no custom does
        entered = ((test, tuple(each for each in its if not judges.judges(each.path))) for test, its in before.entered)
        before = replace(before, entered=tuple(entered))
        own_suite = self._own_suite(judges)
        # Never beside the base's run, which the change would make late that way.
        pushed = self.run(self.head, own_suite, _traced(touched)) if own_suite else None
        of_base = replace(tests, environment=self._judging_environment(), locked=lockable(judges.judging, before))
        begun = self.run(judges.judged, of_base, share=HEAD.share)
        of_base = replace(of_base, first=())
        named = frozenset({*judges.judging, *judges.beside, *judges.inline})
        old, new = (Bodies(_reader(program, judges), named) for program in (base.program, self.head))
        as_pushed = self._as_pushed(replace(tests, locked=of_base.locked), judges, touched, own_suite, pushed)
        reading = _Reading(judges, old, new, of_base)
        own = self._own_tests(reading, before, own_suite, pushed, as_pushed)
        before, after, late = level(before, check_replaced(before, begun.result()))
        altered = frozenset(
            each.name for each in before.results if is_doctest(each.name) or is_another(old, new, each.name)
        )
        explained = altered.union(own.as_pushed.passing if own.as_pushed else ())
        sides, written = self._all_looks(judges, of_base, before, after, explained)
        found = self._found(reading, before, after, own, sides, altered)
        found = replace(
            found, unfinished=(*late, *self.left_out), written=tuple(dict.fromkeys((*found.written, *written)))
        )
        return TrialRun(self, found, old, altered, judges, of_base, own.suite)

    def _own_tests(
        self, reading: _Reading, before: TestRun, suite: Suite | None, pushed: _Begun, steered: _Begun
    ) -> _OwnTests:
        """What the change's own tests are and how they end, once all that was begun has ended."""
        run = check_replaced(before, pushed.result()) if pushed else None
        as_pushed = in_reach(before, check_replaced(before, steered.result())) if steered else None
        judges, old, new = reading.judges, reading.old, reading.new
        tests, unsteady = self._which(reading, run, before, suite), frozenset[str]()
        if as_pushed and self.base.suite.command is None:
            more = Own.of(as_pushed, before, old, new, judges.beside, whole=True)
            unsteady = frozenset(name for name, row in more.rows(own=run, as_pushed=as_pushed).items() if row.unsteady)
            if more.names - tests.names:
                files = (*(suite.select if suite else ()), *sorted(set(map(file_of, more.names)))[:MOST_BESIDE])
                tests, suite = Own(tests.names | more.names), self._suite_of(files, judges)
                run = beside(run, as_pushed, tests)
        return _OwnTests(tests, suite, run, self._on_base(tests, run, suite, judges), as_pushed, unsteady)

    def _all_looks(
        self, judges: FileIndex, tests: Suite, before: TestRun, after: TestRun, explained: frozenset[str]
    ) -> tuple[Repeated, tuple[str, ...]]:
        """The base's tests on either side, after all looks at them, and the files that judge and were written to.
        explained: tests whose loss would have another reason than broken code."""
        pairs: list[tuple[TestRun | None, TestRun]] = []
        repeat = partial(self._again, judges.judged, pairs)
        shown, again = run_again(before, after, tests, repeat), tuple[Look, ...]()
        gone = lost(shown.before, shown.after)
        if gone <= explained:  # else it is broken, whatever else shows
            again = self._looks(judges, tests, shown.before, shown.after)
            looked = run_again(shown.before, shown.after, tests, repeat, again, settled=gone)
            calls = tuple(look.head.calls for look in again)
            shown = replace(looked, unsteady=(*shown.unsteady, *looked.unsteady), calls=calls)
        problem, written = suspicions(before, [*((look.base, look.head) for look in again), *pairs])
        return replace(shown, after=replace(shown.after, problem=shown.after.problem or problem)), written

    def _found(
        self, reading: _Reading, there: TestRun, here: TestRun, own: _OwnTests, sides: Repeated, altered: frozenset[str]
    ) -> PatchEvidence:
        """there, here: the first runs of the base's tests, on the base and with the change."""
        before, after, run, judges, old = sides.before, sides.after, own.run, reading.judges, reading.old
        red = turned(own.tests, run, own.on_base, judges) if run and own.on_base else ()
        same = before.passing.keys() - altered  # which another test of their file kept from being read, or built
        red = tuple(each for each in red if each.test not in same)
        calls = (*(run.calls if run else ()), *there.calls)
        replay = self._replay(judges, after, calls)
        by_hand = Replay.of_python(self, tests_by_hand(there, calls, judges.touched), judges.touched)
        green = before.passing.keys() & after.passing.keys()
        idle, recorded = green - altered, [each for each in there.calls if each.test in green]
        tested = replay.only_while_tested() or by_hand.only_while_tested()
        only_tested, to_look_at = ((), tested) if replay.is_asked_for else (tested, ())
        # A fixture may set what the change asks for, as a terminal without colours: a person can tell.
        in_tests = () if tested else replay.only_in_their_tests(recorded, sides.calls)
        gone = lost(before, after)  # whose loss shows that something compares
        if self.suite.command and not gone:
            after = check_replaced(before, replace(after, replaced=(*after.replaced, *replay.replaces())))
        staged = {each.name for each in only_tested}
        red = tuple(replace(each, counts=each.counts and each.test not in staged) for each in red)
        apart = partial(replay.only_in_place, judges, reading.suite, idle, own.suite, {each.test for each in red})
        traced = (there, *([run] if run else []))
        not_made = partial(calls_not_made, judges.touched, traced, replay.calls, by_hand.calls)
        rows = run_twice(self, own.tests, run, own.suite, before)
        wants = {each.name: newer_name(each) for each in (run.failing if run else ())}
        failing = sorted(name for name, row in rows.items() if row.own_failing and not wants.get(name))
        at_times = {name for name, row in rows.items() if row.unsteady}
        alike = own.tests.alike(run, before, old, reading.new) if run and failing else frozenset()
        ran = (here, run, own.on_base, own.as_pushed)
        written = suspicions(there, [(None, each) for each in ran if each])[1]
        return PatchEvidence(
            Standing.OPEN,
            (),
            PatchFacts(before, after, run or after, own_base=own.on_base, as_pushed=own.as_pushed),
            own_failing=tuple(name for name in failing if name not in alike),
            alike=tuple(name for name in failing if name in alike),
            turned=red,
            without=tuple(sorted({*filter(None, wants.values())})),
            contradictions=self._contradictions(reading, gone, after, own),
            unlike=end_otherwise(self, judges, reading.suite, before, after, altered),
            written=written,
            answers=() if gone else replay.calls_answered_alone(),  # else that is said
            unmet=() if gone else replay.examples_not_met(),
            let_pass=() if gone else replay.answers_let_pass(idle),
            detours=() if gone else replay.detours(judges, sides, altered, reading.suite),
            elsewhere=() if gone else in_tests or self._elsewhere(replay, by_hand, apart, to_look_at),
            untested=() if gone else replay.answers_beside(idle),
            not_made=not_made(),
            unsteady=tuple(sorted({*sides.unsteady, *at_times, *own.unsteady})),
            only_tested=only_tested,
        )

    def _elsewhere(
        self, replay: Replay, by_hand: Replay, apart: Callable[[], tuple[str, ...]], tested: Iterable[TestResult]
    ) -> tuple[str, ...]:
        """Calls that end otherwise outside of their tests, each with both answers."""
        told = tuple(each.message.replace("E   ", "").split("\n")[0] for each in tested)
        return told or apart() or replay.only_here() or by_hand.only_here()

    def _replay(self, judges: FileIndex, after: TestRun, calls: tuple[RecordedCall, ...]) -> Replay:
        """calls: as pytest recorded them. A command's are recorded in one more run, where it is done in its share."""
        if self.suite.command is None:
            return Replay.of_python(self, calls, judges.touched)
        seconds = CALLS.share * (self.end - time.monotonic())
        node, typed = NodeCalls(self, judges, seconds), TypedCalls(self, judges, seconds)
        made, tools = (node, TOOLS) if node.sources else (typed, OF_COMPILERS)
        in_time = after.seconds < seconds
        self.left_out.update({CALLS.told: None} if (node.sources or typed.names) and not in_time else {})
        return Replay(self, first_calls(made.record() if in_time else ()), made.look, tools)

    def _before(self, suite: Suite, touched: frozenset[str], product: frozenset[str]) -> TestRun:
        """The base's tests on the base. What is traced is its own files, the same for most changes to it."""
        traced = _traced([*sorted(touched & product), *sorted(product)])
        return self.run(self.base.program, suite, traced, share=BASE.share).result()

    def _own_suite(self, judges: FileIndex) -> Suite | None:
        """The tests that the change brings or changes, on its own head; `None` where it does neither."""
        if self.suite.command is not None:
            some = judges.inline or any(judges.tests_by_custom(path) for path in judges.beside)
            return guard(self.suite, judges, judges.judging, self._there) if some else None
        return self._suite_of(own_files(judges), judges)

    def _suite_of(self, files: Iterable[str], judges: FileIndex) -> Suite | None:
        """Tests of these files on its own head; `None` where it has none of them."""
        suite = suite_of(dict.fromkeys(files), self.head, self.suite)
        return guard(suite, judges, judges.judging, self._there) if suite.select else None

    @cached_property
    def _there(self) -> frozenset[str]:
        """The files of the head."""
        return frozenset({*source_files(self.head.tree), *self.head.files})

    def _which(self, reading: _Reading, own: TestRun | None, before: TestRun, suite: Suite | None) -> Own:
        """Which of the tests that ran on the head are its own."""
        if own is None or suite is None:
            return Own(frozenset())
        judges = reading.judges
        if suite.command is not None:
            named = filter(judges.tests_by_custom, judges.beside)
            return Own.of_command(own, before, suite.command, reading.new, {*named, *judges.inline})
        return Own.of(own, before, reading.old, reading.new, suite.select)

    def _judging_environment(self) -> Environment:
        """Where the base's tests judge. A command's tools would else be those that the head had installed."""
        base, own = self.base.suite, self.suite.environment
        return judging_environment(base.environment, own, by_command=True) if base.command else own

    def _as_pushed(
        self, tests: Suite, judges: FileIndex, touched: frozenset[str], own: Suite | None, pushed: _Begun
    ) -> _Begun:
        """The same tests where the head's own files and packages steer, and the files that it adds to them. pushed: the
        change's own tests, which are the same run where a command runs all."""
        if self.base.suite.command and pushed:
            return pushed
        rest = judges.beside - set(own.select if own else ())
        if not rest and self._judging_environment() == self.suite.environment:
            return None
        there = [each for each in tests.select if self._has(file_of(each))]
        if tests.select and self.suite.command is None:
            known = {file_of(each) for each in there}
            new = (path for path in sorted(judges.beside) if is_test_module(path) and self._has(path))
            # Before version 8 pytest runs what is named beside its folder twice.
            there += [path for path in new if not any(map(PurePosixPath(path).is_relative_to, known))]
            if not there:
                return None
        suite = replace(self.suite, select=tuple(there), first=tests.first, files={})
        suite = guard(suite, judges, tests.watched, self._there)
        suite = replace(suite, locked=suite.locked | (tests.locked & suite.watched))
        return self.run(self.head, suite, _traced(touched), share=PUSHED.share)

    def _has(self, path: str) -> bool:
        """Whether the head has a file or a folder there."""
        return content(self.head, path) is not None or (self.head.tree is not None and (self.head.tree / path).is_dir())

    def _looks(self, judges: FileIndex, tests: Suite, before: TestRun, after: TestRun) -> tuple[Look, ...]:
        """More looks at what is green with the change, where it touches product code and there is time for them."""
        if not judges.touched or after.problem or not self.has_time_for(LOOKS):
            return ()
        names = choose_for_looks(before, after, judges.touched, whole=tests.command is not None)

        def look(program: Program, some: Suite, seed: int) -> Future[TestRun]:
            order = replace(_traced(judges.touched), seed=seed, anew=True)
            return self.run(program, some, order, most=PATIENCE, repeats=True)

        return looks(
            names,
            tests,
            lambda asked: [each.result() for each in [look(judges.judged, *some) for some in asked]],
            lambda some, seed: look(self.base.program, some, seed).result(),
            partial(suspicious, before),
            enter_changed(before, judges.touched),
        )

    def _again(
        self, judged: Program, pairs: list[tuple[TestRun | None, TestRun]], tests: Suite, order: Order
    ) -> tuple[TestRun, TestRun] | None:
        """One more run on both sides, where there is time for it. pairs: where both are noted."""
        if not self.has_time_for(REPEATS):
            return None
        sides = (self.base.program, judged)
        there, here = (self.run(program, tests, order, repeats=True) for program in sides)
        pairs.append((there.result(), here.result()))
        return there.result(), here.result()

    def _on_base(self, tests: Own, own: TestRun | None, suite: Suite | None, judges: FileIndex) -> TestRun | None:
        """The change's own tests on the base's code; only where one of them passes with the change."""
        if own is None or suite is None or not tests.passing(own):
            return None
        return self.run(self.base.program, replace(suite, files={**laid_over(judges), **suite.files})).result()

    def _contradictions(
        self, reading: _Reading, gone: set[str], after: TestRun, of_its_own: _OwnTests
    ) -> tuple[Contradiction, ...]:
        """Lost tests that the change did not leave alone, unless its own version of one fails as well. Where a file
        that it touches cannot be read any more as the base has it, that goes for all of its tests that pass as pushed:
        what a file does when it is read belongs to each of them. And where it takes files of tests away, that goes for
        those that are not there as pushed: data may have made them."""
        old, new, tests, own = reading.old, reading.new, of_its_own.tests, of_its_own.run
        pushed, changed = of_its_own.as_pushed, reading.judges.changed
        fewer = pushed and not pushed.problem and any(changed[path][1] is None for path in reading.judges.beside)
        there = {result.name for result in pushed.results} if pushed and fewer else gone
        failed = {result.name: result for result in after.results}
        red = {result.name for result in tests.failing(own)} if own else set[str]()
        candidates = sorted(name for name in tests.names if not old.has(name))
        unread = {result.name for result in after.failing if result.name in reading.judges.beside}
        green = {name for name in (own.passing if own else ()) if file_of(name) in unread}
        by_data = {each.test: each for each in of_data(reading.judges, gone - red, after, pushed, self.asked)}
        return *by_data.values(), *(
            contradiction(
                *(name, failed.get(name) or failed.get(file_of(name)), old, new, candidates, self.asked),
                there=name in there,
            )
            for name in sorted(gone - red - by_data.keys())
            if (old.has(name) and old.demands(name) != new.demands(name))
            or (is_doctest(name) and name not in failed)
            or name in green
            or name not in there
        )


def _traced(paths: Iterable[str]) -> Order:
    """The order that tells what tests enter of these files."""
    python = dict.fromkeys(path for path in paths if path.endswith(".py"))
    return Order(trace=frozenset([*python][:MOST_TRACED]))


def _reader(program: Program, judges: FileIndex) -> Callable[[str], bytes | None]:
    """What tests are made of; what they call is no part of them."""

    def read(path: str) -> bytes | None:
        if path in judges.inline:
            return only_tests(content(program, path) or b"")
        return content(program, path) if judges.judges(path) else None

    return read
