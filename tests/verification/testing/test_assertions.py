import ast
from collections import deque
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.judges.code import Interface
from bot.verification.differential.canonical import canonical
from bot.verification.testing.assertions import PlainAssertion, contradiction, plain_assertions, value_of
from bot.verification.values import Ending, Observed
from tests.support.cases import cases

NAMES = Interface("solution", ("f(x)", "g(x)"))


def found_in(source: str) -> list[PlainAssertion]:
    return list(plain_assertions(source, NAMES))


@cases
def test_what_is_plain(source: str, found: list[tuple[str, str, int]]) -> None:
    assert [(each.call, each.expected, each.line) for each in found_in(source)] == found


LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(LITERALS, LITERALS)
def test_literals_survive(argument: object, expected: object) -> None:
    (found,) = found_in(f"assert f({argument!r}) == {expected!r}")
    call = ast.parse(found.call, mode="eval").body
    assert isinstance(call, ast.Call)
    assert ast.literal_eval(call.args[0]) == argument
    assert contradiction([found], [Observed(Ending.RETURNED, canonical(expected))]) == ""


@given(st.text(max_size=200) | LITERALS.map(canonical))
def test_no_text_raises(text: str) -> None:
    found_in(text)
    value_of(text)


@cases
def test_a_pass_must_hold_where_the_program_does_not_know_the_answer(
    expected: str, seen: list[Observed], believed: bool
) -> None:
    found = contradiction([PlainAssertion("f(1)", expected, 4)], seen)
    assert found == ("" if believed else "asked alone, the program does not give what line 4 asserts")


@pytest.mark.parametrize(
    "value", [Decimal(3) / 4, Fraction(3, 4), frozenset((1,)), {1: float("inf")}, 1e400j, deque([()])]
)
def test_values_that_equal_literals_survive_being_written_down(value: object) -> None:
    assert value_of(canonical(value)) == value
