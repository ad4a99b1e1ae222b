"""Calls and expectations read from text nobody trusts."""

import ast
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.judges.code import Interface
from bot.verification.literals import (
    MAX_TEXT,
    calls_in,
    interface_of,
    is_module,
    literal_call,
    read_call,
    read_expected,
    same,
    same_value,
)
from tests.support.cases import cases, table
from tests.support.properties import patient

INTERFACE = Interface("solution", ("f(a, b=1, *, c=None)", "g(*xs: int, **more) -> int", "h(x, /)", "broken(("))

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4)
KEYS = st.integers() | st.text(max_size=3)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def written(value: object) -> str:
    """As the sandbox writes values: NaN and infinity are calls of `float`."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, tuple):
        return f"({written(value[0])},)"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in value.items()) + "}"
    return repr(value)


@cases
def test_a_literal_call_has_a_normal_form(text: str, normal: str) -> None:
    call = read_call(text, INTERFACE)
    assert call is not None
    assert call.text == normal


LONG = ("f(" + "9" * 5000 + ")", "f(" + "[" * 1500 + "]" * 1500 + ")", "f('" + "a" * MAX_TEXT + "')")


@pytest.mark.parametrize("text", [*table(list[str], __file__, "test_anything_else_is_no_call"), *LONG])
def test_anything_else_is_no_call(text: str) -> None:
    assert read_call(text, INTERFACE) is None


def test_two_ways_to_write_a_call_are_told_to_be_one() -> None:
    assert len({read_call(text, INTERFACE) for text in ("f(1)", "f(a=1)", "f(1, 1)", "f(1, c=None, b=1)")}) == 1
    assert read_call("f(1)", INTERFACE) != read_call("f(2)", INTERFACE)


@cases
def test_an_expectation_is_a_literal_or_a_built_in_exception(text: str, normal: str | None) -> None:
    assert read_expected(text) == normal


@patient
@given(VALUES)
def test_every_literal_survives(value: object) -> None:
    normal = read_expected(written(value))
    assert normal is not None
    assert read_expected(normal) == normal
    assert same(normal, written(value))


@patient
@given(st.text(max_size=60))
def test_no_text_is_read_as_more_than_a_call(text: str) -> None:
    for given_text in (text, f"f({text})", f"f('{text}')"):
        call = literal_call(given_text)
        if call is not None:
            names = [node.id for node in ast.walk(call) if isinstance(node, ast.Name)]
            assert set(names[1:]) <= {"float", "set"}
        read_expected(given_text)
        list(calls_in(given_text, INTERFACE))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1", "1.0", True),
        ("0.3", "0.1 + 0.2j", False),
        ("0.30000000000000004", "0.3", True),
        ("3", "3.0000000001", True),
        ("[1, {'a': 0.3}]", "[1, {'a': 0.30000000000000004}]", True),
        ("0.3", "0.31", False),
        ("(1, 2)", "[1, 2]", False),
        ("{1, 2}", "{2, 1}", True),
        ("[1]", "[1, 2]", False),
        ("{'a': 1}", "{'b': 1}", False),
        ("float('nan')", "float('nan')", True),
        ("float('nan')", "1.0", False),
        ("float('inf')", "1e999", True),
        ("1.5", "1" + "0" * 400, False),
        ("'1'", "1", False),
        ("raises ValueError", "raises ValueError", True),
        ("raises ValueError", "raises KeyError", False),
        ("raises ValueError", "'raises ValueError'", False),
    ],
)
def test_what_means_the_same(one: str, other: str, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal


@patient
@given(VALUES, VALUES)
def test_equality_never_fails(one: object, other: object) -> None:
    assert same_value(one, one)
    assert same_value(one, other) == same_value(other, one)


def test_the_interface_of_a_module_are_its_public_functions() -> None:
    source = "import os\ndef a(x: list[int] = [1], *y) -> int: pass\ndef _b(): pass\nclass C:\n def d(self): pass"
    assert interface_of(source, "m").signatures == ("a(x: list[int]=[1], *y) -> int",)
    assert interface_of("def a(:", "m").signatures == ()


@cases
def test_a_module_is_named_by_identifiers(name: str, importable: bool) -> None:
    assert is_module(name) is importable


@cases
def test_the_calls_a_text_names(text: str, calls: list[str]) -> None:
    assert list(calls_in(text, INTERFACE)) == calls
