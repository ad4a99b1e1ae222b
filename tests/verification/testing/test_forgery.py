"""No program is reported as passed because it says so; plain assertions are asked alone, and canaries fail."""

import ast
import json
import unittest
from collections import deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.judges.code import Interface
from bot.sandbox.protocol import Executor
from bot.verification.calls.canonical import canonical
from bot.verification.testing.assertions import PlainAssertion, contradiction, plain_assertions, value_of
from bot.verification.testing.inside.session import CANARIES
from bot.verification.testing.run import run_suite
from bot.verification.values import Ending, Observed, Program, Suite, TestRun
from tests.support.cases import cases, table
from tests.support.lengths import EVERY_TRICK
from tests.support.sandbox import BUBBLEWRAP, EXECUTORS, Watched
from tests.verification.testing.forgers import BESIDE, SINGLE, WRONG

TESTS = table(dict[str, bytes], __file__, "TESTS")
ALONE = "the report is forged: asked alone, the program does not give what line 5 asserts"
SAID = {
    "leaves with status 0 when called": "",
    "leaves through pytest.exit": "",
    "lets a child report": "the report is forged: another process reported in its place",
    "replaces a built-in": "the report is forged: the program replaced builtins.abs",
    "returns what equals everything": ALONE,
    "replaces the tests in memory": "the report is forged: the program replaced the body of a test",
    "turns failures into passes by a plugin": "the report is forged: the program replaced the hook "
    "pytest_runtest_makereport",
    "writes to whatever is open": "the report is forged: something else wrote to the report",
    "kills its parent": "the run ended without its report: exit status 137",
}
RIGHT = b"def add(a, b):\n    return a + b\n"


def run(executor: Executor, files: dict[str, bytes], tests: dict[str, bytes] = TESTS) -> TestRun:
    return run_suite(executor, Program(None, files), Suite(tests, test_seconds=15), seconds=600)


# What happens inside one process is the same everywhere; these reach for what is around it.
OUTWARDS = table(tuple[str, ...], __file__, "OUTWARDS")
# One for each way in which they are found out; each names those it stands for.
STANDING = table(tuple[str, ...], __file__, "STANDING")
FORGERS = [(BUBBLEWRAP, forger) for forger in (SINGLE if EVERY_TRICK else STANDING)] + [
    (executor, forger)
    for executor in EXECUTORS[1:]
    for forger in OUTWARDS
    if EVERY_TRICK or forger == "lets a child report"
]
TOGETHER = "all of it"
LYING_BESIDE = {TOGETHER: {path: text for files in BESIDE.values() for path, text in files.items()}}
# Copies of the plan that the supervisor was given, and what can be read of the supervisor itself.
READS = table(bytes, __file__, "READS")
READING = b"""from solution import plans, supervisor
def test_plans(): assert not any(plans())
def test_supervisor():
    seen = supervisor()  # no plain assertion: alone, it has another parent
    assert seen == []
"""


@pytest.mark.parametrize("executor", EXECUTORS, ids=lambda executor: executor.name)
def test_an_honest_program_passes_the_same_tests_and_the_plan_cannot_be_read(executor: Executor) -> None:
    result = run(executor, {"solution.py": RIGHT + READS}, {**TESTS, "test_reading.py": READING})
    assert result.problem == ""
    assert result.passed, result
    assert len(result.results) == 5


@pytest.mark.parametrize(("executor", "forger"), FORGERS, ids=lambda value: getattr(value, "name", value))
def test_a_forger_does_not_pass(executor: Executor, forger: str) -> None:
    result = run(executor, {"solution.py": SINGLE[forger].encode()})
    assert not (result.passed or result.unavailable), result
    assert result.problem or result.failing
    if forger in SAID:
        assert result.problem == SAID[forger]


def test_a_runner_that_was_made_mute_is_not_asked_again_and_again() -> None:
    executor = Watched(BUBBLEWRAP)
    forger = "replaces pytest.main and the runner"
    assert "_pytest.runner.call_and_report" in run(executor, {"solution.py": SINGLE[forger].encode()}).replaced
    assert len(json.loads(executor.outcomes[0].stdout.partition(b" ")[2])[0]["sessions"]) == 1


