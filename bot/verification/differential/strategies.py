"""Inputs of the domain by Hypothesis: not near the visible calls, as `inputs.py` makes them, but all over it."""

import struct
from collections.abc import Sequence
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st

from bot.verification.differential.domain import LONGER, SPREAD, Domain, alphabet, record
from bot.verification.differential.expression import Expression

TRIED = 2  # times as many as wanted: some lie outside the domain
MOST_SHAPES = 12


def drawn(seen: Sequence[Expression], domain: Domain, count: int, seed: int) -> tuple[str, ...]:
    """Calls inside the domain, at most `count`, each once. The same seed gives the same calls."""
    shapes = {tuple(step.pieces for step in base.steps): base for base in seen if base.values}
    each = [st.tuples(*map(_like, domain.columns(base))).map(base.with_values) for base in shapes.values()]
    found: dict[str, None] = {}
    if not each:
        return ()

    @hypothesis.seed(seed)
    @settings(
        max_examples=TRIED * count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(each[:MOST_SHAPES]))
    def collect(other: Expression) -> None:
        if len(found) < count and domain.within(other):
            found[str(other)] = None

    collect()
    return tuple(found)


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
        letters = alphabet(seen)
        return st.text(letters, max_size=_longest(seen)) if letters else st.just("")
    if kind in (list, tuple) and record(seen):
        fields = [_like([other[i] for other in seen]) for i in range(len(seen[0]))]
        return st.tuples(*fields).map(kind)
    if kind in (list, tuple, set, frozenset):
        inner = [item for other in seen for item in other]
        return st.lists(_like(inner), max_size=_longest(seen)).map(kind) if inner else st.just(kind())
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
