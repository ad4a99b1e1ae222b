"""What reports say, as patterns: `english.toml` has the words. Pure."""

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path

_TABLE: dict[str, str | list[str]] = tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))
_LONGEST = 100_000  # characters of a report
_EMPTY_LINE = re.compile(r"\n\s*\n")
_PART = re.compile(r"\{([a-z_]+)\}")


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The table's expression by that name; of several, that one of them is said. Raises `KeyError`."""
    return re.compile("|".join(expressions(name)), re.I)


def expressions(name: str) -> tuple[str, ...]:
    """Each of a row by itself, with its parts in it. Raises `KeyError`."""
    rows = _TABLE[name]
    rows = [rows] if isinstance(rows, str) else rows
    return tuple(_PART.sub(lambda part: "|".join(expressions(part[1])), row.replace("\n", "")) for row in rows)


def paragraphs(text: str) -> list[str]:
    """What empty lines part."""
    return _EMPTY_LINE.split(text)


@cache
def told(name: str) -> frozenset[str]:
    """The words of a row. Raises `KeyError`."""
    return frozenset(str(_TABLE[name]).split())


_CAME_BACK = pattern("came_back")
_WRAPPED = re.compile(r"(?<=\S)[ \t]*\n(?![ \t]*(?:\n|[-*+>#|`]|\d{1,3}[.)]))[ \t]*")  # inside of a paragraph


@lru_cache(maxsize=32)  # one look asks several times
def came_back(title: str, text: str) -> bool:
    """Whether the report says that what it is about was fixed before, and is there again."""
    return _CAME_BACK.search(_WRAPPED.sub(" ", f"{title}\n\n{text[:_LONGEST]}")) is not None
