"""How calls are read, what they span and what lies outside; inputs by Hypothesis."""

from random import Random
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from bot.verification.differential.domain import Domain
from bot.verification.differential.expression import Expression, read
from bot.verification.differential.inputs import mutated
from bot.verification.differential.strategies import drawn
from tests.support.cases import cases


def given(*calls: str) -> tuple[list[Expression], Domain]:
    seen = [each for call in calls if (each := read(call))]
    return seen, Domain.of(seen)


def within(call: str, *visible: str) -> bool:
    (found,), (_, domain) = given(call)[0], given(*visible)
    return domain.within(found)


@cases
def test_what_every_visible_value_has_belongs_to_the_domain(visible, inside, outside):
    assert within(visible, visible)
    assert within(inside, visible)
    assert not within(outside, visible)


@cases
def test_two_calls_show_how_arguments_belong_together_and_one_shows_nothing(one, other, inside, outside):
    assert within(inside, one, other)
    assert not within(outside, one, other)
    assert within(outside, one)


def test_a_second_call_widens_the_domain():
    assert not within("f([-1])", "f([5, 2])")
    assert within("f([-1])", "f([5, 2])", "f([-4])")
    assert within("f([])", "f([5, 2])", "f([])")


@pytest.mark.parametrize("text", ["f(x)", "f(*[1])", "not python (", "3", "x.y", "(o1 := f(x), o1.g(2))[-1]"])
def test_what_is_no_call_with_known_values_is_not_read(text: str) -> None:
    assert read(text) is None


@cases
def test_an_expression_is_written_as_it_was_read(text: str, other: str, sites: list[str], asks: str) -> None:
    """other: with the literal 7 in each place. Names of the module `shop` need no prefix."""
    found = read(text, "shop")
    assert found is not None
    assert [name for name, _ in found.sites] == sites
    assert found.steps[-1].asks == asks
    again = read(str(found))
    assert again is not None and str(again) == str(found) and [*again.sites] == [*found.sites]
    assert str(found.with_values([7 for _ in found.values])) == other


@cases
def test_calls_in_a_row_are_made_in_other_orders(text: str, more: str, orders: list[str]) -> None:
    """more: with a call that was seen of another object of the class."""
    found, other = read(text), read(more)
    assert found is not None and other is not None
    assert sorted({str(each) for each in found.other_orders([other.steps[-1]], Random(0))}) == sorted(orders)


def test_numbers_of_the_lines_that_differ_are_as_good_as_seen_by_size_alone() -> None:
    seen = [read("f(4, [(3, 2)])")]
    domain = Domain.of(filter(None, seen), (2000, -2000))
    for call, inside in {
        "f(2000, [(3, 2)])": True,
        "f(2001, [(3, 2)])": False,
        "f(-2000, [(3, 2)])": False,
        "f(4, [(3, 2000)])": True,
        "f(4, [(3, 1999)])": False,
    }.items():
        found = read(call)
        assert found is not None and domain.within(found) is inside, call


@cases
@pytest.mark.parametrize("make", [mutated, drawn])
def test_every_input_made_lies_in_the_domain(call, make):
    seen, domain = given(call)
    calls = list(make(seen, domain, 8, 1))
    assert calls == list(make(seen, domain, 8, 1))
    assert len(set(calls)) == len(calls) <= 8
    for made in calls:
        assert within(made, call)


def test_there_are_inputs_enough_for_the_usual_kinds():
    for call in ("f(12)", "f('Some words here')", "f([3, 1, 2, 2])", "f([1.5, 2.5], 2)", "f({'a': 1, 'b': 2})"):
        assert len(list(mutated(*given(call), 40, 0))) >= 20, call


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@pytest.mark.parametrize("value", [4.71, -0.1, 1e300, 1e-320, 10**400, 0.0])
def test_numbers_of_any_size(value: Any) -> None:
    for call in drawn(*given(f"f({value!r})"), 5, 0):
        assert call.startswith("f(")


@settings(max_examples=25, suppress_health_check=[HealthCheck.nested_given], deadline=None)
@hypothesis.given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=3))
def test_values_of_any_kind(rows: list[tuple[Any, Any]]) -> None:
    calls = [f"f({one!r}, {other!r})" for one, other in rows]
    for call in drawn(*given(*calls), 3, 0):
        assert within(call, *calls)


def test_the_same_seed_gives_the_same_inputs() -> None:
    asked = given("f(4.71, [1, 2])")
    assert drawn(*asked, 10, 7) == drawn(*asked, 10, 7) != drawn(*asked, 10, 8)
