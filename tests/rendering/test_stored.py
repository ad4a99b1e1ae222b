"""What the version before results stored is shown as it was: pull requests' verdicts, their pages, issues' verdicts."""

import json
from pathlib import Path

from pydantic import TypeAdapter

from bot.policy_choices import Mode, WhenUnavailable
from bot.pulls.result import PullResult, restored, stored
from bot.rendering.gate import gate_view
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.page import page_of, shown_page
from bot.rendering.pull_reasons import evidence_of, not_covered, reasons
from bot.rendering.tongue import spoken
from bot.verdicts import Decision, Verdict
from tests.pulls.results import decided

STORED = json.loads((Path(__file__).parents[1] / "data" / "stored_before_results.json").read_text(encoding="utf-8"))
JUDGED = json.dumps(STORED["judged"])


def test_a_verdict_before_results_is_shown_as_it_was() -> None:
    result = restored(JUDGED)
    verdict = STORED["judged"]["verdict"]
    assert list(reasons(result)) == verdict["reasons"] and list(not_covered(result)) == verdict["uncovered"]
    assert [each.found for each in evidence_of(result)] == [each["found"] for each in verdict["evidence"]]
    assert result.facts.unneeded and result.facts.reproduced.still == ("`half(3)` gives 1",)
    # The guess is the review's; what the lists of a page are called are words of today.
    ((_, names),) = STORED["page"]["look_at"]
    titled = [["Tests whose old version fails, and whose version in this change passes", names]]
    today = {
        "Judged by": "Reviewed by",
        "Asked for": "The reviewer was asked for",
    }
    facts = [
        ["The reviewer would", "not accept it (an opinion)"] if name == "Its label" else [today.get(name, name), value]
        for name, value in STORED["page"]["facts"]
        if name != "It should be bounced"
    ]
    changed = {"guess": "the pot is cold, I guess", "look_at": titled, "facts": facts, "diff": [], "removed": False}
    page, then = page_of(result), {**STORED["page"], **changed}
    assert json.loads(TypeAdapter(type(page)).dump_json(page)) == then
    assert shown_page("", json.dumps(then)) == page, "a page that was stored alone is the same"
    view = gate_view(result, Mode.ENFORCE, WhenUnavailable.BLOCK)
    assert (
        view.title.endswith(verdict["reasons"][0])
        and "close this pull request: the code needs no change" in view.summary
    )


def test_an_issues_verdict_brings_its_sentences_along() -> None:
    verdict = TypeAdapter(Verdict).validate_python(STORED["issue"])
    assert issue_reasons(verdict) == tuple(STORED["issue"]["reasons"])
    assert spoken(verdict.questions[0]).endswith("What do you do?")


def test_a_result_is_stored_as_itself() -> None:
    result = decided(unexecuted="Nothing isolates here.")
    assert restored(stored(result)) == result and json.loads(stored(result))["version"] == 1
    assert result.verdict.decision is Decision.UNAVAILABLE and not result.verdict.reasons, "sentences are not stored"
    assert isinstance(restored(stored(restored(JUDGED))), PullResult)
