"""Inputs of the domain by Hypothesis: not near the visible calls, as `inputs.py` makes them, but all over it."""

import ast
import struct
from collections.abc import Iterable, Sequence
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st

from bot.verification.differential.domain import LONGER, SPREAD, Domain, alphabet, is_sorted, record
from bot.verification.differential.expression import Expression, as_literal
from bot.verification.syntax import tree_of

TRIED = 2  # times as many as wanted: some lie outside the domain
MOST_SHAPES = 12
OF_TYPES = 60  # calls of which nothing but the types is known


def drawn(seen: Sequence[Expression], domain: Domain, count: int, seed: int) -> tuple[str, ...]:
    """Calls inside the domain, at most `count`, each once. The same seed gives the same calls."""
    shapes = {tuple(step.pieces for step in base.steps): base for base in seen if base.values}
    each = [st.tuples(*map(_like, domain.columns(base))).map(base.with_values) for base in shapes.values()]
    others = st.one_of(each[:MOST_SHAPES]).map(domain.of_lengths)
    calls = others.map(lambda other: str(other) if domain.within(other) else "")
    return _first(calls, count, seed) if each else ()


def _first(calls: st.SearchStrategy[str], count: int, seed: int) -> tuple[str, ...]:
    found: dict[str, None] = {}

    @hypothesis.seed(seed)
    @settings(
        max_examples=TRIED * count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(calls)
    def collect(call: str) -> None:
        if call and len(found) < count:
            found[call] = None

    collect()
    return tuple(found)


def calls_by_types(source: bytes, names: Iterable[str]) -> tuple[str, ...]:
    """Calls of public functions, and of methods of objects made for it, whose annotations are plain types. names:
    dotted, within the module."""
    calls = [each for name in names if (each := _annotated(name, tree_of(source).body)) is not None]
    return _first(st.one_of(calls), OF_TYPES, 0) if calls else ()


def _annotated(name: str, body: list[ast.stmt]) -> st.SearchStrategy[str] | None:
    around, _, own = name.rpartition(".")
    inside = next((each.body for each in body if isinstance(each, ast.ClassDef) and each.name == around), body)
    found = {each.name: each for each in inside if isinstance(each, ast.FunctionDef)}
    if own.startswith("_") or own not in found or found[own].decorator_list or "." in around:
        return None
    given = [_given(each, bool(around)) for each in (found[own], found.get("__init__")) if each]
    if None in given:
        return None
    rows = st.tuples(*(each for each in given if each is not None))
    return rows.map(lambda row: f"{around}({', '.join(row[1:])}).{own}({row[0]})" if around else f"{own}({row[0]})")


def _given(function: ast.FunctionDef, first: int) -> st.SearchStrategy[str] | None:
    """The arguments that have no default, as text."""
    given = function.args
    wanted = (given.posonlyargs + given.args)[first : len(given.posonlyargs + given.args) - len(given.defaults)]
    kinds = [_plain_type(each.annotation) for each in wanted]
    row = st.tuples(*(st.from_type(kind) for kind in kinds if kind))
    return row.map(lambda values: ", ".join(map(as_literal, values))) if all(kinds) else None


def _plain_type(annotation: ast.expr | None) -> Any:
    """The type that an annotation names; `None` where it is more than plain types, or none. It is built here from the
    names of these alone."""
    match annotation:
        case ast.Name(id=name):
            return PLAIN.get(name)
        case ast.Constant(value=None):
            return type(None)
        case ast.BinOp(left=one, op=ast.BitOr(), right=other):
            kinds = _plain_type(one), _plain_type(other)
            return kinds[0] | kinds[1] if all(kinds) else None
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name.lower() in PLAIN:
            items = [_plain_type(each) for each in (inner.elts if isinstance(inner, ast.Tuple) else [inner])]
            return PLAIN[name.lower()][tuple(items)] if all(items) and issubclass(PLAIN[name.lower()], MANY) else None
    return None


MANY = (list, dict, set, tuple)
PLAIN: dict[str, Any] = {each.__name__: each for each in (int, float, str, bool, *MANY)}


def _like(seen: Sequence[Any]) -> st.SearchStrategy[Any]:
    """Values of the types seen."""
    kinds: dict[type, list[Any]] = {}
    for value in seen:
        kinds.setdefault(type(value), []).append(value)
    return st.one_of([_of(kind, values) for kind, values in kinds.items()])


def _of(kind: type, seen: list[Any]) -> st.SearchStrategy[Any]:
    if kind is bool:
        return st.booleans()
    if kind in (int, float):
        most = SPREAD * max(map(abs, seen)) + 10
        least = -most if min(seen) < 0 else 0
        return st.integers(int(least), int(most)) if kind is int else _floats(least, most)
    if kind is str:
        pieces = [([*"".join(seen)], ""), ([word for text in seen for word in text.split()], " ")]
        again = [st.lists(st.sampled_from(each), max_size=len(each)).map(by.join) for each, by in pieces if each]
        letters = alphabet(seen)
        return st.one_of([*again, st.text(letters, max_size=_longest(seen))] if letters else [st.just("")])
    if kind is bytes:
        most = 127 if all(map(bytes.isascii, seen)) else 255
        return st.lists(st.integers(0, most), max_size=_longest(seen)).map(bytes)
    if kind in (list, tuple) and record(seen):
        fields = [_like([other[i] for other in seen]) for i in range(len(seen[0]))]
        return st.tuples(*fields).map(kind)
    if kind in (list, tuple, set, frozenset):
        if not (inner := [item for other in seen for item in other]):
            return st.just(kind())
        items = [_like(inner), st.sampled_from(inner)]  # others, and the same in other orders
        made = st.one_of([st.lists(each, max_size=_longest(seen)) for each in items])
        in_order = kind in (list, tuple) and all(len(other) > 2 and is_sorted(other) for other in seen)
        return (made.map(sorted) if in_order else made).map(kind)
    if kind is dict:
        keys, items = [k for other in seen for k in other], [v for other in seen for v in other.values()]
        return st.dictionaries(_like(keys), _like(items), max_size=_longest(seen)) if keys else st.just({})
    return st.sampled_from(seen)


def _longest(seen: list[Any]) -> int:
    return 2 * max(map(len, seen)) + LONGER


def _floats(least: float, most: float) -> st.SearchStrategy[float]:
    """Short ones where there are any: of 32 bits, between bounds that are such themselves."""
    try:
        least, most = (struct.unpack("f", struct.pack("f", bound))[0] for bound in (least, most))
    except OverflowError:
        return st.floats(least, most)
    return st.floats(least, most, width=32)
