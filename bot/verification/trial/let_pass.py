"""Answers of the change that equal the base's, or hold a part of it, though they are others and the base tells them
apart: what compares has become another, and tests let them pass.

Base and head are each asked of their own answer and of the other's as it is written down, in the module of the function
that gave it. What cannot be written so says nothing.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.verification.syntax import plain_value
from bot.verification.trial.moved import Both
from bot.verification.values import Ending, RecordedCall

_NEAR = 1e-6  # of a number: as near as tests take for equal
_WHOLES = (list, tuple, set, frozenset, dict)


def questions(calls: Iterable[RecordedCall], seen: Mapping[str, Both]) -> dict[RecordedCall, tuple[str, str]]:
    """Of each call that both programs have an answer to: what the base is asked, and what the head is."""
    found = dict[RecordedCall, tuple[str, str]]()
    for call in calls:
        was, now = seen[call.expression]
        if was.ending is now.ending is Ending.RETURNED:
            found[call] = (_question(call, was.value, now.value), _question(call, now.value, was.value))
    return found


def _question(call: RecordedCall, own: str, other: str) -> str:
    """Whether the answer that a program gives itself equals another, or holds a part of it that it has not. With the
    other as it is made: a program may make something else of it."""
    number = isinstance(plain_value(other), int | float)
    near = f" or min(abs(own - other), abs(other - own)) <= {_NEAR} * abs(other)" if number else ""
    same = f"bool(own == other{near} or [each for each in {_missing(own, other)!r} if each in own])"
    return f"(lambda own, other: ({same}, other))({call.expression}, eval({other!r}, dict(vars({call.module}))))"


def passes(seen: Both, asked: Both) -> bool:
    """Whether the head finds alike what the base tells apart. seen: both answers. asked: both to the questions."""
    (was, now), (base, head) = seen, asked
    return (base.value, head.value) == (f"(False, {now.value})", f"(True, {was.value})")


def _missing(own: str, other: str) -> list[Any]:
    """The words of a text, or the parts of a list or the like, that another of its kind has not."""
    mine, theirs = map(plain_value, (own, other))
    if not isinstance(mine, type(theirs)):
        return []
    parts = theirs.split() if isinstance(theirs, str) else list(theirs) if isinstance(theirs, _WHOLES) else []
    return [each for each in parts if each not in mine]
