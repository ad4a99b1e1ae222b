"""Words and names that are data: `words.toml` lists them."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def words(table: str) -> dict[str, Any]:
    """One table of them."""
    found: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[table]
    return found
