"""The check run of a pull request: conclusion, title and a summary that is understood in ten seconds."""

from dataclasses import replace

import pytest

from bot.policy import Mode, Unavailable
from bot.rendering.gate import Judged, gate_view, let_through, overridden, under_way
from bot.verdicts import Decision, Effect, Evidence, PatchLabel, Verdict
from bot.verification.values import PatchEvidence, PatchFacts, Standing, TestResult, TestRun, TestStatus
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


def test_an_override_says_who_and_why_and_what_it_beats() -> None:
    view = overridden(JUDGED, "maintainer", "I ran it myself.")
    assert (view.conclusion, view.title) == ("success", "Overridden by maintainer")
    assert "`maintainer` overrides this verdict for commit `aaaaaaa`: I ran it myself." in view.summary
    assert "It breaks tests." in view.summary
    assert "What helps" not in view.summary


def told_by(stranger: str) -> str:
    """Two summaries full of a stranger's words."""
    verdict = replace(VERDICT, evidence=(Evidence("size", Effect.NEUTRAL, "Small.", stranger, stranger),))
    failing = replace(FAILED, results=(TestResult(stranger, TestStatus.FAILED, stranger, 0.1),))
    patch = replace(BREAKS, facts=PatchFacts(PASSED, failing, failing), regressions=(stranger,))
    judged = Judged(verdict, "a" * 40, stranger, stranger, stranger, stranger, patch=patch)
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
