"""Which names from code a text gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.history.terms import LONGEST, code_terms
from tests.support.cases import cases
from tests.support.properties import patient


@cases
def test_terms(text: str, terms: set[str]) -> None:
    assert code_terms(text) == terms


@pytest.mark.parametrize("text", ['File "' * LONGEST, "`" * LONGEST, "a." * LONGEST, "a/" * LONGEST, "a_" * LONGEST])
def test_hostile_texts(text: str) -> None:
    assert len(code_terms(text)) <= 200


@patient
@given(st.text())
def test_any_text(text: str) -> None:
    code_terms(text)
