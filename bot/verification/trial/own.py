"""The change's own tests: those that it brings or changes, on the head as it was pushed and on the base's code."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from bot.verification.files.bodies import Bodies, is_another
from bot.verification.files.code_of_tests import defines_tests
from bot.verification.files.index import FileIndex
from bot.verification.files.rust_tests import with_tests_of
from bot.verification.patch_evidence import Red, Turned
from bot.verification.programs import content, functions_around_changes
from bot.verification.syntax import Function, lets_more_in
from bot.verification.testing.sources import file_of, function_of
from bot.verification.testing.tools import command_name
from bot.verification.testing.witnesses import check_replaced
from bot.verification.trial.failures import complaints, failure_of, failure_of_command, gist, sees_behaviour
from bot.verification.trial.outcomes import Row, table
from bot.verification.trial.setup import TrialSetup
from bot.verification.trial.times import OWN_REPEATS, out_of_time
from bot.verification.values import BAD, Order, Program, Suite, TestResult, TestRun, TestStatus


def own_files(judges: FileIndex) -> tuple[str, ...]:
    """The files of tests that a change brings or changes, as far as pytest looks into them: others show where all are
    run."""
    found = ((path, judges.changed[path][1]) for path in judges.changed if judges.is_collected_by_name(path))
    return tuple(path for path, after in found if after is not None and defines_tests(path, after))


@dataclass(frozen=True)
class Own:
    """names: the tests of a run on the head that are the change's own."""

    names: frozenset[str]

    @classmethod
    def of(
        cls, run: TestRun, base: TestRun, old: Bodies, new: Bodies, files: Container[str], *, whole: bool = False
    ) -> "Own":
        """Those that the base has not, or has in other words: of these files, and where the run is of all tests as they
        were pushed (`whole`), wherever that comes from, as a new case in a file of data, a changed helper, other names
        for test files. A test that stands in both unchanged is the base's, and so are its cases, except those that only
        the head has. What is red on the base already is none, and where a run of all did not come to its end, nobody
        can say what is new. A file that cannot be read on the head alone is its own as well."""
        if whole and (run.problem or base.problem):
            return cls(frozenset())
        before = {*(result.name for result in base.results), *base.late}
        red = {each for result in base.failing for each in (result.name, function_of(result.name))}
        altered = partial(is_another, old, new)

        def fresh(result: TestResult) -> bool:
            name = result.name
            if "::" not in name:  # a file that cannot be read
                there = name in files or any(altered(each) for each in before if file_of(each) == name)
                return there and name not in red
            if altered(name):
                return name not in red or result.status is TestStatus.PASSED
            if name in before or {function_of(name), file_of(name)} & red:
                return False
            return not old.has(name) or _new_case(name, before)

        return cls(
            frozenset(each.name for each in run.results if (whole or file_of(each.name) in files) and fresh(each))
        )

    @classmethod
    def of_command(
        cls, run: TestRun, base: TestRun, command: tuple[str, ...], new: Bodies, files: Container[str]
    ) -> "Own":
        """Those of a command's run: the command as a whole, what it names that the base's run does not, and the tests
        of files that it changes, except for those that fail on either side. files: the changed ones that have tests."""
        before, whole = {result.name for result in base.results}, command_name(command)
        red = {result.name for result in base.failing}

        def fresh(result: TestResult) -> bool:
            if result.name not in before:
                return True
            kept_red = result.name in red and result.status in BAD
            return not kept_red and any(path in files for path in new.files(result.name))

        return cls(frozenset(result.name for result in run.results if fresh(result)) | {whole})

    def less(self, base: TestRun) -> "Own":
        """Without those that are red on the base already, or of which another case is: they say nothing of the change,
        whatever it made of them."""
        red = {each for result in base.failing for each in (result.name, function_of(result.name))}
        return Own(frozenset(name for name in self.names if not {name, function_of(name)} & red))

    def alike(self, run: TestRun, base: TestRun, old: Bodies, new: Bodies) -> frozenset[str]:
        """Those that fail as others do on the base, by what they say was raised, and those that the base has where its
        run did not come to them, what a plugin says of a file among them: of these nobody can say whose doing it is."""
        there = frozenset[str]().union(*(complaints(result.message) for result in base.failing))
        known = {function_of(result.name) for result in base.results}
        short = out_of_time(base) or bool(base.late)
        return frozenset(
            result.name
            for result in self.failing(run)
            if complaints(result.message) & there
            or (short and function_of(result.name) not in known and (old.has(result.name) or not new.has(result.name)))
        )

    def failing(self, run: TestRun) -> tuple[TestResult, ...]:
        """Those of them that speak against the head."""
        return tuple(result for result in run.failing if result.name in self.names)

    def rows(self, **runs: TestRun | None) -> Mapping[str, Row]:
        """Theirs, of the table of these runs."""
        return {name: row for name, row in table(**runs).items() if name in self.names}

    def passing(self, run: TestRun) -> frozenset[str]:
        """Those that pass on it."""
        return self.names & run.passing.keys()


