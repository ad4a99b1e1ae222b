"""Which commits others contain. Commits are numbers, every one greater than its parents'. Pure."""

from collections.abc import Iterable


class Graph:
    """parents: of each commit, by number."""

    def __init__(self, parents: dict[int, tuple[int, ...]]) -> None:
        self.parents = parents

    def reachable(self, tips: Iterable[int]) -> set[int]:
        """These commits and all before them."""
        found = set(tips)
        waiting = list(found)
        while waiting:
            for parent in self.parents[waiting.pop()]:
                if parent not in found:
                    found.add(parent)
                    waiting.append(parent)
        return found
