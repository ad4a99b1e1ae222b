"""What the visible calls span, and what lies outside."""

import pytest

from bot.verification.differential.domain import arguments_of, signatures
from bot.verification.differential.inputs import mutated
from bot.verification.differential.strategies import drawn
from tests.support.cases import cases


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
