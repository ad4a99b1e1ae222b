"""Strangers' text as plain text: on one line, bounded, with nothing in it that cannot be seen. And counts and
lists in words. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from textwrap import fill

ELLIPSIS = "…"
_WIDTH = 80  # columns

# Letters that show nothing: Hangul fillers, the blank Braille pattern, the combining grapheme joiner.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_VARIATIONS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
_MOST_MARKS = 3  # combining marks in a row; real scripts need no more

_COMMENT_START = re.compile(r"<!(?=--)")


def clean(text: str, limit: int = 400) -> str:
    """One line without anything invisible, at most `limit` characters; for plain text, JSON and the terminal."""
    start = text[: limit * 20]
    line = start if start.isascii() and start.isprintable() else _visible(start)
    line = " ".join(_COMMENT_START.sub("<! ", line).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + ELLIPSIS


def as_words(text: str) -> str:
    """Its letters and digits in lower case, words apart by single spaces, with one at either end: a word that stands in
    between stands in it with its spaces, whatever stands between words in the text."""
    spaced = "".join(character if character.isalnum() else " " for character in text.casefold())
    return f" {' '.join(spaced.split())} "


def count_of(number: int, thing: str) -> str:
    """`1 issue`, `2 issues`. thing: its English name, to which an s makes many of it."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, or `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def for_terminal(text: str) -> str:
    """With no line wider than a terminal, but for words that are: broken between words, and what goes on is indented
    further. YAML that has no comment and no block of text as wide stays what it says."""
    return "\n".join(line if len(line) <= _WIDTH else _broken(line) for line in text.split("\n"))


def _broken(line: str) -> str:
    depth = len(line) - len(line.lstrip())
    further = " " * (depth + 4 if depth else 0)
    return fill(line, _WIDTH, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def _visible(text: str) -> str:
    shown: list[str] = []
    marks = 0
    for character in text:
        if character.isspace():
            shown.append(" ")
            continue
        if _invisible(character):
            continue
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _MOST_MARKS:
            shown.append(character)
    return "".join(shown)


def visible_text(text: str) -> str:
    """Program text in which nothing is invisible. An escape means the same inside a string, where such text belongs."""
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = "".join(_escape(c) if _invisible(c) and c != "\n" else c for c in text)
    return text.replace("<!--", "<\\x21--")


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


@lru_cache(maxsize=4096)  # a page has half a million characters, and few different ones
def _invisible(character: str) -> bool:
    return (
        unicodedata.category(character) in _INVISIBLE
        or character in _BLANK
        or any(low <= ord(character) <= high for low, high in _VARIATIONS)
    )
