"""Reading what a model wrote. The server tests hold the common bad answers; here is what needs no server."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.judges.answer import MAX_QUOTE, BadAnswer, read_answer, verbatim
from bot.verdicts import Item, SpecificationLabel
from tests.support.cases import cases
from tests.support.model import judged

REPORT = "It fails\nwith  `KeyError: 'name'` after  the upgrade."


def question(item: str = "version", text: str = "Which version?", quote: str = "") -> dict[str, str]:
    return {"item": item, "text": text, "quote": quote}


@cases
def test_only_quotes_that_occur_are_kept(quote: str, kept: str) -> None:
    assert verbatim(quote, REPORT) == kept
    (found,) = read_answer(judged(questions=[question(quote=quote)]), REPORT).questions
    assert found.quote == kept


def test_quotes_are_bounded() -> None:
    assert len(verbatim("x" * 500, "x" * 600)) == MAX_QUOTE


def test_at_most_three_questions() -> None:
    questions = [question(text=f"Question {number}?") for number in range(5)]
    found = read_answer(judged(questions=questions), REPORT).questions
    assert [q.text for q in found] == ["Question 0?", "Question 1?", "Question 2?"]


@pytest.mark.parametrize(
    "broken", [{}, None, 7, "text", question("weather"), {"item": "version"}, question(text=" \n ")]
)
def test_a_malformed_question_is_dropped_alone(broken: Any) -> None:
    found = read_answer(judged(questions=[broken, question()]), REPORT).questions
    assert [q.text for q in found] == ["Which version?"]


def test_no_question_about_what_the_judge_calls_supplied() -> None:
    answer = read_answer(judged(items={"version": True}, questions=[question(), question("steps", "How?")]), REPORT)
    assert [q.item for q in answer.questions] == [Item.STEPS]


def test_question_text_is_one_bounded_line_without_control_characters() -> None:
    (found,) = read_answer(judged(questions=[question(text="Is\u202e it\n\n@you?\x00" + "y" * 900)]), REPORT).questions
    assert found.text.startswith("Is it @you? y")
    assert len(found.text) == 300


def test_items_it_says_nothing_about_and_unknown_ones_are_left_out() -> None:
    answer = read_answer(judged(items={"version": None, "steps": False, "weather": True}), REPORT)
    assert answer.items == {Item.STEPS: False}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (judged() + "\n" + judged("VAGUE"), "more than one JSON object"),
        (judged()[:-1] + ', "label": "VAGUE"}', "a field twice"),
        (judged().replace('"items": {}', '"items": {"steps": true, "steps": false}'), "a field twice"),
        ("Answer {as asked}: " + judged(), "not valid JSON"),
        ("{" * 10_000, "not valid JSON"),
        ('{"a":' * 10_000, "nested too deeply"),
        ("nothing", "no complete JSON object"),
        ("", "empty"),
        ("<think>" + judged() + "</think>", "empty"),
        ("y" * 60_001, "far too long"),
        (json.dumps({"reasoning": "r", "kind": "bug", "items": {}}), "label: Field required"),
    ],
)
def test_what_is_ambiguous_or_broken_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadAnswer, match=why):
        read_answer(text, REPORT)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    with pytest.raises(BadAnswer):
        read_answer(text, REPORT)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["reasoning", "kind", "items", "questions", "label", "other"])


@given(st.dictionaries(FIELDS, JSON | st.sampled_from(list(SpecificationLabel)), max_size=6))
def test_a_label_is_only_what_the_label_field_says(fields: dict[str, Any]) -> None:
    try:
        answer = read_answer(json.dumps(fields), REPORT)
    except BadAnswer:
        return
    assert answer.label == fields["label"]
