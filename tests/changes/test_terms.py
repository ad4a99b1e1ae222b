"""Which names from code a text gives, and which of them a change touches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.terms import LONGEST, code_terms, met
from tests.changes.parts import file_of
from tests.support.cases import cases
from tests.support.properties import patient


@cases
def test_terms(text: str, terms: set[str]) -> None:
    assert code_terms(text) == terms


def test_met_in_code_beside_it_and_in_the_path() -> None:
    file = file_of("shop/cart.py", "def total(x):\n    return x\n", "def total(x):\n    return _rounded(x)\n")
    assert met(file, frozenset({"cart.py", "total", "_rounded", "tot", "other"})) == {"cart.py", "total", "_rounded"}


@pytest.mark.parametrize("text", ['File "' * LONGEST, "`" * LONGEST, "a." * LONGEST, "a/" * LONGEST, "a_" * LONGEST])
def test_hostile_texts(text: str) -> None:
    assert len(code_terms(text)) <= 200


@patient
@given(st.text())
def test_any_text(text: str) -> None:
    code_terms(text)
