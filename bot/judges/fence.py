"""Putting a stranger's text into a prompt: shortened in the middle, between two lines nobody outside can predict."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

MARK_BYTES = 12


@dataclass(frozen=True, slots=True)
class Fenced:
    """mark: what both fence lines carry. text: the fenced text, fence lines included. cut: characters left out."""

    mark: str
    text: str
    cut: int


def random_mark() -> str:
    """96 random bits in hexadecimal: a report cannot contain a mark drawn after it was written."""
    return secrets.token_hex(MARK_BYTES)


def fence(text: str, budget: int, draw: Callable[[], str] = random_mark) -> Fenced:
    """The text between fence lines, at most `budget` of its characters kept."""
    text = encodable(text)
    mark = draw()
    while mark in text:
        mark = draw()
    kept, cut = cut_middle(text, budget)
    return Fenced(mark, f"<<<REPORT {mark}\n{kept}\nREPORT {mark}>>>", cut)


def cut_middle(text: str, budget: int) -> tuple[str, int]:
    """At most `budget` characters of the text, with a note in the gap, and how many were left out.

    Two thirds come from the head, where reports say what they want, the rest from the tail, where stack traces and
    replies end.
    """
    cut = len(text) - budget
    if cut <= 0:
        return text, 0
    head = budget * 2 // 3
    tail = budget - head
    note = f"\n[... {cut} characters left out here to keep this short; the reporter did write them ...]\n"
    return text[:head] + note + text[len(text) - tail :], cut


def encodable(text: str) -> str:
    """Lone surrogates, which JSON can carry and UTF-8 cannot, become `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")
