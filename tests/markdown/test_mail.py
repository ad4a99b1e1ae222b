"""What a mail program, an absent owner and a quoted mail put around an answer."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.markdown.mail import own_words, sentences_in
from bot.rendering.words import languages, own_sentences, sentence
from tests.support.cases import cases, table

SAID = sentences_in([table(str, __file__, "asked")])


@cases
def test_what_is_no_answer(text: str) -> None:
    assert not any(map(str.isalnum, own_words(text, SAID)))


@cases
def test_what_is_an_answer_stays(text: str, own: str) -> None:
    assert own_words(text, SAID).strip() == own


@cases
def test_what_only_looks_like_a_mail_stays(text: str) -> None:
    assert own_words(text, SAID | own_sentences()) == text


def test_what_bouncer_asks_in_any_language_is_known_and_what_items_are_called_is_not() -> None:

    for asked in (sentence(code, "questions.instead") for code in languages()):
        assert not own_words(asked, own_sentences()), asked
    assert own_words("steps to reproduce", own_sentences()) == "steps to reproduce"


@given(st.text("a.?!> -\n`[bot]:@*1", max_size=300))
def test_any_text_is_read_and_nothing_is_added(text: str) -> None:
    assert len(own_words(text, SAID)) <= len(text)


@pytest.mark.parametrize("part", ["a. ", "a.b", "a\n", "From: [bot]\n", "> a:\n1 [bot]:\n", "--\n", "best\n", "On 1 "])
def test_it_is_linear(part: str) -> None:
    def seconds(size: int) -> float:
        text = (part * size)[:size]
        start = time.process_time()
        own_words(text, SAID)
        return time.process_time() - start

    seconds(1_000)
    assert seconds(64_000) < 12 * max(seconds(16_000), 0.02)
