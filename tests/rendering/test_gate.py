"""The check run of a pull request: conclusion, title and a summary that is understood in ten seconds."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from bot.judges.claims import Claim, ClaimKind, Counterexample, How
from bot.judges.reviews import PatchReview
from bot.judges.reviews import ReviewMode as ReviewMode
from bot.judges.steps import Attempt, LoopEnd, Repair
from bot.policy_choices import Mode, WhenUnavailable
from bot.pulls.judgement import concluded
from bot.pulls.result import PullResult
from bot.rendering.gate import explanation, gate_view, override_view, stops
from bot.rendering.gate_states import state_view
from bot.rendering.issue_view import headline
from bot.rendering.pull_findings import contrary_tests
from bot.rendering.pull_page import page_of
from bot.rendering.pull_view import pull_json, pull_view
from bot.verdicts import Cause, Decision, Effect, Evidence, PatchLabel, Verdict
from bot.verification.evidence import Case, Verified
from bot.verification.patch_evidence import (
    Contradiction,
    Control,
    ExampleRuns,
    Fate,
    Hole,
    LostKills,
    PatchEvidence,
    PatchFacts,
    Proof,
    Red,
    Settled,
    Standing,
    Turned,
)
from bot.verification.values import Difference, Ending, Generator, Observed, TestResult, TestRun, TestStatus
from tests.pulls.results import a_result, changed, known
from tests.rendering.github_markdown import alive
from tests.support.cases import cases
from tests.support.snapshots import none_is_left_over, reads_as_before

MERGED = ("success", "neutral")  # what GitHub lets through
ACCEPT, BOUNCE, OPEN = Decision.ACCEPT, Decision.BOUNCE, Decision.UNAVAILABLE
PASSED = TestRun((TestResult("test_a", TestStatus.PASSED, "", 0.1),), 1.0)
FAILED = TestRun((TestResult("test_a", TestStatus.FAILED, "E   assert 1 == 2", 0.1),), 1.0)
BREAKS = PatchEvidence(Standing.IMPLAUSIBLE, ("1 test broke.",), PatchFacts(PASSED, FAILED, FAILED), ("test_a",))
VERDICT = Verdict(BOUNCE, PatchLabel.INCORRECT, 0.9, "a judge", None, ("It breaks tests.", "1 test broke."))
JUDGED = a_result(VERDICT, patch=BREAKS)


OLD_TEST, NEW_TEST = (f"def test_half():\n    assert half(3) == {value}\n" for value in ("1", "1.5"))
STAGED = TestResult("test_other", TestStatus.FAILED)
TURNED = replace(
    BREAKS,
    turned=(Turned("test_new", Red.ASSERTION, counts=True), Turned("test_other", Red.ERROR)),
    facts=replace(BREAKS.facts, own=PASSED, own_base=FAILED, as_pushed=PASSED),
    control=Control(Proof.PROVED, ("a.py:f", "a.py:g")),
)
TO_LOOK_AT = replace(
    BREAKS,
    unlike=("t_unlike",),
    written=("a/written.py",),
    answers=("shop.price(3)",),
    unmet=("shop.price(5): 1, not 2",),
    detours=("test_a: shop.price(3)",),
    let_pass=("shop.price(2): 2 → 4",),
    elsewhere=("shop.price(3): 3 → 4",),
    unsteady=tuple(f"t_at_times_{number}" for number in range(7)),
    lost_kills=(LostKills("t_weaker", 5, 2, ("a.py:1: + → -",)),),
    control=Control(Proof.PROVED, ("a.py:f", "a.py:g"), ("a.py:unseen",)),
)
SEEN_AS_PUSHED = replace(
    BREAKS,
    facts=PatchFacts(
        PASSED, *[replace(FAILED, results=(replace(FAILED.results[0], name="tests/test_a.py::test_a"),))] * 2
    ),
    regressions=("tests/test_a.py::test_a",),
)
STILL = concluded(known(examples=ExampleRuns(still=("`half(3)` gives 1",))), head="a" * 40)
APART = Difference(
    "half(3)",
    Observed(Ending.RETURNED, "1"),
    Observed(Ending.RETURNED, "2"),
    Generator.EXAMPLE,
    quote="Half of 3 is 2.",
)
RESULTS = {
    "breaks_a_test": JUDGED,
    "accepted": a_result(replace(VERDICT, decision=ACCEPT, reasons=("Nothing broke.",))),
    "both_demands_side_by_side": a_result(
        replace(VERDICT, decision=OPEN, cause=Cause.PERSON),
        patch=replace(
            BREAKS,
            regressions=(),
            contradictions=(
                Contradiction("tests/test_a.py::test_half", Fate.REWRITTEN, "", OLD_TEST, NEW_TEST, "assert 1.5 == 1"),
            ),
        ),
    ),
    "what_turned": replace(changed(JUDGED, patch=TURNED), base="b" * 40),
    "what_a_person_should_look_at": a_result(
        replace(VERDICT, uncovered=("For want of time: the control.",)), patch=TO_LOOK_AT
    ),
    "still_as_reported": STILL,
    "a_fix_by_somebody_else": concluded(
        known(
            holes=(
                Hole(
                    *("pull request 7 by ann", "https://github.com/o/r/pull/7", "issue 12, the first example"),
                    *("slug('A b')", "'a b' @here", "'a-b'"),
                ),
            )
        ),
        head="a" * 40,
    ),
    "a_test_and_a_fix_to_take": changed(
        JUDGED,
        patch=SEEN_AS_PUSHED,
        shown="from a import f\n\n\ndef test_what_was_asked_1():\n    assert f(1) == 2\n",
        fix="--- a/a.py\n+++ b/a.py\n",
    ),
    "a_command_for_a_shell": changed(JUDGED, shown="# It fails.\n$ halve 3\n"),
    "an_input_that_tells_them_apart": changed(
        JUDGED, verified=Verified(BOUNCE, Case.UNDECIDED, ("They differ.",), difference=APART)
    ),
}
SNAPSHOTS = Path(__file__).parent / "snapshots" / "checks"


@pytest.mark.parametrize("name", RESULTS)
def test_the_check_and_the_terminal_read_as_they_were_last_read(name: str) -> None:
    view = gate_view(RESULTS[name], Mode.ENFORCE, WhenUnavailable.BLOCK)
    terminal = shown_in_terminal(RESULTS[name])
    text = f"{view.conclusion}: {view.title}\n\n{view.summary}\n\n# In the terminal\n\n```\n{terminal}```\n"
    reads_as_before(SNAPSHOTS / f"{name}.md", text)


def test_no_snapshot_is_left_over() -> None:
    none_is_left_over(SNAPSHOTS, RESULTS)


@cases
def test_as_loud_as_the_policy_says(outcome: Decision | Cause, passed: str, blocked: str, said: str) -> None:
    """The same on check, comment, page, terminal and as JSON, whatever `pulls.unavailable` says and however loud."""
    cause = outcome if isinstance(outcome, Cause) else None
    verdict = replace(VERDICT, decision=OPEN if cause else Decision(outcome), cause=cause)
    judged = replace(JUDGED, verdict=verdict)
    for mode, unavailable, conclusion in (
        (Mode.ENFORCE, WhenUnavailable.PASS, passed),
        (Mode.ENFORCE, WhenUnavailable.BLOCK, blocked),
        (Mode.ADVISE, WhenUnavailable.PASS, "neutral"),
        (Mode.ADVISE, WhenUnavailable.BLOCK, "neutral"),
    ):
        view = gate_view(judged, mode, unavailable)
        would = "Would be bounced" if outcome is BOUNCE and mode is Mode.ADVISE else said
        assert (view.conclusion, view.title) == (conclusion, f"{would}: It breaks tests.")
        assert stops(verdict, unavailable) is (
            (passed if unavailable is WhenUnavailable.PASS else blocked) not in MERGED
        )
    assert f" was judged: {'would be bounced' if outcome is BOUNCE else said.lower()}." in explanation(judged)
    page = page_of(judged)
    assert page.result.verdict == verdict
    told = pull_json(judged, base="b" * 40, seconds=1.0)
    assert (told["verdict"], told["cause"]) == (verdict.decision.value, cause and cause.value)
    assert cause is None or said.lower() in headline(verdict).plain


@pytest.mark.parametrize("label", PatchLabel)
def test_the_reviewers_opinion_is_a_yes_or_a_no_everywhere(label: PatchLabel) -> None:
    """A label or a chance of its own would contradict the verdict that running gave."""
    verdict = Verdict(ACCEPT, label, 0.55, "a judge", None, ("Nothing broke.",))
    result = a_result(verdict)
    accepts = label in (PatchLabel.CORRECT_AND_PRECISE, PatchLabel.CORRECT_BUT_INCOMPLETE)
    said = f"{'accept it' if accepts else 'not accept it'} (an opinion)"
    view, page = explanation(result), page_of(result)
    assert f"the reviewer, a judge, would {said}\n" in view and ("The reviewer would", said) in page.facts
    terminal = Console(file=StringIO(), width=200)
    terminal.print(pull_view(result, title="Pour", notes=()))
    assert isinstance(terminal.file, StringIO)
    for text in (view, str(replace(page, result=JUDGED)), terminal.file.getvalue()):
        assert "55" not in text and "incomplete" not in text


@pytest.mark.parametrize("decision", Decision)
def test_a_way_through_is_offered_only_to_what_does_not_pass(decision: Decision) -> None:
    said = explanation(a_result(replace(VERDICT, decision=decision)))
    assert "`/bouncer recheck` judges it again" in said or decision is BOUNCE
    assert ("/bouncer override" in said) is (decision is not ACCEPT)


def test_what_a_person_should_look_at_stands_everywhere() -> None:
    judged = RESULTS["what_a_person_should_look_at"]
    page = page_of(judged)
    told = pull_json(judged, base="", seconds=1.0)
    assert told["look_at"] == [{"what": title, "names": list(names)} for title, names in page.look_at]
    assert told["uncovered"] == list(page.uncovered) == ["For want of time: the control."]
    summary, terminal = gate_view(judged, Mode.ENFORCE, WhenUnavailable.PASS).summary, shown_in_terminal(judged)
    for title, found in page.look_at:
        assert title in summary and title in terminal
        assert all(name in summary and name in terminal for name in found[:5])
    assert page_of(JUDGED).look_at == (), "what is as it should be takes no room"


def test_the_page_and_json_have_what_the_check_shows() -> None:
    (found,) = page_of(RESULTS["both_demands_side_by_side"]).contradictions
    assert (found["old"], found["new"]) == (OLD_TEST, NEW_TEST)
    (told,) = pull_json(RESULTS["both_demands_side_by_side"], base="", seconds=1.0)["contradictions"]
    assert told["new"] == NEW_TEST
    page = page_of(RESULTS["what_turned"])
    assert page.turned[1] == ("test_other", "it ends in an error there; that counts for nothing")
    assert page.facts[:2] == (("Base commit", "b" * 40), ("Broken on purpose", "2 functions, each was noticed"))
    staged = page_of(changed(RESULTS["what_turned"], patch=replace(TURNED, only_tested=(STAGED,))))
    assert staged.turned[1][1].endswith("that counts for nothing: it passes only while it is tested")
    assert STILL.verdict.cause is Cause.PERSON
    (failing,) = pull_json(STILL, base="", seconds=1.0)["failing"]
    assert (failing["name"], failing["status"]) == ("`half(3)` gives 1", "still fails, as reported")


def test_a_fix_is_handed_back_only_while_it_is_bounced_and_when_it_stays_what_it_is() -> None:
    bounced = RESULTS["a_test_and_a_fix_to_take"]
    assert "```diff" not in override_view(bounced, "maintainer", "I know better.").summary
    hidden = changed(bounced, fix="+a\u202e\n", shown="\u202e")
    summary = gate_view(hidden, Mode.ENFORCE, WhenUnavailable.BLOCK).summary
    assert "```diff" not in summary and "```python" not in summary


def test_every_way_of_failing_names_the_test() -> None:
    """One that does not even run is called so, with the real cause."""
    broken = TestResult("tests/test_b.py", TestStatus.ERROR, "ImportError: conftest", 0.1)
    head = TestRun((*FAILED.results, broken, TestResult("test_s", TestStatus.SKIPPED, "", 0.1)), 1.0)
    lost = ("test_a", "test_s", "tests/test_b.py::test_b", "tests/test_c.py::test_c")
    own = TestRun((TestResult("test_new", TestStatus.FAILED, "E   no", 0.1),), 1.0)
    old = Contradiction("test_old", Fate.REWRITTEN, message="old", settled=Settled.OLD)
    patch = replace(BREAKS, regressions=lost, own_failing=("test_new",), contradictions=(old,))
    patch = replace(patch, facts=PatchFacts(PASSED, head, own))
    told = {
        each.name: (each.status, each.message)
        for each in contrary_tests(a_result(VERDICT, patch=patch, claimed=FAILED))
    }
    assert told["test_a"] == ("failed", "E   assert 1 == 2")
    assert told["test_s"][0] == "skipped"
    assert told["tests/test_b.py::test_b"] == ("deselected", "ImportError: conftest")
    assert told["tests/test_c.py::test_c"][1].startswith("It passes on the base. With the change it does not run")
    assert (told["test_new"], told["test_old"]) == (("failed", "E   no"), ("failed", "old"))
    patch = replace(BREAKS, regressions=(), only_tested=FAILED.results)
    found = contrary_tests(a_result(VERDICT, patch=patch))
    assert [(each.name, each.status, each.as_pushed) for each in found] == [
        (FAILED.results[0].name, "failed when its code could not see that it is tested", False),
    ]
    assert [each.name for each in contrary_tests(a_result(VERDICT, patch=replace(patch, regressions=("test_a",))))] == [
        "test_a"
    ]
    assert contrary_tests(a_result(replace(VERDICT, decision=ACCEPT), patch=patch)) == ()


def shown_in_terminal(judged: PullResult) -> str:
    console = Console(width=120, record=True, file=StringIO())
    console.print(pull_view(judged, title="A change", notes=("From bbbbbbb to aaaaaaa.",)))
    return console.export_text()


def said_by(stranger: str) -> Claim:
    return Claim(ClaimKind.CRASH, stranger, stranger, Counterexample(How.CALL, "f()", "1"), stranger)


def told_by(stranger: str) -> str:
    """Two summaries full of a stranger's words."""
    verdict = replace(VERDICT, evidence=(Evidence("size", Effect.NEUTRAL, "Small.", stranger, stranger),))
    failing = replace(FAILED, results=(TestResult(stranger, TestStatus.FAILED, stranger, 0.1),))
    patch = replace(BREAKS, facts=PatchFacts(PASSED, failing, failing), regressions=(stranger,))
    told = Contradiction(stranger, Fate.RENAMED, stranger, stranger, stranger, stranger)
    turned = (Turned(stranger, Red.ERROR, stranger, counts=True),)
    patch = replace(patch, contradictions=(told,), turned=turned)
    review = PatchReview(PatchLabel.INCORRECT, True, 0.9, stranger, ReviewMode.DIRECT, claims=(said_by(stranger),))
    observed = Observed(Ending.RAISED, stranger)
    difference = Difference(stranger, observed, observed, Generator.EXAMPLE, quote=stranger)
    verified = Verified(BOUNCE, Case.UNDECIDED, (stranger,), difference=difference)
    judged = replace(a_result(verdict, verified=verified, patch=patch, review=review), agent=stranger, asked=stranger)
    judged = changed(judged, shown=stranger, fix=stranger, repair=Repair(problem=stranger))
    loud = gate_view(judged, Mode.ENFORCE, WhenUnavailable.BLOCK)
    return f"{loud.summary}\n{override_view(judged, stranger, stranger).summary}"


def test_nothing_a_stranger_wrote_is_alive() -> None:
    hostile = (
        "@everyone #1 :tada: [x](https://evil.example) ![y](https://evil.example/z.png) <b>x</b> </details>\n# Big"
    )
    assert alive(told_by(hostile)) == alive(told_by("plain words"))


def test_files_of_a_fix_that_look_alike_are_both_there() -> None:
    made = Repair((Attempt(LoopEnd.FINISHED, "Done.", (), {"a.py": "1\n", "a\u200b.py": "2\n"}),), chosen=0)
    ((shown, chosen),) = page_of(changed(JUDGED, repair=made)).attempts
    assert chosen and [*shown.files.values()] == ["1\n", "2\n"]


def test_what_is_not_judged_and_what_is_under_way() -> None:
    assert state_view("exempt", why="Not a coding agent's pull request").conclusion == "success"
    under_way = state_view("progress", doing="x")
    assert (under_way.conclusion, under_way.title) == (None, "Judging: x")
