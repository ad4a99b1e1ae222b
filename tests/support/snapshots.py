"""Rendered text, held by files that a person read.

A test that shows text compares it with a file in `snapshots/` beside it. After a change on purpose: delete the file,
run the test twice, and read what it wrote: `git diff` shows what became of the words.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest


def reads_as_before(path: Path, shown: str) -> None:
    """Fails where the text is not what the file holds, and writes the file where there is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shown, encoding="utf-8")
        pytest.fail(f"wrote {path.name}; read it, then run again")
    assert shown == path.read_text(encoding="utf-8")


def none_is_left_over(folder: Path, names: Iterable[str]) -> None:
    """Fails where a file belongs to no text any more. names: those of the files without their ending."""
    assert {path.stem for path in folder.glob("*.*")} == set(names)
