from dataclasses import replace
from typing import Any

import pytest

from bot.issues.decide import decide_issue, wants_judge
from bot.issues.exemptions import why_exempt, why_no_look, why_outside
from bot.issues.facts import IssueHistory
from bot.judges.offline.issues import packaged
from bot.policy import Policy
from bot.policy_choices import Strictness
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.words import question_sentence
from bot.verdicts import NEVER_HELD, Decision, Effect, Evidence, IssueKind, Item, Question, SpecificationLabel
from tests.issues.builders import DOWN, HELD, JUDGE, NOTHING, facts, judgement, look, policy, report
from tests.support.cases import cases

ACCEPT, BOUNCE = Decision.ACCEPT, Decision.BOUNCE
EMPTY = report(items=NOTHING, visible_text="", features={"specific_words": 0.0})
SURE = judgement(0.01, label=SpecificationLabel.WELL_SPECIFIED)


@cases
def test_the_decision(difference: dict[str, Any], decision: Decision) -> None:
    assert decide_issue(look(difference), Policy()).decision is decision


@pytest.mark.parametrize("kind", sorted(NEVER_HELD))
def test_what_is_never_held(kind: IssueKind) -> None:
    assert decide_issue(look({"kind": kind}), Policy()).decision is ACCEPT


@pytest.mark.parametrize("strictness", list(Strictness))
def test_the_strictness_sets_the_threshold_of_the_judge(strictness: Strictness) -> None:
    rules = policy(issues={"strictness": strictness.value})
    cut = packaged().thresholds[strictness]
    assert decide_issue(facts(judgement=judgement(cut)), rules).decision is BOUNCE
    assert decide_issue(facts(judgement=judgement(cut - 0.001)), rules).decision is ACCEPT


def test_a_bounce_says_what_is_clear_what_is_missing_and_asks() -> None:
    seen = Evidence("length", Effect.NEUTRAL, "7 words of prose.")
    verdict = decide_issue(facts(report=report(evidence=(seen,))), Policy())
    assert [(line.item, line.clear, line.quote) for line in verdict.checklist] == [
        (Item.OBSERVED, True, "Saving crashes"),
        (Item.EXPECTED, True, "it should save"),
        (Item.STEPS, False, ""),
        (Item.VERSION, False, ""),
    ]
    assert verdict.missing == (Item.STEPS, Item.VERSION)
    assert [question.item for question in verdict.questions] == [Item.VERSION, Item.STEPS]
    assert issue_reasons(verdict) == ("The report leaves out steps to reproduce and the version and environment.",)
    assert (verdict.label, verdict.probability, verdict.judge, verdict.kind, verdict.evidence) == (
        SpecificationLabel.VAGUE,
        0.99,
        JUDGE,
        IssueKind.BUG,
        (seen,),
    )


def test_a_quote_stands_with_the_first_item_it_supplies() -> None:
    both = {Item.OBSERVED: "It crashes on save", Item.STEPS: "It crashes on save", Item.VERSION: None}
    verdict = decide_issue(facts(report=report(items=both)), Policy())
    assert [line.quote for line in verdict.checklist] == ["It crashes on save", "", ""]


def test_what_was_satisfied_is_never_missing_again() -> None:
    verdict = decide_issue(facts(history=IssueHistory(satisfied=(Item.STEPS,))), Policy())
    assert verdict.missing == (Item.VERSION,)
    assert [question.item for question in verdict.questions] == [Item.VERSION]


def test_a_judge_of_another_kind_brings_its_own_items() -> None:
    other = judgement(kind=IssueKind.FEATURE, items={Item.GOAL: False, Item.DETAILS: True})
    assert [line.item for line in decide_issue(facts(judgement=other), Policy()).checklist] == [Item.GOAL, Item.DETAILS]


def test_the_judges_questions_come_first_and_the_policy_bounds_them() -> None:
    own = judgement(questions=(Question(Item.VERSION, "Which release is this?"),))
    assert decide_issue(facts(judgement=own), Policy()).questions[0].text == "Which release is this?"
    rules = policy(issues={"max_questions": 1})
    assert [q.item for q in decide_issue(facts(judgement=own), rules).questions] == [Item.VERSION]


