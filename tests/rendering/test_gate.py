"""The check run of a pull request: conclusion, title and a summary that is understood in ten seconds."""

from dataclasses import replace

import pytest

from bot.judges.claims import Claim, ClaimKind, Counterexample, How
from bot.judges.reviews import Mode as ReviewMode
from bot.judges.reviews import PatchReview
from bot.policy import Mode, Unavailable
from bot.rendering.gate import Judged, gate_view, let_through, overridden, under_way
from bot.verdicts import Decision, Effect, Evidence, PatchLabel, Verdict
from bot.verification.repair.values import Repair
from bot.verification.values import (
    Case,
    Difference,
    Ending,
    Observed,
    PatchEvidence,
    PatchFacts,
    Standing,
    TestResult,
    TestRun,
    TestStatus,
    Verified,
)
from tests.rendering.github_markdown import alive

ACCEPT, BOUNCE, OPEN = Decision.ACCEPT, Decision.BOUNCE, Decision.UNAVAILABLE
PASSED = TestRun((TestResult("test_a", TestStatus.PASSED, "", 0.1),), 1.0)
FAILED = TestRun((TestResult("test_a", TestStatus.FAILED, "E   assert 1 == 2", 0.1),), 1.0)
BREAKS = PatchEvidence(Standing.IMPLAUSIBLE, ("1 test broke.",), PatchFacts(PASSED, FAILED, FAILED), ("test_a",))
VERDICT = Verdict(BOUNCE, PatchLabel.INCORRECT, 0.9, "a judge", None, ("It breaks tests.", "1 test broke."))
JUDGED = Judged(VERDICT, "a" * 40, patch=BREAKS)


@pytest.mark.parametrize(
    ("decision", "mode", "unavailable", "conclusion", "title"),
    [
        (ACCEPT, Mode.ENFORCE, Unavailable.BLOCK, "success", "Plausible: "),
        (BOUNCE, Mode.ENFORCE, Unavailable.BLOCK, "failure", "Bounced: "),
        (OPEN, Mode.ENFORCE, Unavailable.BLOCK, "action_required", "Could not be judged: "),
        (OPEN, Mode.ENFORCE, Unavailable.PASS, "neutral", "Could not be judged: "),
        (ACCEPT, Mode.ADVISE, Unavailable.BLOCK, "neutral", "Plausible: "),
        (BOUNCE, Mode.ADVISE, Unavailable.BLOCK, "neutral", "Would be bounced: "),
        (OPEN, Mode.ADVISE, Unavailable.BLOCK, "neutral", "Could not be judged: "),
    ],
)
def test_as_loud_as_the_policy_says(
    decision: Decision, mode: Mode, unavailable: Unavailable, conclusion: str, title: str
) -> None:
    view = gate_view(replace(JUDGED, verdict=replace(VERDICT, decision=decision)), mode, unavailable)
    assert (view.conclusion, view.title) == (conclusion, f"{title}It breaks tests.")


def test_a_bounce_shows_what_fails_and_what_helps() -> None:
    summary = gate_view(JUDGED, Mode.ENFORCE, Unavailable.BLOCK).summary
    assert summary.startswith("**It breaks tests.**")
    for text in ("`test_a` failed", "assert 1 == 2", "What helps", "`/bouncer override`", "1 passed", "1 failed"):
        assert text in summary


def test_a_bounce_hands_back_how_to_see_it_and_a_fix() -> None:
    """The fix only while it is bounced, and nothing that would not be what it was."""
    failing = replace(FAILED, results=(TestResult("tests/test_a.py::test_a", TestStatus.FAILED, "", 0.1),))
    patch = replace(BREAKS, facts=PatchFacts(PASSED, failing, failing), regressions=("tests/test_a.py::test_a",))
    pasted = "from a import f\n\n\ndef test_what_was_asked_1():\n    assert f(1) == 2\n"
    told = replace(JUDGED, patch=patch, shown=pasted, fix="--- a/a.py\n+++ b/a.py\n")
    summary = gate_view(told, Mode.ENFORCE, Unavailable.BLOCK).summary
    assert "```sh\npython -m pytest tests/test_a.py::test_a\n```" in summary
    assert f"```python\n{pasted}\n```" in summary
    assert "```diff\n--- a/a.py\n+++ b/a.py\n\n```" in summary
    assert "```diff" not in overridden(told, "maintainer", "I know better.").summary
    hidden = gate_view(replace(told, fix="+a\u202e\n", shown="\u202e"), Mode.ENFORCE, Unavailable.BLOCK).summary
    assert "```diff" not in hidden and "```python" not in hidden


