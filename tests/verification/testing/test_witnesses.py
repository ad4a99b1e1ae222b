"""What is believed of a report, without running anything."""

import hashlib
import hmac
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.testing.report import Session, SuiteReport, read_reports
from bot.verification.testing.witnesses import NO_PYTEST, OLD_PYTEST, late_tests, problem_of, results_of
from bot.verification.values import TestRun
from tests.support.cases import cases

CANARIES = [f"test_{number}" for number in range(9)]
ANSWERS = ["passed", *["failed"] * 7, "error"]
TOLD = [(name, status, "", 0.0) for name, status in zip(CANARIES, ANSWERS, strict=True)]
REAL = ("t.py::a", "passed", "", 0.1)
JUNIT = b"<testsuite><testcase name='a'/><testcase name='canary'/></testsuite>"


def session(**difference: Any) -> Session:
    honest: dict[str, Any] = {
        "canaries": CANARIES,
        "junit": "j.xml",
        "collected": ["t.py::a"],
        "ended": [*TOLD, REAL],
        "running": "",
        "collecting": "",
        "finished": True,
        "cut": "",
        "exit": 1,
        "notes": [],
    }
    return Session(**{**honest, **difference})


def said(*sessions: Session, junit: bytes | None = JUNIT, named: Any = ()) -> str:
    report = SuiteReport(sessions=list(sessions), seconds=1.0)
    return problem_of(report, {} if junit is None else {"j.xml": junit}, named, 10.0)


def without(name: str) -> list[tuple[str, str, str, float]]:
    return [result for result in [*TOLD, REAL] if result[0] != name]


def instead(name: str, status: str) -> list[tuple[str, str, str, float]]:
    return [*without(name), (name, status, "", 0.0)]


SKIPPED = [(name, "skipped", "", 0.0) for name in CANARIES]


def test_witnesses_that_agree_are_believed() -> None:
    assert said(session()) == ""
    assert said(session(ended=instead("test_3", "skipped"))) == ""  # by a hook of the suite's, say
    none = [*SKIPPED, (REAL[0], "skipped", "", 0.0)]
    assert (
        said(
            session(ended=none, exit=0),
            junit=JUNIT.replace(b"/><", b"><skipped/></testcase><", 1).replace(
                b"'canary'/", b"'canary'><skipped/></testcase", 1
            ),
        )
        == ""
    )
    report = SuiteReport(sessions=[session()], seconds=1.0)
    assert TestRun(results_of(report, 10.0), 1.0).passed
    assert [result.name for result in results_of(report, 10.0)] == ["t.py::a"]


@pytest.mark.parametrize(
    ("difference", "problem"),
    [
        ({"ended": instead("test_3", "passed")}, "forged: a test that must be reported as failed was not"),
        ({"ended": [*SKIPPED, REAL]}, "forged: tests pass, but no test that must fail failed"),
        ({"ended": instead("test_0", "failed")}, "forged: a test that must be reported as passed was not"),
        ({"ended": instead("test_8", "passed")}, "forged: a test that must be reported as error was not"),
        ({"ended": without("test_5")}, "forged: a test that was put among the others is missing"),
        ({"ended": [*TOLD, REAL, REAL]}, "forged: a test ended twice"),
        ({"exit": 0}, "forged: pytest ended with another exit status than its tests"),
        ({"exit": -9}, "forged: pytest ended with another exit status than its tests"),
        ({"notes": ["another process reported in its place"]}, "forged: another process reported in its place"),
        ({"collected": ["t.py::a", "t.py::b"]}, "ended after 1 of 2 tests: the process ended with exit status 1"),
        (
            {"finished": False, "exit": 0, "collected": ["t.py::a", "t.py::b"]},
            "ended after 1 of 2 tests",
        ),
        ({"collected": [], "ended": [], "exit": 5}, "no tests were found"),
        ({"collected": [], "ended": [], "finished": False, "exit": 3}, "never started: the process ended with exit"),
        ({"collected": [], "ended": [], "finished": False, "cut": "test"}, "the process hung outside a test"),
        ({"notes": ["no pytest"]}, NO_PYTEST),
        ({"notes": ["old pytest"]}, OLD_PYTEST),
    ],
)
def test_witnesses_that_disagree_are_not(difference: dict[str, Any], problem: str) -> None:
    assert problem in said(session(**difference))


@cases
def test_the_junit_file_must_agree(junit: bytes | None, problem: str) -> None:
    assert said(session(), junit=junit) == f"the report is forged: {problem}"


def test_tests_that_the_suite_names_must_be_there() -> None:
    assert said(session(), named=["t.py::a"]) == ""
    assert said(session(), named=["t.py::a", "t.py::b"]) == "tests were left out: t.py::b"
    many = [f"t.py::{name}" for name in "abcdefg"]
    assert said(session(), named=many) == "tests were left out: t.py::b, t.py::c, t.py::d and 3 more"


SECRET = b"s" * 32
BODY = SuiteReport(sessions=[session()], seconds=1.0).model_dump_json().join("[]").encode()


def signed(body: bytes, secret: bytes = SECRET) -> bytes:
    return hmac.new(secret, body, hashlib.sha256).hexdigest().encode() + b" " + body + b"\n"


def test_only_what_is_signed_is_read() -> None:
    (read,) = read_reports(b"1 passed\n" + signed(BODY, b"other") + signed(BODY), SECRET)
    assert read.sessions == [session()]
    assert read_reports(signed(BODY, b"other"), SECRET) == []
    assert read_reports(signed(BODY).replace(b"passed", b"failed"), SECRET) == []
    assert read_reports(signed(b"{}"), SECRET) == []


@given(st.binary(max_size=300))
def test_no_output_raises(stdout: bytes) -> None:
    assert read_reports(stdout, SECRET) == []


@cases
def test_late_is_what_time_ended_before_behind_the_first_files(
    first: tuple[str, ...], cut: str, late: tuple[str, ...]
) -> None:
    there = session(collected=["t.py::a", "u.py::b", "u.py::c"], finished=False, cut=cut, exit=-9, running="u.py::b")
    report = SuiteReport(sessions=[there], seconds=1.0)
    assert late_tests(report, first, held=True) == late
    slow = SuiteReport(sessions=[there.model_copy(update={"slow": ["u.py"]})], seconds=1.0)
    assert (late_tests(slow, (), held=True), late_tests(slow, (), held=False)) == (("u.py::b", "u.py::c"), ())
    assert bool(problem_of(report, {}, (), 10.0, late=len(late))) is not bool(late)
