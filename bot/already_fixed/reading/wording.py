"""What reports say, as patterns: `english.toml` has the words. Pure."""

import re
import tomllib
from functools import cache
from pathlib import Path

_TABLE: dict[str, str | list[str]] = tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))
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


@cache
def told(name: str) -> frozenset[str]:
    """The words of a row. Raises `KeyError`."""
    return frozenset(str(_TABLE[name]).split())
