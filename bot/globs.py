"""Patterns of paths, branches and titles, matched in time linear in the text. Pure.

`*` is anything within one part of a path, `**` anything at all, `?` one character within a part; all else stands for
itself, brackets too. `**/` at the start of a part is any number of whole folders, also none. All ways of reading a
pattern are followed at once, a bit each, so no pattern takes long.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class _Steps:
    """A bit for each place in a pattern. literal: where a character leads on; one: where any of a part does. wide,
    part: where anything, or anything of a part, may stand; skips: what may be left out. folders: where whole folders
    begin; inside: where a `/` ends one."""

    literal: dict[str, int]
    one: int
    wide: int
    part: int
    skips: int
    folders: int
    inside: int
    end: int


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text is as the pattern says."""
    steps = _steps(pattern)
    at = _skipped(steps, 1)
    for character in text:
        within = character != "/"
        on = steps.literal.get(character, 0) | (steps.one if within else steps.inside)
        stay = steps.wide | steps.inside | (steps.part if within else 0)
        at = _skipped(steps, ((at & on) << 1) | (at & stay))
        if not at:
            return False
    return bool(at & steps.end)


def any_matches(patterns: Iterable[str], text: str) -> bool:
    """Whether one of them does."""
    return any(matches(pattern, text) for pattern in patterns)


def _skipped(steps: _Steps, at: int) -> int:
    """With what may follow where nothing has to stand."""
    at |= ((at & steps.folders) << 1) | ((at & steps.folders) << 2)
    return at | ((at & steps.skips) << 1)


@lru_cache(maxsize=256)
def _steps(pattern: str) -> _Steps:
    literal: dict[str, int] = {}
    bits = dict.fromkeys(("one", "wide", "part", "skips", "folders", "inside"), 0)
    place, index = 1, 0
    while index < len(pattern):
        stars = len(pattern[index:]) - len(pattern[index:].lstrip("*"))
        begins = index == 0 or pattern[index - 1] == "/"
        index += stars or 1
        if stars > 1 and begins and pattern[index : index + 1] == "/":
            bits["folders"] |= place
            bits["inside"] |= place << 1
            place, index = place << 1, index + 1
        elif stars:
            bits["wide" if stars > 1 else "part"] |= place
            bits["skips"] |= place
        elif pattern[index - 1] == "?":
            bits["one"] |= place
        else:
            literal[pattern[index - 1]] = literal.get(pattern[index - 1], 0) | place
        place <<= 1
    return _Steps(literal, end=place, **bits)
