"""The question as a maintainer reads it, and that a tick in it is understood."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from bot.rendering.pull_messages import MOST, question_markdown
from bot.verification.questions import AnswerChoice, Given, VerificationQuestion, box, clicked, question
from bot.verification.values import Difference, Ending, Observed
from tests.rendering.github_markdown import alive, tokens
from tests.rendering.test_escape import untrusted
from tests.support.snapshots import none_is_left_over, reads_as_before

SNAPSHOTS = Path(__file__).parent / "snapshots" / "questions"
DIFFERENCE = Difference(
    "middle([1, 2, 3, 4])", Observed(Ending.RETURNED, "2"), Observed(Ending.RETURNED, "3"), "mutation"
)


def asked(**changes: object) -> VerificationQuestion:
    found = question(replace(DIFFERENCE, **changes), "Return the middle number of the list.", "solution")  # type: ignore[arg-type]
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
    reads_as_before(SNAPSHOTS / f"{name}.md", question_markdown(QUESTIONS[name]))


def test_no_snapshot_is_left_over() -> None:
    none_is_left_over(SNAPSHOTS, QUESTIONS)


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
