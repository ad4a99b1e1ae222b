"""What is drawn of a data set: always the same for the same seed, whatever the order of the rest."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def drawn(rows: Sequence[T], limit: int | None, seed: int = 0) -> list[T]:
    """So many at random, in their own order; all without a limit."""
    if limit is None or limit >= len(rows):
        return list(rows)
    places = sorted(Random(seed).sample(range(len(rows)), limit))
    return [rows[place] for place in places]


def thirds(sizes: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """The places of the shortest, the middle and the longest third."""
    order = sorted(range(len(sizes)), key=lambda place: (sizes[place], place))
    first, second = len(order) // 3, 2 * len(order) // 3
    return sorted(order[:first]), sorted(order[first:second]), sorted(order[second:])
