"""Values as text: by structure, so that an object cannot pretend to be equal to another one."""

import ast
import hashlib
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from enum import IntEnum
from functools import partial

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.calls.canonical import ITEMS, PARTS, TEXT, InUse, canonical, canonical_of_live

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
keys = st.integers() | st.text() | st.tuples(st.integers(), st.text())
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(keys, inner), max_leaves=15
)


@given(values)
def test_a_plain_value_can_be_read_back(value):
    text = canonical(value)
    if len(text) < TEXT:
        assert ast.literal_eval(text) == value


@given(values)
def test_a_value_in_use_is_written_as_any_other(value):
    assert canonical_of_live(value, TEXT) == canonical(value)
    assert canonical_of_live(Liar(), TEXT) == canonical(Liar())
    assert canonical_of_live("x" * 100, 50).endswith(f"102, '{hashlib.sha256(repr('x' * 100).encode()).hexdigest()}')")


class Asks:
    def __getattr__(self, name):
        raise AssertionError


@pytest.mark.parametrize("value", [iter([1]), (n for n in [1]), [Asks()], [0] * PARTS, "x" * 10**6, numpy.zeros(10**4)])
def test_what_would_be_used_up_or_asked_or_takes_long_is_not_written_while_it_is_in_use(value):
    with pytest.raises(InUse):
        canonical_of_live(value, TEXT)
    assert next(value, 1) == 1 if hasattr(value, "__next__") else True


@given(st.dictionaries(keys, scalars), st.randoms(use_true_random=False))
def test_the_order_of_a_dictionary_does_not_count(value, random):
    pairs = list(value.items())
    random.shuffle(pairs)
    assert canonical(dict(pairs)) == canonical(value)


@given(st.sets(keys), st.randoms(use_true_random=False))
def test_the_order_of_a_set_does_not_count(value, random):
    items = list(value)
    random.shuffle(items)
    assert canonical(set(items)) == canonical(value)


@pytest.mark.parametrize("value", [numpy.int64(3), numpy.array([1, 2]), numpy.array([[0.5]])])
def test_what_numpy_gives_is_what_it_lists(value):
    assert canonical([value]) == repr([value.tolist()])


class Colour(IntEnum):
    RED = 3


class Liar:
    """Says it equals everything and looks like 4."""

    def __init__(self):
        self.inner = [1]

    def __eq__(self, other):
        return True

    __hash__ = None

    def __repr__(self):
        return "4"

    @property
    def __class__(self):
        return int


class LiarOfOld(int):
    def __repr__(self):
        return "7"

    def __eq__(self, other):
        return True

    __hash__ = None


Point = namedtuple("Point", "x y")


class Plain:
    pass


class Slotted:
    __slots__ = ()


def forever():
    number = 0
    while True:
        yield number
        number += 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "float('nan')"),
        (float("-inf"), "float('-inf')"),
        (complex(1, -2), "complex(1.0, -2.0)"),
        (set(), "set()"),
        (frozenset({2, 1}), "frozenset({1, 2})"),
        ((1,), "(1,)"),
        (Point(1, 2), "(1, 2)"),
        (Counter("aab"), "{'a': 2, 'b': 1}"),
        (OrderedDict(b=1, a=2), "{'a': 2, 'b': 1}"),
        (defaultdict(list, {1: [2]}), "{1: [2]}"),
        (deque([1, 2]), "deque([1, 2])"),
        (map(str, [1]), "iter(['1'])"),
        ({1: 2}.keys(), "iter([1])"),
        (Colour.RED, "3"),
        (Liar(), "Liar(inner=[1])"),
        (LiarOfOld(3), "3"),
        (len, "builtin_function_or_method('builtins', 'len')"),
        ([].append, "builtin_function_or_method(...)"),
        (partial(pow, 2), "partial(args=(2,), func=builtin_function_or_method('builtins', 'pow'), keywords={})"),
        (lambda: 1, "function(...)"),
        (object(), "object(...)"),
        (Plain(), "Plain()"),
        (Slotted(), "Slotted()"),
        (b"\xff", "b'\\xff'"),
    ],
)
def test_how_a_value_is_written(value, text):
    assert canonical(value) == text


@pytest.mark.parametrize("module", ["builtins", "numpy", __name__])
def test_what_a_class_says_of_its_module_hides_nothing(module: str) -> None:
    """As of numpy's arrays, which are what they list, and of plain types, which keep what they hold elsewhere."""
    kind = type(
        "Bill",
        (),
        {"__module__": module, "tolist": lambda self: 0, "__init__": lambda self: vars(self).update(total=3)},
    )
    slotted = type("Bill", (), {"__module__": module, "__slots__": ("total",)})()
    slotted.total = 4
    assert canonical(kind()) == "Bill(total=3)"
    assert canonical(slotted) == "Bill(total=4)"


def test_a_generator_that_never_ends_is_cut():
    assert canonical(forever()).count(",") == ITEMS
    assert canonical(forever()).endswith("Ellipsis])") or canonical(forever()).endswith("...])")


def test_a_value_that_holds_itself_is_written():
    value = [1]
    value.append(value)
    assert canonical(value) == "[1, Deep()]"


def test_a_long_value_is_cut_and_still_told_from_another():
    one, other = "a" * TEXT + "b", "a" * TEXT + "c"
    assert len(canonical(one)) < TEXT
    assert canonical(one) != canonical(other)
    assert canonical(one) == canonical(str(one))


def test_a_number_too_long_for_decimal_is_written():
    assert canonical(10**5000).startswith("0x")
