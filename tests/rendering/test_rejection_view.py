"""What the filter found, as JSON and on a terminal, where strangers' text is dead."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from rich.console import Console

from bot.rendering.pull_view import rejection_view
from bot.rendering.rejection_view import rejection_json
from bot.verdicts import Decision
from bot.verification.evidence import Case, Verified
from bot.verification.fix_guided.questions import question
from bot.verification.values import (
    Difference,
    Differential,
    Ending,
    Generator,
    Observed,
    Side,
    Strength,
    TestResult,
    TestRun,
    TestStatus,
)
from tests.rendering.test_escape import untrusted
from tests.support.snapshots import none_is_left_over, reads_as_before

KEYS = ["case", "verdict", "distinguishing_input", "tests", "strength", "executor", "limits_enforced", "seconds"]
DIFFERENCE = Difference(
    "middle([1, 2])",
    Observed(Ending.RETURNED, "1"),
    Observed(Ending.RAISED, "IndexError"),
    generator=Generator.MUTATION,
    favours=Side.ORIGINAL,
    quote="of two middles take the lower one",
)
RUN = TestRun((TestResult("test_middle.py::test_odd", TestStatus.PASSED),), 0.2)
BAD = TestRun((*RUN.results, TestResult("test_middle.py::test_even", TestStatus.FAILED, "assert 2 == 1")), 0.2)
UNDECIDED = Verified(
    Decision.ACCEPT,
    Case.UNDECIDED,
    ("They behave differently, and a requirement decides for the change.",),
    original=RUN,
    fix=RUN,
    differential=Differential(("middle([1])", "middle([1, 2])"), (DIFFERENCE,)),
    difference=DIFFERENCE,
    executor="bubblewrap",
    limits_enforced=("wall", "network"),
    seconds=1.25,
)
REPAIRED = Verified(
    Decision.BOUNCE, Case.REPAIR_SUCCESS, ("The change fails a test.",), original=BAD, fix=RUN, seconds=0.5
)
EQUAL = replace(
    UNDECIDED,
    case=Case.EQUIVALENT,
    difference=None,
    differential=Differential(calls=("middle([1])", "middle([2])")),
    strength=Strength(8, 6, True, "a tool 1"),
)
UNSEEN = replace(EQUAL, decision=Decision.UNAVAILABLE, case=Case.UNSEEN, differential=Differential(problem="None."))


def shown(verified: Verified, **more: object) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(rejection_view(verified, **more))  # type: ignore[arg-type]
    return out.getvalue()


def test_json_begins_with_the_promised_keys() -> None:
    for verified in (UNDECIDED, REPAIRED, EQUAL, Verified(Decision.UNAVAILABLE, None, ("Nothing could be run.",))):
        document = json.loads(json.dumps(rejection_json(verified)))
        assert list(document)[:8] == KEYS
    document = rejection_json(UNDECIDED)
    assert document["case"] == "undecided"
    assert document["verdict"] == "ACCEPT"
    assert document["distinguishing_input"] == "middle([1, 2])"
    assert document["tests"]["original"]["passed"] == 1
    assert document["limits_enforced"] == ["wall", "network"]
    assert document["difference"]["fix"] == "raises IndexError"
    assert rejection_json(EQUAL)["strength"] == 0.75
    assert rejection_json(REPAIRED)["tests"]["original"]["failing"] == [
        {"name": "test_middle.py::test_even", "status": "failed", "message": "assert 2 == 1"}
    ]


SHOWN = {"undecided": UNDECIDED, "repaired": REPAIRED, "equal": EQUAL, "unseen": UNSEEN}
SNAPSHOTS = Path(__file__).parent / "snapshots" / "terminal"


@pytest.mark.parametrize("name", SHOWN)
def test_the_terminal_reads_as_it_was_last_read(name: str) -> None:
    reads_as_before(SNAPSHOTS / f"{name}.txt", shown(SHOWN[name]))


def test_no_snapshot_is_left_over() -> None:
    none_is_left_over(SNAPSHOTS, SHOWN)


def test_what_a_test_said_has_lines_of_its_own() -> None:
    """The error that pytest marks, not the beginning of its report."""
    report = (
        "def test_even():\n"
        + ">   assert middle([1, 2]) == 1\n" * 30
        + "E   assert 2 == 1\nE    +  where 2 = middle([1, 2])"
    )
    failing = TestRun((TestResult("test_even", TestStatus.FAILED, report),), 0.2)
    lines = [line.strip("│ ") for line in shown(replace(REPAIRED, original=failing)).splitlines()]
    at = lines.index("✗ test_even failed, as it is")
    assert lines[at + 1 : at + 3] == ["assert 2 == 1", "+ where 2 = middle([1, 2])"]
    setup = replace(failing, results=(replace(failing.results[0], message="one\ntwo\nlast words"),), unavailable=True)
    assert "last words" in [line.strip("│ ") for line in shown(replace(REPAIRED, original=setup)).splitlines()]


def test_why_nothing_could_be_run_is_said_once() -> None:
    reason = "bubblewrap is not installed."
    nothing = TestRun((), 0.0, reason, unavailable=True)
    page = shown(Verified(Decision.UNAVAILABLE, None, (reason,), original=nothing, fix=nothing))
    assert page.count("bubblewrap is not installed") == 1


def test_a_question_can_be_answered() -> None:
    asked = question(DIFFERENCE, "the specification", "solution")
    assert asked
    page = shown(UNDECIDED, question=asked)
    assert "    assert middle([1, 2]) == 1 " in page
    assert "    with pytest.raises(IndexError): middle([1, 2]) " in page
    assert rejection_json(UNDECIDED, asked)["question"]["id"] == asked.id


@settings(deadline=None, max_examples=60)
@given(untrusted)
def test_strangers_text_is_dead_on_every_terminal(text: str) -> None:
    result = TestResult(text, TestStatus.FAILED, text)
    found = Difference(text, Observed(Ending.RETURNED, text, text), Observed(Ending.RAISED, text), text, quote=text)
    hostile = replace(UNDECIDED, original=TestRun((result,), 0.1), difference=found)
    assert "\x1b" not in shown(hostile)
    json.loads(json.dumps(rejection_json(hostile)))
