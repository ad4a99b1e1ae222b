"""What is said about a rejection that was put to the test, and the question as a maintainer reads it."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from bot.github.values import Remark, Review
from bot.pulls.review_claims import claims_of
from bot.rendering.pull_messages import MARKER, MOST, question_markdown, rejection_comment
from bot.rendering.suggestions import LONGEST, fix_marker, fix_review, pasteable, pytest_line, suggestion
from bot.verdicts import Decision
from bot.verification.evidence import Case, Verified
from bot.verification.fix_guided.questions import AnswerChoice, Given, VerificationQuestion, box, clicked, question
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Standing
from bot.verification.values import (
    Difference,
    Differential,
    Ending,
    Generator,
    Observed,
    TestResult,
    TestRun,
    TestStatus,
)
from tests.rendering.github_markdown import alive, tokens
from tests.rendering.test_escape import untrusted
from tests.support.snapshots import none_is_left_over, reads_as_before

REVIEW = Review(1, "critic[bot]", True, "changes_requested", "No.", "a" * 40, "")
PASSED = TestRun((TestResult("test_a.py::test_a", TestStatus.PASSED),), 0.1)
FAILED = TestRun((TestResult("test_a.py::test_a", TestStatus.FAILED, "test_a.py:3\nE   assert 1 == 2\n"),), 0.1)
COMPARED = Differential(calls=("half(3)", "half(4)"))
DIFFERENCE = Difference("half(3)", Observed(Ending.RETURNED, "1"), Observed(Ending.RETURNED, "1.5"), Generator.MUTATION)


def verified(decision: Decision, case: Case | None, **other: object) -> Verified:
    return Verified(
        decision, case, ("A reason.",), executor="bubblewrap", limits_enforced=("wall", "network"), seconds=2.4, **other
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (verified(Decision.ACCEPT, Case.EQUIVALENT, differential=COMPARED), "changes no behaviour that was seen"),
        (verified(Decision.ACCEPT, Case.EQUIVALENT), "changes no code"),
        (
            verified(Decision.UNAVAILABLE, Case.UNSEEN, differential=Differential(problem="None.")),
            "too little was compared",
        ),
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
        Decision.BOUNCE,
        Case.UNDECIDED,
        difference=replace(DIFFERENCE, generator=Generator.MODEL, quote="halves exactly"),
    ),
    "the_change_breaks_a_test": verified(
        Decision.BOUNCE,
        Case.EQUIVALENT,
        differential=COMPARED,
        patch=PatchEvidence(Standing.IMPLAUSIBLE, (), PatchFacts(PASSED, FAILED, FAILED), ("t.py::`x`",)),
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
        difference=Difference(stranger, said, said, Generator.MUTATION, quote=stranger),
    )
    review = Review(1, stranger, True, "changes_requested", stranger, "a" * 40, "")
    return rejection_comment(review, found, None)


def test_nothing_a_stranger_wrote_is_alive() -> None:
    assert alive(written_by(HOSTILE)) == alive(written_by("harmless"))
    assert written_by(HOSTILE).count("<!--") == 1


NOTHING = TestRun((), 0.0)


QUESTION_FILES = Path(__file__).parent / "snapshots" / "questions"
MIDDLE = Difference(
    "middle([1, 2, 3, 4])", Observed(Ending.RETURNED, "2"), Observed(Ending.RETURNED, "3"), Generator.MUTATION
)


def asked(**changes: object) -> VerificationQuestion:
    found = question(replace(MIDDLE, **changes), "Return the middle number of the list.", "solution")  # type: ignore[arg-type]
    assert found is not None
    return found


QUESTIONS = {
    "plain": asked(),
    "exception": asked(fix=Observed(Ending.RAISED, "ValueError")),
    "endless": asked(original=Observed(Ending.TIMEOUT), fix=Observed(Ending.DIED)),
    "arguments": asked(fix=Observed(Ending.RETURNED, "2", "([4, 3, 2, 1],)")),
    "hostile": asked(
        call="middle(['```\\n<!-- bouncer:answer abcdefgh a -->', '@octocat  #1'])",
        original=Observed(Ending.RETURNED, "'` - [x] <!-- bouncer:answer abcdefgh a -->  @octocat'"),
        fix=Observed(Ending.RETURNED, "' '"),
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_reads_as_it_was_last_read(name: str) -> None:
    reads_as_before(QUESTION_FILES / f"{name}.md", question_markdown(QUESTIONS[name]))


def test_no_question_is_left_over() -> None:
    none_is_left_over(QUESTION_FILES, QUESTIONS)


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("choice", AnswerChoice)
def test_a_tick_in_it_is_an_answer(name: str, choice: AnswerChoice) -> None:
    before = question_markdown(QUESTIONS[name])
    line = box(QUESTIONS[name], choice)
    assert before.count(line) == 1
    after = before.replace(line, line.replace("[ ]", "[x]"))
    assert clicked(after, before) == Given(QUESTIONS[name].id, choice)


@settings(max_examples=150, deadline=None)
@given(untrusted, untrusted)
def test_what_programs_wrote_changes_nothing_but_words(text: str, value: str) -> None:
    found = asked(
        call=f"middle([{text!r}])", original=Observed(Ending.RETURNED, repr(value)), fix=Observed(Ending.DIED)
    )
    shown = question_markdown(found)
    ours = {f"html_inline: <!-- bouncer:answer {found.id} {choice} -->" for choice in AnswerChoice}
    assert set(alive(shown)) == ours
    assert shown.count("<!--") == 3
    assert not any(line.strip().startswith("/bouncer") for line in shown.splitlines())
    assert blocks(shown) == blocks(question_markdown(asked()))


def blocks(markdown: str) -> list[str]:
    """The structure around what was written by programs."""
    return [
        token.type
        for token in tokens(markdown)
        if token.type.endswith("_open") or token.type in ("fence", "html_block")
    ]


def test_long_values_are_shown_where_they_differ() -> None:
    same = "x" * 5000
    shown = question_markdown(
        asked(original=Observed(Ending.RETURNED, f"'{same}1'"), fix=Observed(Ending.RETURNED, f"'{same}2'"))
    )
    assert "x1'`" in shown
    assert "x2'`" in shown
    assert len(shown) < 4 * MOST + 1000


@pytest.mark.parametrize("text", ["", "a\n", "a\n\n  b\n", "```\n````\n", "x = '@everyone <b>'\n", "\n"])
def test_a_suggestion_says_what_it_replaces(text: str) -> None:
    (claim,) = claims_of("", [Remark(1, "a.py", 1, 1, "", suggestion(text))])
    ((found,),) = claim.fixes
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize("text", ["a\u202eb\n", "<!-- bouncer:fix x -->\n", "\x1b[2J\n", "a\n" * LONGEST])
def test_what_a_block_would_change_is_not_offered(text: str) -> None:
    assert suggestion(text) == pasteable(text) == ""


def test_the_repositorys_tests_are_run_by_their_names() -> None:
    hostile = "tests/test_a.py::test_b[$(touch x); `y` 'z']"
    own = "test_bouncer_specification.py::test_specification_1"
    line = pytest_line(("tests/test_a.py::test_a", hostile, "make check", own))
    assert shlex.split(line) == ["python", "-m", "pytest", "tests/test_a.py::test_a", hostile]
    assert pytest_line(("make check", "-p=x.py::y", "a b.py::z", "t.py::a\nb")) == ""


def test_a_review_is_found_by_its_commit() -> None:
    assert fix_review("a" * 40, 2).startswith(f"{fix_marker('a' * 40)}\nBouncer ran this fix and commit `aaaaaaa`")
    assert "belong together" in fix_review("a" * 40, 2)
    assert "belong together" not in fix_review("a" * 40, 1)
