"""Inputs by Hypothesis: whatever values the visible calls show, some come out or none, and nothing breaks."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.verification.differential.domain import Signature, arguments_of
from bot.verification.differential.strategies import drawn

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
