"""Predictions of many judgements: kept in a journal while the work goes on, and written whole at its end."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bot.commands.shared import InputError


class Journal:
    """What was predicted so far, beside the file it will be. A run that was cut off is taken up where it ended.

    run: what must be the same for its predictions to count: the input's digest, who judged, and by which cut.
    """

    def __init__(self, out: Path, run: list[str]) -> None:
        self._path = out.with_name(f"{out.name}.partial")
        self._head = json.dumps(run)

    def taken_up(self) -> dict[str, Any]:
        """The predictions of an earlier, cut-off run of the same kind; none where there was no such run."""
        try:
            head, *lines = self._path.read_text(encoding="utf-8").split("\n")
        except (FileNotFoundError, UnicodeDecodeError):
            head, lines = "", []
        if head != self._head:
            self._path.write_text(self._head + "\n", encoding="utf-8")
            return {}
        found = dict(json.loads(line) for line in lines[:-1])  # behind the last line end stands at most half a line
        self._path.write_text("\n".join([head, *lines[:-1], ""]), encoding="utf-8")
        return found

    def keep(self, name: str, prediction: dict[str, Any]) -> None:
        """Add one."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, prediction], ensure_ascii=True) + "\n")

    def end(self) -> None:
        """All is written where it belongs."""
        self._path.unlink(missing_ok=True)


@contextmanager
def writable(out: Path) -> Iterator[None]:
    """Raises `InputError` where nothing can be written there, and for what the disk refuses meanwhile."""
    if not out.parent.is_dir():
        raise InputError(f"{out}: there is no directory {out.parent}. Make it first.")
    try:
        yield
    except OSError as error:
        raise InputError(f"{out}: {error.strerror}. Name a file that can be written.") from None


def write_whole(path: Path, predictions: dict[str, Any]) -> None:
    """Whole or not at all: a reader never sees half a file."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(predictions, file, ensure_ascii=False, indent=1)
            file.write("\n")
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
