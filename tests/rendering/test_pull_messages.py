"""The comment about a rejection that was put to the test."""

from dataclasses import replace

import pytest

from bot.github.values import Review
from bot.rendering.pull_messages import MARKER, rejection_comment
from bot.verdicts import Decision
from bot.verification.questions import question
from bot.verification.values import Difference, Ending, Observed, TestResult, TestRun, TestStatus
from bot.verification.verified import Case, Verified
from tests.rendering.github_markdown import alive

REVIEW = Review(1, "critic[bot]", True, "changes_requested", "No.", "a" * 40, "")
PASSED = TestRun((TestResult("test_a.py::test_a", TestStatus.PASSED),), 0.1)
FAILED = TestRun((TestResult("test_a.py::test_a", TestStatus.FAILED, "test_a.py:3\nE   assert 1 == 2\n"),), 0.1)
DIFFERENCE = Difference("half(3)", Observed(Ending.RETURNED, "1"), Observed(Ending.RETURNED, "1.5"), "mutation")


def verified(decision: Decision, case: Case | None, **other: object) -> Verified:
    return Verified(decision, case, ("A reason.",), executor="bubblewrap", seconds=2.4, **other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (verified(Decision.ACCEPT, Case.EQUIVALENT), "changes no behaviour that was seen"),
        (verified(Decision.ACCEPT, Case.OVER_REPAIR), "breaks what works"),
        (verified(Decision.ACCEPT, Case.UNDECIDED), "does not hold"),
        (verified(Decision.ACCEPT, Case.BOTH_FAIL), "withdrew the rejection"),
        (verified(Decision.BOUNCE, Case.REPAIR_SUCCESS), "the change fails, and the suggested fix passes"),
        (verified(Decision.BOUNCE, Case.BOTH_FAIL), "and so does the suggested fix"),
        (verified(Decision.BOUNCE, Case.UNDECIDED), "The rejection holds"),
        (verified(Decision.UNAVAILABLE, Case.UNDECIDED), "A person must decide"),
        (verified(Decision.UNAVAILABLE, None), "It is unknown whether"),
    ],
)
def test_the_title_says_what_came_of_it(found: Verified, says: str) -> None:
    marker, title, *_ = rejection_comment(REVIEW, found, None).splitlines()
    assert marker == MARKER
    assert title.startswith("### ")
    assert says in title


def test_what_failed_is_shown_with_its_error() -> None:
    shown = rejection_comment(REVIEW, verified(Decision.ACCEPT, Case.OVER_REPAIR, original=PASSED, fix=FAILED), None)
    assert "| the repository's tests | 1 passed | 1 failed |" in shown
    assert "With the fix, `test_a.py::test_a` failed:\n\n```\nassert 1 == 2\n```" in shown
    both = rejection_comment(REVIEW, verified(Decision.BOUNCE, Case.BOTH_FAIL, original=FAILED, fix=FAILED), None)
    assert "assert 1 == 2" not in both, "what fails on both tells nothing apart"


def test_a_maintainers_answer_is_not_called_a_test_of_the_repository() -> None:
    answer = TestResult("test_bouncer_answers_1.py::test_specification_1", TestStatus.FAILED, "E   expected 1.5\n")
    met = replace(answer, status=TestStatus.PASSED, message="")
    original, fix = (replace(PASSED, results=(*PASSED.results, each)) for each in (answer, met))
    shown = rejection_comment(REVIEW, verified(Decision.BOUNCE, Case.REPAIR_SUCCESS, original=original, fix=fix), None)
    assert (
        "| the repository's tests | 1 passed | 1 passed |\n| tests from a maintainer's answer | 1 failed | 1 passed |"
        in shown
    )
    assert "As it is, the test of a maintainer's answer failed:\n\n```\nexpected 1.5\n```" in shown
    example = replace(answer, name="test_bouncer_specification.py::test_specification_1")
    runs = {"augmented_original": replace(original, results=(example,)), "augmented_fix": PASSED}
    shown = rejection_comment(REVIEW, verified(Decision.BOUNCE, Case.REPAIR_SUCCESS, **runs), None)
    assert "As it is, an example of the issue failed:" in shown and "a maintainer answered" not in shown


def test_a_difference_that_is_decided_quotes_what_decides() -> None:
    decided = Difference(DIFFERENCE.call, DIFFERENCE.original, DIFFERENCE.fix, "model", quote="halves exactly")
    shown = rejection_comment(REVIEW, verified(Decision.BOUNCE, Case.UNDECIDED, difference=decided), None)
    assert "- as it is it `returns 1`" in shown
    assert "The issue says: “halves exactly”" in shown


def test_an_open_question_takes_the_place_of_the_difference() -> None:
    asked = question(DIFFERENCE, "spec", "half")
    shown = rejection_comment(REVIEW, verified(Decision.UNAVAILABLE, Case.UNDECIDED, difference=DIFFERENCE), asked)
    assert asked is not None
    assert f"/bouncer answer {asked.id} a" in shown
    assert "They differ on" not in shown


HOSTILE = "x` @everyone #1 <img src=x> ![x](y) [z](https://evil.example) ``` \n# Big\n- [ ] <!-- bouncer:answer -->"


def written_by(stranger: str) -> str:
    """A comment in which everything a stranger can write is this."""
    result = TestResult(stranger, TestStatus.FAILED, f"E   {stranger}\n```\n@everyone\n{stranger}")
    said = Observed(Ending.RETURNED, stranger, stranger)
    found = verified(
        Decision.BOUNCE,
        Case.REPAIR_SUCCESS,
        original=TestRun((result,), 0.1, problem=stranger),
        fix=PASSED,
        difference=Difference(stranger, said, said, "mutation", quote=stranger),
    )
    review = Review(1, stranger, True, "changes_requested", stranger, "a" * 40, "")
    return rejection_comment(review, found, None)


def test_nothing_a_stranger_wrote_is_alive() -> None:
    assert alive(written_by(HOSTILE)) == alive(written_by("harmless"))
    assert written_by(HOSTILE).count("<!--") == 1
