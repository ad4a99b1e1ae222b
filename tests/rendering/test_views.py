"""What verdicts say of their ground, alike in the check and on the page."""

import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from rich.console import Console

from bot.judges.claims import Claim, ClaimKind, Counterexample, How
from bot.judges.code import BlindAnswer
from bot.judges.reviews import PatchReview, ReviewMode
from bot.policy import Policy
from bot.policy_choices import Mode, WhenUnavailable
from bot.policy_file import PolicyError, load
from bot.pulls.facts import PullFacts, Substance
from bot.pulls.judgement import ReviewAnswer, judged
from bot.rendering import words
from bot.rendering.gate import gate_view
from bot.rendering.gate_states import policy_check
from bot.rendering.issue_reasons import issue_promise
from bot.rendering.issue_view import issue_json, verdict_view
from bot.rendering.pull_findings import origin_of
from bot.rendering.pull_page import page_of
from bot.rendering.pull_reasons import not_covered
from bot.rendering.pull_view import pull_json, pull_view, rejection_view
from bot.verdicts import KINDS, Basis, Decision, IssueKind, Item, PatchLabel, SpecificationLabel, Verdict
from bot.verification.evidence import Case, HeadTrial, Verified
from tests.pulls.results import decided
from tests.rendering.github_markdown import alive
from tests.rendering.samples import ACCEPT, UNAVAILABLE, bounce
from tests.rendering.test_escape import untrusted
from tests.support.cases import cases

KEYS = ["verdict", "label", "probability", "judge", "kind", "missing", "questions", "reasoning", "evidence"]


def shown(verdict: Verdict, title: str = "", *, colour: bool = False) -> str:
    out = io.StringIO()
    Console(file=out, width=100, force_terminal=colour, color_system="standard" if colour else None).print(
        verdict_view(verdict, title)
    )
    return out.getvalue()


def test_json_has_exactly_the_promised_keys() -> None:
    document = issue_json(bounce())
    assert list(document) == KEYS
    assert {key: document[key] for key in KEYS[:6]} == {
        "verdict": "BOUNCE",
        "label": "VAGUE",
        "probability": 0.83,
        "judge": "offline/1",
        "kind": "bug",
        "missing": ["expected", "steps"],
    }
    assert document["questions"] == [
        "“it crashes sometimes when I press save” — What did you do the last time, step by step?",
        "What should `save_all()` do instead?",
    ]
    assert document["evidence"][0] == {
        "check": "observed_behaviour",
        "effect": "clear",
        "found": "The report says what happens.",
        "quote": "it crashes sometimes when I press save",
        "where": "body",
    }


def test_what_a_model_wrote_before_its_label_is_shown() -> None:
    verdict = replace(bounce(), reasoning="It is unclear which\u202e [cache] is meant.")
    assert issue_json(verdict)["reasoning"] == "It is unclear which [cache] is meant."
    assert "The judge wrote: It is unclear which [cache] is meant." in shown(verdict)
    assert "The judge wrote" not in shown(bounce())


def test_json_of_a_verdict_that_judged_nothing() -> None:
    document = issue_json(UNAVAILABLE)
    assert (document["verdict"], document["label"], document["probability"], document["kind"]) == (
        "UNAVAILABLE",
        None,
        None,
        None,
    )


@settings(max_examples=100, deadline=None)
@given(untrusted)
def test_json_holds_nothing_invisible(text: str) -> None:
    printed = json.dumps(issue_json(bounce(text, question=text, judge=text)), ensure_ascii=False)
    assert printed.isprintable()
    assert json.loads(printed)["verdict"] == "BOUNCE"
    printed.encode()


def test_the_terminal_shows_the_verdict_its_checklist_and_questions() -> None:
    text = shown(bounce(), "Saving")
    for part in (
        "Saving",
        "BOUNCE",
        "bug report, vague; too little to act on: 83% (likely)",
        "83% (likely)",
        "✓ what happens: “it crashes sometimes when I press save”",
        "○ steps to reproduce",
        "1. “it crashes sometimes when I press save” — What did you do",
        "Hidden text gives instructions.",
    ):
        assert part in text
    assert "UNAVAILABLE" in shown(UNAVAILABLE) and "ACCEPT" in shown(ACCEPT)


@settings(max_examples=100, deadline=None)
@given(untrusted)
def test_the_terminal_obeys_no_strangers_escapes_or_markup(text: str) -> None:
    assert "\x1b" not in shown(bounce(text, question=text, judge=text), text)
    coloured = shown(bounce(text, question=text, judge=text), text, colour=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).replace("\n", "").isprintable()


def test_markup_is_shown_as_it_stands() -> None:
    assert "[bold]x[/bold] [link=http://e.co]y[/link]" in shown(bounce("[bold]x[/bold] [link=http://e.co]y[/link]"))


def test_every_value_has_words() -> None:
    assert set(words.ITEMS) == set(Item)
    assert set(words.LABELS) == set(SpecificationLabel)
    assert set(KINDS) == set(IssueKind)


@cases
def test_chances_in_words(probability: float, said: str) -> None:
    assert words.chance(probability) == said


@cases
def test_listing(items: tuple[Item, ...], said: str) -> None:
    assert words.join_items(items) == said


