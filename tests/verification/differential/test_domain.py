"""What the visible calls span, and what lies outside."""

import pytest

from bot.verification.differential.domain import arguments_of, signatures
from bot.verification.differential.inputs import mutated
from bot.verification.differential.strategies import drawn


def within(call, *visible):
    (signature,) = signatures(visible)
    function, values, words = arguments_of(call)
    assert (function, words) == (signature.function, signature.words)
    return signature.within(values)


@pytest.mark.parametrize(
    ("visible", "inside", "outside"),
    [
        ("f(4)", "f(9)", "f(-1)"),
        ("f(4)", "f(1)", "f(0)"),
        ("f(0)", "f(3)", "f(-3)"),
        ("f(4)", "f(5)", "f(5.0)"),
        ("f(4)", "f(20)", "f(4000)"),
        ("f(True)", "f(False)", "f(1)"),
        ("f([5, 2, 9])", "f([3])", "f([])"),
        ("f([5, 2, 9])", "f([5, 5])", "f([5, 'a'])"),
        ("f([5, 2, 9])", "f([1, 2])", "f((1, 2))"),
        ("f([1, 4, 6, 9])", "f([2, 3])", "f([3, 2])"),
        ("f([2, 1, 4, 3])", "f([2, 3, 1])", "f([2, 3])"),
        ("f([[1, 2], [3, 4], [0, 9]])", "f([[2, 1]])", "f([[1], [2, 3]])"),
        ("f([['a', 1], ['b', 2]])", "f([['b', 3]])", "f([[1, 'b']])"),
        ("f('word')", "f('drow')", "f('')"),
        ("f('word')", "f('zebra')", "f('Zebra')"),
        ("f('a b c a')", "f('b c')", "f('bc a')"),
        ("f('12-05-2021')", "f('01-01-1999')", "f('1-1-1')"),
        ("f('http://a.org')", "f('http://bc.com')", "f('a.org')"),
        ("f('0110')", "f('1')", "f('2')"),
        ("f('(())')", "f('()')", "f('(')"),
        ("f('2.5')", "f('7')", "f('2.5.2')"),
        ("f('x')", "f('y')", "f('xy')"),
        ("f({'a': 1})", "f({'b': 2})", "f({1: 'b'})"),
        ("f([4, 7, 1], 3)", "f([4, 7], 2)", "f([4, 7], 1)"),
        ("f([4, 7, 1], 0)", "f([4, 7], 0)", "f([4, 7], 3)"),
        ("f([4, 7, 1], 7)", "f([4, 9], 9)", "f([4, 9], 5)"),
        ("f([4, 7, 1], [1, 2, 5])", "f([4, 7], [2, 5])", "f([4, 7], [2])"),
        ("f(2, 9)", "f(3, 5)", "f(5, 3)"),
        ("f(n=4)", "f(n=5)", "f(n=-5)"),
    ],
)
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


@pytest.mark.parametrize(
    "call",
    [
        "f(12)",
        "f(-3, 4.5)",
        "f('Some words, here')",
        "f([3, 1, 2, 2], 2)",
        "f([1, 2, 5, 9], 4)",
        "f([[1, 2], [3, 4]], 1, 0)",
        "f([('a', 1), ('b', 2)])",
        "f({'a': [1], 'b': []}, 'a')",
        "f({1, 2}, None, True)",
        "f('11-04-2020')",
        "f([], '')",
    ],
)
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
