"""What keeps tests from running or from failing is taken away, and a condition is left alone."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.trial.bodies import Bodies
from bot.verification.trial.silenced import silenced, without_silence
from bot.verification.values import Program, TestResult, TestRun, TestStatus
from tests.support.cases import cases

BODY = "    assert f() == 1\n"


@cases
def test_what_silences_a_test_whatever_the_case_is_taken_away(before: str, after: str) -> None:
    assert without_silence(before.encode()).decode() == after


@cases
def test_conditions_and_all_else_stay(source: str) -> None:
    assert without_silence(source.encode()) == source.encode()


@cases
def test_what_the_base_silences_stays_so(before: str, source: str) -> None:
    assert without_silence(source.encode(), [before.encode()]) == source.encode()
    assert without_silence(source.encode()) != source.encode()


@pytest.mark.parametrize(("problem", "found"), [("", 1), ("the time ran out", 0)])
def test_where_time_ended_nobody_knows_why_a_test_is_missing(problem: str, found: int) -> None:
    text = f"@mark.skip\ndef test_a():\n{BODY}".encode()
    red = TestRun((TestResult("t.py::test_a", TestStatus.FAILED, "t.py:3: in test_a\nE   assert 2 == 1", 0.1),), 0.1)
    head, own = Program(None, {"t.py": text}), TestRun((), 0.1, problem)
    changed, old = {"t.py": (None, text)}, Bodies(lambda path: None)
    assert len(silenced(own, head, changed, old, ["t.py"], lambda files, reverse: red)) == found
    assert silenced(own, head, changed, old, ["t.py"], lambda files, reverse: TestRun((), 0.1)) == ()  # it passes
    assert silenced(own, head, changed, old, ["t.py"], lambda files, reverse: own if reverse else red) == ()  # once
    there = Bodies({"t.py": b"def test_a(): pass\n"}.get)
    assert silenced(own, head, changed, there, ["t.py"], lambda files, reverse: red) == ()  # the base has it


@given(st.text(st.sampled_from("é\t \n#'\"@()ab=,")), st.sampled_from(["@pytest.mark.skip('é')", "@a.xfail"]))
def test_what_is_left_can_be_read_and_every_line_keeps_its_number(said: str, mark: str) -> None:
    source = f"x = {said!r}\n{mark}\ndef test_a():\n    return\n    assert x == 'é' or True\n".encode()
    changed = without_silence(source)
    assert mark.encode() not in changed
    assert ast.parse(changed)
    assert changed.count(b"\n") == source.count(b"\n")