def test_the_check_of_an_invalid_policy() -> None:
    with pytest.raises(PolicyError) as caught:
        load("mode: loud\nisues: {}\n")
    check = policy_check(caught.value.problems)
    assert (check.conclusion, check.title) == ("failure", "2 problems in the policy")
    assert check.summary.startswith("- line 1, column 7: ")
    assert [(found.start_line, found.start_column) for found in check.annotations] == [(1, 7), (2, 1)]
    assert all(found.path == ".github/bouncer.yml" for found in check.annotations)
    assert alive(check.summary) == []


def test_the_check_of_a_valid_policy() -> None:
    assert load("") == Policy()
    check = policy_check(())
    assert (check.conclusion, check.title, check.annotations) == ("success", "The policy is valid", ())


@settings(max_examples=100, deadline=None)
@given(untrusted)
def test_the_check_shows_strangers_text_harmlessly(text: str) -> None:
    try:
        load(text)
    except PolicyError as error:
        assert alive(policy_check(error.problems).summary) == []


STATED = (
    Counterexample(How.CALL, "pour(1)", "2"),
    Counterexample(How.COMMAND, "tea --pour", "exit 1"),
    Counterexample(How.STATE, "pot.txt", "exists"),
)


@cases
def test_an_example_that_a_judge_gives_is_not_the_issues(name: str, origin: str) -> None:
    assert origin_of(name) == origin


def test_what_a_judge_names_and_nobody_tried_is_named() -> None:
    said = [each for each in not_covered(decided(not_run=STATED)) if each.startswith("The judge names")]
    assert said == [
        "The judge names a call that was not tried: pour(1).",
        "The judge names a command that was not tried: tea --pour.",
        "The judge names a file that was not tried: pot.txt.",
    ]


@pytest.mark.parametrize(("tried", "left"), [((), STATED), (("pour(1)", "tea --pour"), STATED[1:])])
def test_only_a_call_that_ran_was_tried(tried: tuple[str, ...], left: tuple[Counterexample, ...]) -> None:
    claims = tuple(Claim(ClaimKind.WRONG_OUTPUT, "", counterexample=each) for each in STATED)
    review = PatchReview(PatchLabel.INCORRECT, True, 0.5, "a judge", ReviewMode.DIRECT, claims=claims)
    ran = HeadTrial(tried=tried)
    assert judged(PullFacts(substance=Substance.CODE), lambda: ReviewAnswer(review), lambda _: ran).not_run == left


@pytest.mark.parametrize("without", [True, False])
def test_what_a_model_would_have_done_is_said_where_there_is_none(without: bool) -> None:
    told = any(each.startswith("No model is set up.") for each in not_covered(decided(without_model=without)))
    assert told is without


def said(basis: Basis | None) -> str:
    return issue_promise(Verdict(Decision.BOUNCE, SpecificationLabel.VAGUE, 0.7, "gpt-4.1", None, basis=basis))


@cases
def test_it_names_where_it_was_measured(basis: Basis, stands_on: str) -> None:
    assert said(basis) == f"At most 5% of clear issues should be held by mistake. This is based on {stands_on}"


def test_rules_promise_no_share() -> None:
    assert said(None) == ""


HEARD = (
    BlindAnswer("one with blind-demand/1", "pour(1)", "'tea'", "It pours tea."),
    BlindAnswer("one with blind-demand/1", "pour(1)", "'tea'", "It pours tea."),
    BlindAnswer("two with blind-demand/1", "pour(1)"),
    BlindAnswer("two with blind-demand/1", "pour(2)", problem="The model is away."),
)
BLIND = (
    (
        "A blind judge, one with blind-demand/1, asked 2 times, expects this, and quotes what was asked:",
        "pour(1) gives 'tea': It pours",
    ),
    ("A blind judge, two with blind-demand/1, finds nothing in what was asked that settles this:", "pour(1)"),
    ("A blind judge, two with blind-demand/1, gave no answer: The model is away.", "pour(2)"),
)


@pytest.mark.parametrize("beside_a_fix", [True, False])
def test_what_blind_judges_said_is_shown_everywhere(beside_a_fix: bool) -> None:
    """Alike in check, page, terminal and JSON, whether it is about a fix or about a claim alone."""
    tested = Verified(Decision.UNAVAILABLE, Case.BOTH_FAIL, (), heard=HEARD)
    found = decided(verified=tested) if beside_a_fix else decided(heard=HEARD)
    out = io.StringIO()
    Console(file=out, width=400).print(pull_view(found, title="", notes=()))
    if beside_a_fix:
        Console(file=out, width=400).print(rejection_view(tested))
    document = json.dumps(pull_json(found, base="", seconds=0), ensure_ascii=False)
    check = gate_view(found, Mode.ADVISE, WhenUnavailable.PASS).summary.replace("\\", "")
    page = {(each.found, each.quote) for each in page_of(found).evidence}
    for sentence, quote in BLIND:
        assert any(said == sentence and told.startswith(quote) for said, told in page)
        assert sentence in document and quote in document
        assert out.getvalue().count(sentence) == 1 + beside_a_fix
        assert sentence in check and quote in check
