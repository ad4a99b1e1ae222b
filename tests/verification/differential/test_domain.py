"""What the visible calls span, what lies outside, and what a change can concern; inputs by Hypothesis."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.judges.code import Interface, SpecTest
from bot.verification.differential.domain import Signature, arguments_of, signatures
from bot.verification.differential.examples import examples, reached
from bot.verification.differential.inputs import mutated
from bot.verification.differential.strategies import drawn
from tests.support.cases import cases, table


def within(call, *visible):
    (signature,) = signatures(visible)
    function, values, words = arguments_of(call)
    assert (function, words) == (signature.function, signature.words)
    return signature.within(values)


@cases
def test_what_every_visible_value_has_belongs_to_the_domain(visible, inside, outside):
    assert within(visible, visible)
    assert within(inside, visible)
    assert not within(outside, visible)


def test_a_second_call_widens_the_domain():
    assert not within("f([-1])", "f([5, 2])")
    assert within("f([-1])", "f([5, 2])", "f([-4])")
    assert within("f([])", "f([5, 2])", "f([])")


def test_calls_without_literal_arguments_span_nothing():
    assert signatures(["f(x)", "f(g(1))", "not python (", "f()"]) == ()


def test_a_call_is_written_as_it_was_read():
    (signature,) = signatures(["m.f(1, key='a')"])
    assert signature.call((2, "b")) == "m.f(2, key='b')"
    assert signature.call((float("inf"), "b")) == "m.f(float('inf'), key='b')"


@cases
@pytest.mark.parametrize("make", [mutated, drawn])
def test_every_input_made_lies_in_the_domain(call, make):
    (signature,) = signatures([call])
    calls = list(make(signature, 8, 1))
    assert calls == list(make(signature, 8, 1))
    assert len(set(calls)) == len(calls) <= 8
    for made in calls:
        assert signature.within(arguments_of(made)[1])


def test_there_are_inputs_enough_for_the_usual_kinds():
    for call in ("f(12)", "f('Some words here')", "f([3, 1, 2, 2])", "f([1.5, 2.5], 2)", "f({'a': 1, 'b': 2})"):
        (signature,) = signatures([call])
        assert len(list(mutated(signature, 40, 0))) >= 20, call


INTERFACE = Interface("pack.solution", ("f(a, b=1)", "g(a)"))


@cases
def test_calls_with_literal_arguments_are_found_by_any_name(test, calls):
    assert set(examples([test], (), INTERFACE)) == set(calls)


def test_the_specification_shows_calls_too():
    shown = (SpecTest("", "f(5)", "6"), SpecTest("", "g( 'ab' )", "'ba'"), SpecTest("", "h(1)", "2"))
    found = examples(["assert f(1) == 2"], shown, INTERFACE)
    assert found == ("f(1)", "f(5)", "g('ab')")


SOURCE = table(str, __file__, "SOURCE")


@cases
def test_reached(before: str, after: str, found: set[str] | None) -> None:
    assert before in SOURCE
    assert reached(SOURCE, SOURCE.replace(before, after, 1)) == (None if found is None else frozenset(found))


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@pytest.mark.parametrize("value", [4.71, -0.1, 1e300, 1e-320, float("inf"), 10**400, 0.0])
def test_numbers_of_any_size(value: Any) -> None:
    for call in drawn(Signature("f", (), ((value,),)), 5, 0):
        assert call.startswith("f(")


@settings(max_examples=25, suppress_health_check=[HealthCheck.nested_given], deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=3))
def test_values_of_any_kind(seen: list[tuple[Any, Any]]) -> None:
    signature = Signature("f", (), tuple(seen))
    for call in drawn(signature, 3, 0):
        found = arguments_of(call)
        assert found is None or signature.within(found[1])


def test_the_same_seed_gives_the_same_inputs() -> None:
    signature = Signature("f", (), ((4.71, [1, 2]),))
    assert drawn(signature, 10, 7) == drawn(signature, 10, 7) != drawn(signature, 10, 8)
