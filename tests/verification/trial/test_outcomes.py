"""The table of what ran and what its rows say; which tests are the change's own, and what time ends."""

from dataclasses import replace

import pytest

from bot.verification.files.bodies import Bodies
from bot.verification.patch_evidence import PatchFacts, Red
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.trial.failures import failure_of, failure_of_command, newer_name, sees_behaviour
from bot.verification.trial.outcomes import Row, both, failures, lost, table
from bot.verification.trial.own import Own
from bot.verification.trial.times import spent_by_base
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.support.cases import cases

FINDINGS = ("disagrees", "repaired", "own_failing", "unsteady")


def run(problem: str = "", **statuses: str) -> TestRun:
    results = tuple(TestResult(name, TestStatus(status)) for name, status in statuses.items())
    return TestRun(results, 1.0, problem)


@cases
def test_what_a_row_says(row: Row, says: frozenset[str]) -> None:
    found = {"lost"} if row.lost() else set[str]()
    assert found | {each for each in FINDINGS if getattr(row, each)} == says


@cases
def test_what_ends_otherwise_by_the_changes_own_settings(row: Row, unlike: bool) -> None:
    assert row.unlike is unlike


@cases
def test_what_two_runs_lose(base: dict[str, str], head: dict[str, str], gone: frozenset[str]) -> None:
    before, after = run(**base), run(**head)
    assert lost(before, after) == gone
    # Of a run that broke off only what really failed counts.
    failed = gone & {each.name for each in after.failing}
    assert lost(before, replace(after, problem="It broke off.")) == set(failures(before, after)) == failed


def test_a_row_has_what_each_run_says_of_its_test() -> None:
    rows = table(base=run(a="passed", b="failed"), head=run(b="passed"), as_pushed=None)
    assert rows == {"a": Row(base=TestStatus.PASSED), "b": Row(base=TestStatus.FAILED, head=TestStatus.PASSED)}


def test_a_test_that_disagrees_with_itself_is_flaky_and_neither_passes_nor_fails() -> None:
    joined = both(
        run(sure="passed", shaky="passed", sad="failed", worse="failed", lost="passed"),
        run(sure="passed", shaky="failed", sad="passed", worse="timeout"),
    )
    statuses = {result.name: result.status.value for result in joined.results}
    assert statuses == {"sure": "passed", "shaky": "flaky", "sad": "flaky", "worse": "failed", "lost": "flaky"}
    assert [result.name for result in joined.failing] == ["worse"]
    assert joined.results[1].message == "passed first, then failed in another order"
    assert joined.seconds == 2.0
    assert not both(run(a="passed"), run(a="failed")).passed


def test_a_problem_of_the_second_run_is_one_of_both() -> None:
    joined = both(run(a="passed"), run("the report is forged: x"))
    assert joined.problem == "the report is forged: x"
    assert joined.results[0].status is TestStatus.PASSED


def timed(tests: int, seconds: float, *, cut: bool = True) -> TestRun:
    """So many tests that take equally long, ended by its time or not."""
    results = tuple(TestResult(f"test_{at}", TestStatus.PASSED, "", seconds / max(tests, 1)) for at in range(tests))
    return TestRun(results, seconds, problem=TIME_OUT if cut else "")


OWN = timed(1, 0.1, cut=False)


@pytest.mark.parametrize(
    ("base", "head", "own", "by_base"),
    [
        (timed(100, 120), timed(90, 110), OWN, True),
        (timed(100, 120, cut=False), timed(40, 60), OWN, True),
        (timed(100, 120), timed(1, 110), OWN, False),  # a head that stops at its first test
        (timed(100, 120, cut=False), timed(1, 60), OWN, False),
        (timed(100, 120), timed(0, 2), OWN, True),  # it had no time at all
        (timed(100, 120), timed(90, 110), timed(10, 70, cut=False), False),  # its own tests took the time
        (timed(100, 120, cut=False), timed(100, 130), OWN, False),
    ],
)
def test_time_is_spent_by_the_base_where_its_head_keeps_up(
    base: TestRun, head: TestRun, own: TestRun, by_base: bool
) -> None:
    assert spent_by_base(PatchFacts(base, head, own)) is by_base


