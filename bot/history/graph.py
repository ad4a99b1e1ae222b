"""Which commits others contain. Commits are numbers, every one greater than its parents'. Pure."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import compress, count, islice


class Graph:
    """Every pair of a child and its parent, in the order of the children, as two arrays: they are read from the disk as
    they are, and walked from one end to the other."""

    def __init__(self, children: "array[int]", parents: "array[int]") -> None:
        self.children = children
        self.parents = parents

    @classmethod
    def of(cls, parents: Mapping[int, Iterable[int]]) -> "Graph":
        """parents: of each commit, by number."""
        pairs = [(child, parent) for child in sorted(parents) for parent in parents[child]]
        return cls(array("I", [child for child, _ in pairs]), array("I", [parent for _, parent in pairs]))

    def parents_of(self, number: int) -> tuple[int, ...]:
        return tuple(self.parents[bisect_left(self.children, number) : bisect_right(self.children, number)])

    def reachable(self, tips: Iterable[int]) -> set[int]:
        """These commits and all before them."""
        wanted = list(tips)
        marks = bytearray(max(wanted, default=0) + 1)
        for tip in wanted:
            marks[tip] = 1
        for child, parent in self._down(len(marks) - 1):
            if marks[child]:
                marks[parent] = 1
        return set(compress(count(), marks))

    def containing(self, commits: Iterable[int], last: int) -> list[int]:
        """For each number up to `last` which of these commits it contains, itself included: a bit for each, the first
        one's the lowest."""
        held = [0] * (last + 1)
        lowest = last
        for at, number in enumerate(commits):
            held[number] |= 1 << at
            lowest = min(lowest, number)
        start = bisect_right(self.children, lowest)
        for child, parent in zip(islice(self.children, start, None), islice(self.parents, start, None), strict=True):
            if held[parent]:
                held[child] |= held[parent]
        return held

    def _down(self, highest: int) -> Iterator[tuple[int, int]]:
        """The pairs from the child `highest` on, greatest first."""
        end = bisect_right(self.children, highest)
        return zip(reversed(self.children[:end]), reversed(self.parents[:end]), strict=True)
