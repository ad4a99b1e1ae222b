"""One named risk, and who may waive it. Pure."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from posixpath import basename

from bot.changes.values import Change, FileChange

Whole = Callable[[FileChange], tuple[str, str] | None]  # a file before and after; `None` where it cannot be had

_LONGEST = 100_000  # characters of a text that are looked at
_SENTENCE = re.compile(r"[^.!?\n]{1,400}(?:[.](?=\S)[^.!?\n]{0,400}){0,20}")
_ASKS = re.compile(
    r"\b(?:add|adopt|allow|bump|change|configure|declare|delete|depend|disable|drop|edit|enable|extend|fix|introduce|make"
    r"|migrate|modify|move|need|pin|remove|rename|replace|require|rewrite|run|set ?up|should|support|switch|turn|update"
    r"|upgrade|use|want)(?:s|d|es|ed|ing)?\b",
    re.I,
)


class Holds(StrEnum):
    """When a risk asks for a person."""

    ALWAYS = "always"
    UNLIKE = "unlike"  # where tests end otherwise once the change's own version of it counts
    WAIVED = "waived"  # somebody else asked for it
    NEVER = "never"  # it is shown


@dataclass(frozen=True, slots=True)
class Risk:
    """check: stable name. sentence: in Bouncer's own words. path: a stranger's. line: of the file after the change,
    from 1; 0 where there is none. names: what an issue by somebody else calls it, so as to ask for it; strangers'."""

    check: str
    sentence: str
    path: str
    line: int = 0
    names: tuple[str, ...] = ()
    holds: Holds = Holds.ALWAYS


def called(path: str) -> tuple[str, ...]:
    """What an issue calls a file that is about one thing only."""
    return path, basename(path)


Find = Callable[[Change, Whole], Iterator[Risk]]


def waived(risk: Risk, others: str) -> bool:
    """Whether an issue by somebody else asks for it: one sentence names it and says what should become of it.

    others: the words of such issues alone; the author's own waive nothing.
    """
    names = [name.lower() for name in risk.names if len(name) > 1]
    for sentence in _SENTENCE.findall(others[:_LONGEST]):
        lowered = sentence.lower()
        if any(_says(lowered, name) for name in names) and _ASKS.search(sentence):
            return True
    return False


def _says(sentence: str, name: str) -> bool:
    """As a word of its own."""
    at = sentence.find(name)
    while at >= 0:
        end = at + len(name)
        if not (_is_word(sentence[at - 1 : at]) or _is_word(sentence[end : end + 1])):
            return True
        at = sentence.find(name, end)
    return False


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
