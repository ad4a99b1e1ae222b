import ast
from collections import UserList, deque
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.differential.canonical import canonical
from bot.verification.testing.assertions import PlainAssertion, contradiction, plain_assertions, value_of
from bot.verification.values import Observed
from tests.support.cases import cases

FROM = "from solution import f\n"


@cases
def test_what_is_plain(source: str, found: list[tuple[str, str, str]]) -> None:
    assert [(a.call, a.relation, a.expected) for a in plain_assertions(source)] == found


def test_lines_are_those_of_the_file_and_loops_are_passed_over() -> None:
    source = (
        FROM
        + "def test_a():\n    assert f(1) == 2\n    for i in range(3):\n        assert f(i)\n    assert f(2) == 3\n"
    )
    assert [(a.call, a.line) for a in plain_assertions(source)] == [("f(1)", 3), ("f(2)", 6)]


@pytest.mark.parametrize(
    ("relation", "expected", "value", "holds"),
    [
        ("==", "[1]", [1], True),
        ("==", "[1]", (1,), False),
        ("!=", "1", 2, True),
        ("is", "True", True, True),
        ("is", "True", 1, False),
        ("in", "(1, 2)", 2, True),
        ("not in", "(1, 2)", 2, False),
        ("bool", "True", [0], True),
        ("bool", "False", [0], False),
    ],
)
def test_a_value_is_held_against_it(relation: str, expected: str, value: object, holds: bool) -> None:
    assert PlainAssertion("f()", expected, 1, relation).holds(value) is holds


LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(LITERALS, LITERALS)
def test_literals_survive(argument: object, expected: object) -> None:
    (found,) = plain_assertions(f"assert f({argument!r}) == {expected!r}")
    call = ast.parse(found.call, mode="eval").body
    assert isinstance(call, ast.Call)
    assert ast.literal_eval(call.args[0]) == argument
    assert found.holds(expected)


@given(st.text(max_size=200) | LITERALS.map(canonical))
def test_no_text_raises(text: str) -> None:
    plain_assertions(text)
    value_of(text)


@cases
def test_a_pass_must_hold_where_the_program_does_not_know_the_answer(
    relation: str, expected: str, seen: list[Observed], believed: bool
) -> None:
    found = contradiction([PlainAssertion("f(1)", expected, 4, relation)], seen)
    assert found == ("" if believed else "asked alone, the program does not give what line 4 asserts")


@pytest.mark.parametrize(
    "value", [Decimal(3) / 4, Fraction(3, 4), UserList([1]), frozenset((1,)), {1: float("inf")}, 1e400j, deque([()])]
)
def test_values_that_equal_literals_survive_being_written_down(value: object) -> None:
    assert value_of(canonical(value)) == value
