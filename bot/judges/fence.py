"""Putting a stranger's text into a prompt: shortened in the middle, between two lines nobody outside can predict.

Characters that show nothing, or move others about, are taken out of prose and written out in code.
"""

import secrets
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MARK_BYTES = 12


@dataclass(frozen=True, slots=True)
class Fenced:
    """mark: what every fence line carries. texts: each fenced text by its name, fence lines included."""

    mark: str
    texts: Mapping[str, str]


def random_mark() -> str:
    """96 random bits in hexadecimal: a report cannot contain a mark drawn after it was written."""
    return secrets.token_hex(MARK_BYTES)


def fence(texts: Mapping[str, str], budgets: Mapping[str, int], draw: Callable[[], str] = random_mark) -> Fenced:
    """Each text between fence lines of its own that name it, at most its budget of characters kept."""
    texts = {name: encodable(text) for name, text in texts.items()}
    mark = draw()
    while any(mark in text for text in texts.values()):
        mark = draw()
    fenced = {}
    for name, text in texts.items():
        title = name.upper().replace("_", " ")
        fenced[name] = f"<<<{title} {mark}\n{cut_middle(text, budgets[name])}\n{title} {mark}>>>"
    return Fenced(mark, fenced)


def cut_middle(text: str, budget: int) -> str:
    """At most `budget` characters of the text, with a note in the gap.

    Two thirds come from the head, where reports say what they want, the rest from the tail, where stack traces and
    replies end.
    """
    cut = len(text) - budget
    if cut <= 0:
        return text
    head = budget * 2 // 3
    tail = budget - head
    note = f"\n[... {cut} characters left out here to keep this short; they were written ...]\n"
    return text[:head] + note + text[len(text) - tail :]


def encodable(text: str) -> str:
    """Lone surrogates, which JSON can carry and UTF-8 cannot, become `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def apparent(text: str) -> str:
    """The text with every such character written as its escape.

    Code is asked about as it is: taking such characters out would show a model another program than the one that runs.
    """
    return "".join(f"\\u{{{ord(c):x}}}" if _unseen(c) else c for c in text.replace("\r", ""))


def stripped(text: str) -> str:
    """The text without such characters: what a reader sees of prose."""
    return "".join(c for c in text if not _unseen(c))


def hides(text: str) -> bool:
    """Whether the text holds one, carriage returns apart."""
    return any(c != "\r" and _unseen(c) for c in text)


_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})
_SELECTORS = range(0xE0100, 0xE01F0)  # variation selectors; a run of them can carry any text


def _unseen(character: str) -> bool:
    if character in "\n\t":
        return False
    return unicodedata.category(character) in _UNSEEN or ord(character) in _SELECTORS