HERE = "tests/test_a.py"


@cases
def test_how_a_test_is_red(message: str, red: Red, sees: bool) -> None:
    found = TestResult(f"{HERE}::test_f", TestStatus.FAILED, message)
    assert failure_of(found, {"a.py"}.__contains__) is red
    assert sees_behaviour(found, {"a.py"}.__contains__) is sees


def test_a_file_that_cannot_be_collected_says_nothing_of_behaviour() -> None:
    said = (
        f"{HERE}:1: in <module>\na.py:3: in <module>\nE   ImportError: cannot import name 'third' from 'b' (/src/b.py)"
    )
    assert not sees_behaviour(TestResult(HERE, TestStatus.ERROR, said), {"a.py"}.__contains__)


@cases
def test_what_a_command_misses(message: str) -> None:
    assert failure_of_command(TestResult("t.js::third", TestStatus.FAILED, message)) is Red.ERROR


@cases
def test_what_a_newer_python_has_is_no_failure_of_the_change(test: str, message: str, name: str) -> None:
    assert newer_name(TestResult(test, TestStatus.FAILED, message)) == name


def ran(**ends: str) -> TestRun:
    return TestRun(tuple(TestResult(f"t.py::{name}", TestStatus(end), seconds=0.1) for name, end in ends.items()), 0.1)


GREEN, RED = ran(a="passed", b="passed"), ran(a="failed", b="passed")
OF = frozenset({"t.py::a", "t.py::b"})
THERE = "t.py:3: in test_b\nE   HallWarning: Passing 3 of /a/b has been deprecated.\n"


@pytest.mark.parametrize(
    ("message", "base", "alike"),
    [
        (THERE.replace("3", "4").replace("/a/b", "/c"), ran(c="failed"), True),
        ("E   socket.gaierror: no such name is known", ran(c="failed"), True),
        ("E   HallWarning: something else is gone", ran(c="failed"), False),
        ("E   AssertionError: the same sum as ever", ran(c="failed"), False),
        (THERE, GREEN, False),
        ("E   assert 1 == 2", replace(ran(b="passed"), problem="the time ran out"), True),
        ("E   assert 1 == 2", replace(ran(b="passed"), late=("t.py::d",)), True),
        ("E   assert 1 == 2", replace(GREEN, late=("t.py::d",)), False),
    ],
)
def test_nobody_can_say_of_what_fails_as_the_base_does(message: str, base: TestRun, alike: bool) -> None:
    says = f"{THERE}E   socket.gaierror: no such name is known\nE   AssertionError: the same sum as ever"
    said = tuple(replace(each, message=says) for each in base.results)
    own = TestRun((TestResult("t.py::a", TestStatus.FAILED, message, 0.1),), 0.1)
    old = Bodies({"t.py": b"def a(): pass\n"}.get)
    assert Own(OF).alike(own, replace(base, results=said), old, old) == ({"t.py::a"} if alike else set())


@pytest.mark.parametrize(("name", "alike"), [("t.py::mypy", True), ("t.py::new", False), ("t.py::a", True)])
@pytest.mark.parametrize("short", [True, False])
def test_nobody_can_say_of_what_a_plugin_says_of_a_file_where_the_base_was_not_asked(
    name: str, alike: bool, short: bool
) -> None:
    own = TestRun((TestResult(name, TestStatus.FAILED, "E   error: no such name", 0.1),), 0.1)
    old, new = (Bodies({"t.py": text}.get) for text in (b"def a(): pass\n", b"def a(): pass\ndef new(): pass\n"))
    base = replace(ran(b="passed"), problem="the time ran out" if short else "")
    assert bool(Own(frozenset({name})).alike(own, base, old, new)) is (alike and short)


def test_what_is_red_on_the_base_already_does_not_speak_against_the_change() -> None:
    names = ("t.py::a", "t.py::b[1]", "t.py::b[2]", "t.py::c")
    base = TestRun((TestResult("t.py::a", TestStatus.FAILED), TestResult("t.py::b[1]", TestStatus.ERROR)), 0.1)
    assert Own(frozenset(names)).less(base).names == {"t.py::c"}


