"""Which commits make one change: a merged pull request with what it brought, and every other commit alone. Pure."""

import re
from collections.abc import Callable, Iterable
from heapq import heappop, heappush

MOST_MEMBERS = 30  # a merge that brings more is no single change
_FAR = 20_000  # commits that are walked for one merge

_MERGED = re.compile(
    r"Merge pull request #\d|Merged? (?:PR|MR|pull request)\b|Merge #\d|Merged in \S+ \(pull request #\d"
    r"|Auto merge of #\d|Merge branch .{1,300}\n(?:.*\n){0,40}See merge request ",
    re.I,
)


def merges_pull(message: str) -> bool:
    """Whether a merge commit's message is the one that a forge or a merge bot writes for a pull request."""
    return _MERGED.match(message[:5000]) is not None


def members(first: int, second: int, parents: Callable[[int], Iterable[int]]) -> list[int]:
    """The commits reachable from `second` and not from `first`, newest first; none where they are too many to walk.

    Commits are numbers, every one greater than its parents', so the walk needs no dates.
    """
    found: list[int] = []
    known = {first: False, second: True}  # whether only the second's side reaches it
    queue = sorted((-first, -second))
    waiting = 1  # how many of the queue only the second's side reaches
    walked = 0
    while waiting and (walked := walked + 1) < _FAR:
        at = -heappop(queue)
        brought = known[at]
        if brought:
            waiting -= 1
            found.append(at)
        for parent in parents(at):
            if parent not in known:
                known[parent] = brought
                waiting += brought
                heappush(queue, -parent)
            elif known[parent] and not brought:
                known[parent] = False
                waiting -= 1
    return [] if waiting else found
