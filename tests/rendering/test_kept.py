"""What is stored is shown as it was; of tests that pass only the number is stored."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import pytest

from bot.policy_choices import Mode, WhenUnavailable
from bot.pulls.claims import by_runs
from bot.pulls.facts import Statement, StatementKind
from bot.pulls.outcomes import mended, of_untried, unbroken, unfit
from bot.pulls.result import PullResult, restored, stored
from bot.rendering.gate import gate_view
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.pull_messages import rejection_comment
from bot.rendering.pull_page import Page, page_of, pull_page
from bot.rendering.pull_reasons import evidence_of, reasons
from bot.rendering.pull_view import pull_json
from bot.rendering.rejection_view import rejection_json
from bot.verdicts import Decision
from bot.verification.evidence import Case, Verified
from bot.verification.patch_evidence import Contradiction, Fate, PatchEvidence, PatchFacts, Standing
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.trial.outcomes import judge_patch
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.pulls.results import changed, decided, known
from tests.rendering.test_pull_messages import REVIEW
from tests.webhooks.judged import vague

findings = partial(PatchEvidence, Standing.OPEN, ())
LATE = f"ended after 9 tests: {TIME_OUT}"
CLAIMS = tuple(Statement(kind, "So it is.", "title") for kind in StatementKind)


def run(seconds: float, problem: str = "", passing: int = 9, **others: TestStatus) -> TestRun:
    """passing: so many tests `p0`, `p1` … that pass, a second each. others: how the others end."""
    passed = (TestResult(f"t.py::p{number}", TestStatus.PASSED, "", 1.0) for number in range(passing))
    rest = (TestResult(f"t.py::{name}", status, f"E   {name}") for name, status in others.items())
    return TestRun((*passed, *rest), seconds, problem)


NOTHING = decided()
BAD, SKIPPED, FLAKY = TestStatus.FAILED, TestStatus.SKIPPED, TestStatus.FLAKY
BASE = run(10.0, a=TestStatus.PASSED)
GOOD = PatchFacts(BASE, run(11.0, a=TestStatus.PASSED), run(12.0, passing=12))
CASES: Mapping[str, PatchFacts] = {
    "nothing breaks": GOOD,
    "no tests of its own": replace(GOOD, own=GOOD.head),
    "its own configuration": replace(GOOD, as_pushed=run(13.0, passing=8, p8=SKIPPED), own_base=run(5.0, own=BAD)),
    "one breaks": replace(GOOD, head=run(11.0, a=BAD), own=run(12.0, a=BAD)),
    "one is skipped": replace(GOOD, head=run(11.0, a=SKIPPED)),
    "one is gone": replace(GOOD, head=run(11.0)),
    "one is repaired": replace(GOOD, base=run(10.0, a=BAD)),
    "one is flaky": replace(GOOD, head=run(11.0, a=FLAKY)),
    "none passes": PatchFacts(*(run(10.0, passing=0, a=BAD),) * 3),
    "no tests": PatchFacts(*(run(10.0, passing=0),) * 3),
    "the base's time ends": replace(GOOD, base=run(10.0, LATE), head=run(10.0, LATE)),
    "the head's time ends early": replace(GOOD, base=run(9.0), head=run(8.0, LATE, passing=1), own=run(1.0)),
    "the head's time ends late": replace(GOOD, base=run(9.0), head=run(8.0, LATE, passing=8), own=run(1.0)),
    "its own configuration's time ends early": replace(
        GOOD, base=run(9.0), head=run(9.0), own=run(1.0), as_pushed=run(8.0, LATE, passing=1)
    ),
    "its own come to no end": replace(GOOD, own=run(12.0, "It broke off.")),
    "the head takes long": replace(GOOD, head=run(99.0), own=run(99.0)),
}


@pytest.mark.parametrize("facts", CASES.values(), ids=CASES.keys())
def test_what_is_kept_decides_and_shows_the_same(facts: PatchFacts) -> None:
    patch = judge_patch(
        findings(facts, own_failing=("t.py::p3",), contradictions=(Contradiction("t.py::a", Fate.REMOVED),))
    )
    for each in (patch, judge_patch(findings(facts))):
        assert seen(each.to_keep()) == seen(each)
        assert each.to_keep().to_keep() == each.to_keep()


def page(result: PullResult) -> Page:
    return replace(page_of(result), result=NOTHING)


def seen(patch: PatchEvidence) -> list[object]:
    """All that is made of the runs: by what was stored of them."""
    facts = known(patch=patch, demanded="issue 12")
    asked = [unbroken(facts), unfit(facts), mended(facts), of_untried(facts), by_runs(CLAIMS, patch)]
    result = restored(stored(decided(patch=patch, demanded="issue 12", claimed=patch.facts.own_base)))
    views = [page(result), pull_json(result, base="", seconds=1.0), reasons(result), evidence_of(result)]
    return [*asked, result.verdict, *views, gate_view(result, Mode.ENFORCE, WhenUnavailable.BLOCK)]


def test_a_test_more_that_passes_takes_no_room() -> None:
    def size(tests: int) -> int:
        own = run(12.0, passing=tests)
        patch = judge_patch(findings(PatchFacts(run(10.0, passing=tests), run(11.0, passing=tests), own, own_base=own)))
        verified = Verified(Decision.ACCEPT, Case.EQUIVALENT, (), own, own, patch=patch.to_keep()).to_keep()
        return len(stored(decided(patch=patch.to_keep(), verified=verified)))

    assert size(9000) == size(2000)


def test_the_first_that_passes_stays_for_the_version_before() -> None:
    """It knows no number beside the results, and asks whether any of them passed."""
    kept = run(10.0, a=BAD, b=SKIPPED).to_keep(lambda _: False)
    assert [each.name for each in kept.results] == ["t.py::p0", "t.py::a", "t.py::b"] and kept.also_passed == 8
    assert kept.numbers == {TestStatus.PASSED: 9, BAD: 1, SKIPPED: 1}


def test_runs_that_differ_by_a_name_alone_are_still_two() -> None:
    """Else a page would show no tests of its own."""
    other = replace(BASE, results=tuple(replace(each, name=f"{each.name} more") for each in BASE.results[1:]))
    own = replace(other, results=(BASE.results[0], *other.results))
    patch = judge_patch(findings(PatchFacts(BASE, BASE, own)))
    assert seen(patch.to_keep()) == seen(patch)


def test_what_a_maintainer_answered_is_told_apart() -> None:
    answer = TestResult("test_bouncer_answers_1.py::test_specification_1", TestStatus.PASSED)
    runs = [replace(each, results=(*each.results, answer, answer)) for each in (BASE, run(11.0, a=BAD))]
    verified = Verified(Decision.ACCEPT, Case.OVER_REPAIR, (), *runs)
    kept = verified.to_keep()
    assert kept != verified and rejection_json(kept) == rejection_json(verified)
    assert rejection_comment(REVIEW, kept, None) == rejection_comment(REVIEW, verified, None)
    result = decided(verified=verified)
    assert page(changed(result, verified=kept)) == page(result)


def test_a_result_is_stored_as_itself() -> None:
    result = decided(problem="Nothing isolates here.")
    assert restored(stored(result)) == result and json.loads(stored(result))["version"] == 1
    assert result.verdict.decision is Decision.UNAVAILABLE and not result.verdict.reasons, "sentences are not stored"
    assert pull_page(stored(result), Decision.UNAVAILABLE, "") == page_of(result)


def test_a_page_that_was_removed_has_the_decision_and_its_reason_left() -> None:
    page = pull_page("", Decision.BOUNCE, "It breaks tests.")
    assert page.removed and (page.result.verdict.decision, page.reasons) == (Decision.BOUNCE, ("It breaks tests.",))


def test_an_issues_verdict_that_people_were_told_brings_its_sentences_along() -> None:
    assert issue_reasons(replace(vague(), reasons=("As it was said then.",))) == ("As it was said then.",)