@cases
def test_only_a_bounce_asks(difference: dict[str, Any]) -> None:
    assert decide_issue(look(difference), Policy()).questions == ()


def test_unavailable_says_why_and_by_whom() -> None:
    verdict = decide_issue(facts(judgement=DOWN), Policy())
    assert (issue_reasons(verdict), verdict.judge, verdict.label) == ((DOWN.reason,), "gpt-4.1", None)
    spent = decide_issue(facts(looks_today_repository=500), Policy())
    assert issue_reasons(spent) == ("The repository's budget of judgements for today is spent.",)
    contradiction = decide_issue(facts(report=EMPTY, judgement=SURE), Policy())
    assert contradiction.label is SpecificationLabel.WELL_SPECIFIED


@cases
def test_no_judge_is_asked_in_vain(difference: dict[str, Any], wanted: bool) -> None:
    assert wants_judge(look({**difference, "judgement": None}), Policy()) is wanted


SECTIONS = ["Steps to reproduce", "Version", "Motivation"]


@cases
def test_sections_that_the_policy_wants(difference: dict[str, Any], strictness: str, missing: tuple[str, ...]) -> None:
    rules = policy(issues={"required_sections": SECTIONS, "strictness": strictness, "max_questions": 2})
    verdict = decide_issue(look({"judgement": SURE, **difference}), rules)
    assert verdict.decision is (BOUNCE if missing else ACCEPT)
    assert tuple(line.section for line in verdict.checklist if not line.clear and line.section) == missing
    assert len(verdict.questions) == min(2, len(missing)), "the policy bounds them"
    for name, question in zip(missing, verdict.questions, strict=False):
        assert f"The section “{name}” is missing or empty." in question_sentence(question)
    if missing:
        assert all(f"“{name}”" in issue_reasons(verdict)[0] for name in missing)
        assert (verdict.label, verdict.judge) == (None, "nobody"), "it is the policy's word"


def test_a_report_that_is_held_anyway_is_asked_for_the_sections_first() -> None:
    rules = policy(issues={"required_sections": ["Version", "Motivation"]})
    verdict = decide_issue(facts(), rules)
    assert [line.section or line.item for line in verdict.checklist if not line.clear] == [
        "Version",
        "Motivation",
        Item.STEPS,
    ]
    assert [question.item for question in verdict.questions] == [Item.VERSION, Item.DETAILS, Item.STEPS]
    assert verdict.label is SpecificationLabel.VAGUE
    assert "“Version” and “Motivation”" in issue_reasons(verdict)[0]


def test_a_box_does_not_vanish_when_a_reply_makes_it_needless() -> None:
    """A stack trace says what should not happen; nobody has to say what should."""
    asked = replace(HELD, asked=(Item.EXPECTED, Item.VERSION))
    found = report(items={Item.OBSERVED: "Saving crashes", Item.STEPS: "press save", Item.VERSION: None})
    verdict = decide_issue(facts(report=found, history=asked), Policy())
    assert verdict.missing == (Item.VERSION,)
    assert [line.clear for line in verdict.checklist if line.item is Item.EXPECTED] == [True]


def test_nothing_is_ticked_and_called_missing_at_once() -> None:
    missing = Evidence("expected_behaviour", Effect.MISSING, "The report does not name the expected result.")
    other = Evidence("steps", Effect.MISSING, "The report gives no steps to reproduce.")
    judged = judgement(0.99, items={Item.EXPECTED: True, Item.STEPS: False})
    verdict = decide_issue(facts(report=report(evidence=(missing, other)), judgement=judged), Policy())
    assert verdict.decision is BOUNCE
    ticked = {line.item for line in verdict.checklist if line.clear}
    assert (Item.EXPECTED in ticked, missing in verdict.evidence, other in verdict.evidence) == (True, False, True)


@cases
def test_what_is_outside(difference: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    assert why_outside(look(difference), policy(issues={"only": rules})) == reason


@cases
def test_exemption(difference: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    assert why_exempt(look(difference), policy(issues={"exempt": rules})) == reason


@cases
def test_what_gets_no_look(difference: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    assert why_no_look(look(difference), policy(issues=rules)) == reason