def beside(own: TestRun | None, pushed: TestRun, tests: Own) -> TestRun:
    """The run of its own tests, with those of the run of all tests as they were pushed. own: `None` where it brings no
    file of tests."""
    known = {result.name for result in own.results} if own else set[str]()
    more = tests.names - known
    start = own or replace(pushed, results=(), seconds=0.0, entered=())
    return replace(
        start,
        results=(*start.results, *(result for result in pushed.results if result.name in more)),
        entered=(*start.entered, *(each for each in pushed.entered if each[0] in more)),
    )


def laid_over(judges: FileIndex) -> dict[str, bytes]:
    """The files of the head's that its own tests need on the base's code: tests, fixtures, data, settings."""
    texts = {path: judges.changed[path][1] for path in sorted(judges.beside)}
    for path in sorted(judges.inline):
        texts[path] = with_tests_of(judges.changed[path][1] or b"", judges.changed[path][0] or b"")
    return {path: text for path, text in texts.items() if text is not None}


def turned(tests: Own, own: TestRun, base: TestRun, judges: FileIndex) -> tuple[Turned, ...]:
    """Own tests that are red on the base's code and green on the head. own: their run on the head, traced; base: that
    on the base's code. A test counts where it is red for what the code does, and runs what the change touches."""
    if base.unavailable:
        return ()
    bad = {result.name: result for result in base.failing}
    runs, changed, found = _runs_changed(judges, own), judges.touched.__contains__, list[Turned]()
    for name in sorted(tests.passing(own)):
        result = bad.get(name) or bad.get(file_of(name))
        if result is None:
            continue
        if judges.command:
            red = failure_of_command(result)
            counts = red is Red.ASSERTION
        else:
            red = failure_of(result, changed)
            counts = (sees_behaviour(result, changed) or _is_refused(result, judges)) and runs(name)
        found.append(Turned(name, red, gist(result), counts))
    return tuple(found)


def _is_refused(result: TestResult, judges: FileIndex) -> bool:
    """Whether it fails for a call that a function refuses on the base, and of that function nothing changes but that it
    takes more, without a value at which anybody could look: it gives none."""
    error, _, says = gist(result).partition(": ")
    called, _, refused = says.partition("() ")
    function = called.rpartition(".")[2]
    files = (both for path, both in judges.touched.items() if path.endswith(".py") and None not in both)
    return (
        error == "TypeError"
        and refused.startswith(("takes ", "got an unexpected keyword "))
        and any(lets_more_in(function, old or b"", new or b"") for old, new in files)
    )


def _runs_changed(judges: FileIndex, own: TestRun) -> Callable[[str], bool]:
    """Which tests run changed lines, as their run on the head told. Lines outside of all functions run when their file
    is imported, and so does what is no Python, for all that is known."""
    entered, functions, outside = dict(own.entered), set[Function | None](), set[str]()
    for path, (before, after) in judges.touched.items():
        around = functions_around_changes(path, after, before) if path.endswith(".py") else {None}
        functions |= around - {None}
        outside |= {path} if None in around else set()
    python = any(path.endswith(".py") for path in outside)

    def changed(test: str) -> bool:
        if not functions.isdisjoint(entered.get(test, ())):
            return True
        return bool(judges.head.reached_from([file_of(test)]) & outside) if python else bool(outside)

    return changed


def suite_of(own: Iterable[str], head: Program, suite: Suite) -> Suite:
    """The head's own tests as they were pushed."""
    files = {path: text for path in own if (text := content(head, path)) is not None}
    return replace(suite, files=files, select=tuple(files), ignore=frozenset())


def _new_case(name: str, before: set[str]) -> bool:
    return name not in before and "[" in name and any(each.startswith(f"{function_of(name)}[") for each in before)


def run_twice(
    trial: TrialSetup, tests: Own, own: TestRun | None, suite: Suite | None, before: TestRun
) -> Mapping[str, Row]:
    """Its own tests with how they end on its own head, and what is red there once more."""
    if own is None or suite is None:
        return {}
    tests = tests if suite.command else tests.less(before)  # a command as a whole is red and green at once
    failing, again = tests.failing(own), None
    if failing and trial.has_time_for(OWN_REPEATS):
        files = dict.fromkeys((*suite.select, *(file_of(each.name) for each in failing)))
        asked = suite if suite.command else suite_of(files, trial.head, suite)
        again = check_replaced(before, trial.run(trial.head, asked, Order(reverse=True)).result())
    return tests.rows(own=own, again=None if again and again.problem else again)