def test_what_is_its_own_among_all_tests_as_they_were_pushed() -> None:
    def told(**ends: str) -> TestRun:
        names = (
            (name.replace("__", "::").replace("_1", "[1]").replace("_2", "[2]"), end) for name, end in ends.items()
        )
        return TestRun(tuple(TestResult(f"t.py{name}", TestStatus(end)) for name, end in names), 0.1)

    base = (
        "import tool\n\n\ndef test_a(): tool.f()\n\n\ndef test_b(): pass\n\n\n"
        "def test_c(): pass\n\n\ndef test_d(): tool.f()\n"
    )
    files = {"t.py": base.encode(), "tool.py": b"def f(): pass\n"}
    old, new = Bodies(files.get), Bodies({**files, "tool.py": b"def f(): assert False\n"}.get)
    before = told(__test_a="passed", __test_b_1="passed", __test_c_1="failed", __test_d="failed")
    pushed = told(
        **{"__test_a": "failed"},  # through a helper
        **{"__test_b_1": "failed"},  # left alone
        **{"__test_b_2": "failed"},  # a new case
        **{"__test_c_2": "failed"},  # one of a test that is red without it
        **{"__test_d": "failed"},  # red without it
        **{"__test_e": "failed"},  # new
    )
    mine = Own.of(pushed, before, old, new, (), whole=True)
    assert mine.names == {"t.py::test_a", "t.py::test_b[2]", "t.py::test_e"}
    assert Own.of(pushed, replace(before, problem="It broke off."), old, new, (), whole=True).names == set()
    rows = mine.rows(own=told(__test_a="passed", __test_e="failed"), as_pushed=pushed)
    assert {name for name, row in rows.items() if row.unsteady} == {"t.py::test_a"}
    unread = TestRun((TestResult("new.py", TestStatus.ERROR), TestResult("tests", TestStatus.ERROR)), 0.1)
    assert Own.of(unread, before, old, new, {"new.py"}, whole=True).names == {"new.py"}


def test_all_tests_of_a_changed_file_are_its_own_where_a_command_runs_them() -> None:
    def told(*names: str, red: tuple[str, ...] = ()) -> TestRun:
        ends = ((name, TestStatus.FAILED if name in red else TestStatus.PASSED) for name in names)
        return TestRun(tuple(TestResult(name, end) for name, end in ends), 0.1)

    names = ("t/a.js::one", "t/a.js::two", "t/b.js::one", "shop.dev/m/kit::TestPot", "shop.dev/m/kit::TestCup/small")
    before = told(*names, red=("t/a.js::two",))
    files = {"t/a.js": b"new", "kit/kit_test.go": b"package kit\nfunc TestCup(t *testing.T) {}\n"}
    new = Bodies(files.get, frozenset(files))
    mine = Own.of_command(told(*names, "t/a.js::new", red=names[:2]), before, ("npm", "test"), new, files)
    # Red on either side, nobody knows that it was changed.
    assert mine.names == {"npm test", "t/a.js::one", "t/a.js::new", "shop.dev/m/kit::TestCup/small"}
    now = Own.of_command(told(*names), before, ("npm", "test"), new, files)
    assert "t/a.js::two" in now.names
    crate = {"src/parser.rs": b"proptest! { #[test] fn all(x in 0..9) {} }"}
    ran = told("src/lib.rs::parser::tests::all")
    of_macro = Own.of_command(ran, ran, ("cargo", "test"), Bodies(crate.get, frozenset(crate)), crate)
    assert "src/lib.rs::parser::tests::all" in of_macro.names


def test_a_file_of_tests_that_cannot_be_read_on_its_own_head_is_its_own() -> None:
    unread = TestRun((TestResult("new.py", TestStatus.ERROR), TestResult("old.py", TestStatus.ERROR)), 0.1)
    before = TestRun((TestResult("old.py", TestStatus.ERROR),), 0.1)
    none = Bodies({}.get)
    assert Own.of(unread, before, none, none, ["new.py", "old.py"]).names == {"new.py"}
