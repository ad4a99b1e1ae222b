"""What is stored is shown as it was: pull requests' results, and issues' verdicts that people were told."""

import json
from dataclasses import replace

from bot.pulls.result import restored, stored
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.pull_page import page_of, pull_page
from bot.verdicts import Decision
from tests.pulls.results import decided
from tests.webhooks.judged import vague


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
