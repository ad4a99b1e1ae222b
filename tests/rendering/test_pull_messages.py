"""The comment about a rejection that was put to the test."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.github.values import Review
from bot.rendering.pull_messages import MARKER, rejection_comment
from bot.verdicts import Decision
from bot.verification.evidence import Case, Verified
from bot.verification.questions import question
from bot.verification.values import Difference, Ending, Observed, TestResult, TestRun, TestStatus
from tests.rendering.github_markdown import alive
from tests.support.snapshots import none_is_left_over, reads_as_before

REVIEW = Review(1, "critic[bot]", True, "changes_requested", "No.", "a" * 40, "")
PASSED = TestRun((TestResult("test_a.py::test_a", TestStatus.PASSED),), 0.1)
FAILED = TestRun((TestResult("test_a.py::test_a", TestStatus.FAILED, "test_a.py:3\nE   assert 1 == 2\n"),), 0.1)
DIFFERENCE = Difference("half(3)", Observed(Ending.RETURNED, "1"), Observed(Ending.RETURNED, "1.5"), "mutation")


def verified(decision: Decision, case: Case | None, **other: object) -> Verified:
    return Verified(
        decision, case, ("A reason.",), executor="bubblewrap", limits_enforced=("wall", "network"), seconds=2.4, **other
    )  # type: ignore[arg-type]


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


ANSWER = TestResult("test_bouncer_answers_1.py::test_specification_1", TestStatus.FAILED, "E   expected 1.5\n")
EXAMPLE = replace(ANSWER, name="test_bouncer_specification.py::test_specification_1")
MET = replace(PASSED, results=(*PASSED.results, replace(ANSWER, status=TestStatus.PASSED, message="")))
UNMET = replace(PASSED, results=(*PASSED.results, ANSWER))
COMMENTS = {
    "the_fix_breaks_a_test": verified(Decision.ACCEPT, Case.OVER_REPAIR, original=PASSED, fix=FAILED),
    # What fails on both tells nothing apart, and its error is not shown.
    "both_fail": verified(Decision.BOUNCE, Case.BOTH_FAIL, original=FAILED, fix=FAILED),
    # A maintainer's answer is not called a test of the repository.
    "an_answer_decides": verified(Decision.BOUNCE, Case.REPAIR_SUCCESS, original=UNMET, fix=MET),
    "an_example_decides": verified(
        Decision.BOUNCE,
        Case.REPAIR_SUCCESS,
        original=UNMET,
        fix=MET,
        augmented_original=replace(UNMET, results=(EXAMPLE,)),
        augmented_fix=PASSED,
    ),
    "a_sentence_decides": verified(
        Decision.BOUNCE, Case.UNDECIDED, difference=replace(DIFFERENCE, generator="model", quote="halves exactly")
    ),
    # An open question takes the place of the difference.
    "a_question_is_open": verified(Decision.UNAVAILABLE, Case.UNDECIDED, difference=DIFFERENCE),
}
SNAPSHOTS = Path(__file__).parent / "snapshots" / "rejections"


@pytest.mark.parametrize("name", COMMENTS)
def test_every_comment_reads_as_it_was_last_read(name: str) -> None:
    asked = question(DIFFERENCE, "spec", "half") if name == "a_question_is_open" else None
    reads_as_before(SNAPSHOTS / f"{name}.md", rejection_comment(REVIEW, COMMENTS[name], asked))


def test_no_snapshot_is_left_over() -> None:
    none_is_left_over(SNAPSHOTS, COMMENTS)


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