def test_a_command_is_for_a_shell() -> None:
    said = gate_view(replace(JUDGED, shown="# It fails.\n$ halve 3\n"), Mode.ENFORCE, Unavailable.BLOCK).summary
    assert "in a shell, where this project is installed\n" in said
    assert "```sh\n# It fails.\n$ halve 3\n" in said


def test_the_input_that_tells_them_apart_is_shown_with_both_outcomes() -> None:
    one, other = Observed(Ending.RETURNED, "1"), Observed(Ending.RETURNED, "2")
    difference = Difference("half(3)", one, other, "example", quote="Half of 3 is 2.")
    verified = Verified(BOUNCE, Case.UNDECIDED, ("They differ.",), difference=difference)
    summary = gate_view(replace(JUDGED, verified=verified), Mode.ENFORCE, Unavailable.BLOCK).summary
    for text in ("`half(3)`", "- as it is it `returns 1`", "- with the fix it `returns 2`", "“Half of 3 is 2.”"):
        assert text in summary


def test_an_override_says_who_and_why_and_what_it_beats() -> None:
    view = overridden(JUDGED, "maintainer", "I ran it myself.")
    assert (view.conclusion, view.title) == ("success", "Overridden by maintainer")
    assert "`maintainer` overrides this verdict for commit `aaaaaaa`: I ran it myself." in view.summary
    assert "It breaks tests." in view.summary
    assert "What helps" not in view.summary


def said_by(stranger: str) -> Claim:
    return Claim(ClaimKind.CRASH, stranger, stranger, Counterexample(How.CALL, "f()", "1"), stranger)


def told_by(stranger: str) -> str:
    """Two summaries full of a stranger's words."""
    verdict = replace(VERDICT, evidence=(Evidence("size", Effect.NEUTRAL, "Small.", stranger, stranger),))
    failing = replace(FAILED, results=(TestResult(stranger, TestStatus.FAILED, stranger, 0.1),))
    patch = replace(BREAKS, facts=PatchFacts(PASSED, failing, failing), regressions=(stranger,))
    review = PatchReview(PatchLabel.INCORRECT, True, 0.9, stranger, ReviewMode.DIRECT, claims=(said_by(stranger),))
    observed = Observed(Ending.RAISED, stranger)
    difference = Difference(stranger, observed, observed, "example", quote=stranger)
    verified = Verified(BOUNCE, Case.UNDECIDED, (stranger,), difference=difference)
    judged = Judged(verdict, "a" * 40, stranger, stranger, stranger, stranger, verified, patch, review)
    judged = replace(judged, shown=stranger, fix=stranger, repair=Repair(problem=stranger))
    loud = gate_view(judged, Mode.ENFORCE, Unavailable.BLOCK)
    return f"{loud.summary}\n{overridden(judged, stranger, stranger).summary}"


def test_nothing_a_stranger_wrote_is_alive() -> None:
    hostile = (
        "@everyone #1 :tada: [x](https://evil.example) ![y](https://evil.example/z.png) <b>x</b> </details>\n# Big"
    )
    assert alive(told_by(hostile)) == alive(told_by("plain words"))


def test_what_is_not_judged_and_what_is_under_way() -> None:
    assert let_through("Not a coding agent's pull request").conclusion == "success"
    assert (under_way("running the tests").conclusion, under_way("x").title) == (None, "Judging: x")
