"""Which names from code a text gives, and which of them a change touches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.terms import LONGEST, code_terms, met
from tests.changes.parts import file_of
from tests.support.properties import patient

TRACE = 'Traceback (most recent call last):\n  File "/srv/shop/cart.py", line 12, in total\n    x\nKeyError: 1\n'


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The total is wrong when I add things.", set()),
        ("`total` is wrong", {"total"}),
        ("Call `cart.add(item, 2)` twice", {"cart", "add", "item"}),
        ("apply_discount fails", {"apply_discount"}),
        ("ShoppingCart fails", {"ShoppingCart"}),
        ("shop.cart.ShoppingCart.total() fails", {"ShoppingCart", "total"}),
        ("see shop/cart.py", {"cart.py"}),
        (TRACE, {"cart.py", "total", "KeyError"}),
        ("`self` and `None` and `https`, e.g. on GitHub", set()),
    ],
)
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