@pytest.mark.parametrize("forger", ["raises SystemExit(0) on import", "skips the test"][0 if EVERY_TRICK else 1 :])
def test_a_forger_does_not_pass_a_script(forger: str) -> None:
    tests = {"check.py": b"from solution import add\nassert add(1, 2) == 3\n"}
    assert not run(BUBBLEWRAP, {"solution.py": SINGLE[forger].encode()}, tests).passed


@pytest.mark.parametrize("beside", BESIDE if EVERY_TRICK else LYING_BESIDE)
def test_files_beside_a_program_steer_nothing(tmp_path: Path, beside: str) -> None:
    """Neither beside a single one, nor in a change of a repository."""
    (tmp_path / "solution.py").write_bytes(RIGHT)
    (tmp_path / "conftest.py").write_text("")
    files = {"solution.py": WRONG.encode(), **{**BESIDE, **LYING_BESIDE}[beside]}
    alone = run(BUBBLEWRAP, files)
    changed = run_suite(BUBBLEWRAP, Program(tmp_path, files), Suite(TESTS, select=tuple(TESTS)), seconds=600)
    for result in (alone, changed):
        assert (result.problem, [found.name for found in result.failing]) == (
            "",
            ["test_it.py::test_sum", "test_it.py::test_loop", "test_it.py::TestUnit::test_unit"],
        )


NAMES = Interface("solution", ("f(x)", "g(x)"))


def found_in(source: str) -> list[PlainAssertion]:
    return list(plain_assertions(source, NAMES))


@cases
def test_what_is_plain(source: str, found: list[tuple[str, str, int]]) -> None:
    assert [(each.call, each.expected, each.line) for each in found_in(source)] == found


LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(LITERALS, LITERALS)
def test_literals_survive(argument: object, expected: object) -> None:
    (found,) = found_in(f"assert f({argument!r}) == {expected!r}")
    call = ast.parse(found.call, mode="eval").body
    assert isinstance(call, ast.Call)
    assert ast.literal_eval(call.args[0]) == argument
    assert contradiction([found], [Observed(Ending.RETURNED, canonical(expected))]) == ""


@given(st.text(max_size=200) | LITERALS.map(canonical))
def test_no_text_raises(text: str) -> None:
    found_in(text)
    value_of(text)


@cases
def test_a_pass_must_hold_where_the_program_does_not_know_the_answer(
    expected: str, seen: list[Observed], believed: bool
) -> None:
    found = contradiction([PlainAssertion("f(1)", expected, 4)], seen)
    assert found == ("" if believed else "asked alone, the program does not give what line 4 asserts")


@pytest.mark.parametrize(
    "value", [Decimal(3) / 4, Fraction(3, 4), frozenset((1,)), {1: float("inf")}, 1e400j, deque([()])]
)
def test_values_that_equal_literals_survive_being_written_down(value: object) -> None:
    assert value_of(canonical(value)) == value


OF_UNITTEST = [body for _, body in CANARIES if "unittest" in body]


def fail(body: str) -> None:
    names: dict[str, object] = {}
    body = body.replace("left", "3").replace("right", "4")
    exec(f"def canary():\n import pytest, unittest\n {body}\ncanary()", names)


@pytest.mark.parametrize("body", OF_UNITTEST)
def test_it_fails_unless_what_it_asks_looks_at_nothing(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError):
        fail(body)
    for name in ("assertEqual", "assertTrue"):
        monkeypatch.setattr(unittest.TestCase, name, lambda *_, **__: None)
    fail(body)


def test_what_fails_is_shown_without_parsing_its_file_and_pytest_stays_as_it_was() -> None:
    tests = b"""\
from _pytest._code import code

class Says(Exception):
    def __str__(self):
        return code.getstatementrange_ast.__name__

def test_shown():
    raise (
        Says())

def test_as_it_was():
    assert code.getstatementrange_ast.__module__ == "_pytest._code.source"
"""
    run = run_suite(BUBBLEWRAP, Program(None, {}), Suite({"test_shown.py": tests}))
    shown = "test_shown.py:8: in test_shown\n    raise (\nE   test_shown.Says: ends_here"
    assert [(each.name.partition("::")[2], each.message) for each in run.results] == [
        ("test_shown", shown),
        ("test_as_it_was", ""),
    ]
