"""Which of two versions is the newer one. Pure."""

import re

_VERSION = re.compile(
    r"v?(?P<numbers>\d{1,6}(?:\.\d{1,6}){0,3})"
    r"(?:[.-]?(?P<stage>a|b|rc|alpha|beta|dev|post)[.-]?(?P<count>\d{1,6}))?"
)
_STAGES = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "rc": 3, None: 4, "post": 5}
_MOST_NUMBERS = 4

Version = tuple[tuple[int, ...], int, int]  # numbers, stage, number within that stage


def not_older(before: str, after: str) -> bool:
    """Whether the second of two versions is as new as the first, or newer. What is none for certain is not: a commit,
    also a short one, may be anybody's. Nor is a tag of fewer numbers, which may move on: `v4` after `v4.1`."""
    old, new = _version(before), _version(after)
    if old is None or new is None:
        return False
    return old[0] <= new[0] and _padded(old) <= _padded(new)


def _version(text: str) -> Version | None:
    match = _VERSION.fullmatch(text)
    if match is None or (match["stage"] and "." not in match["numbers"]):  # `12a3456` is a short commit
        return None
    numbers = tuple(map(int, match["numbers"].split(".")))
    return numbers, _STAGES[match["stage"]], int(match["count"] or 0)


def _padded(version: Version) -> Version:
    """With as many numbers as there may be, so that 1.0 is newer than 1.0.0a1."""
    numbers, stage, count = version
    return (*numbers, *(0 for _ in range(_MOST_NUMBERS - len(numbers)))), stage, count
