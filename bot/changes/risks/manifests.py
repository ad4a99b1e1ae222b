"""Where in a manifest a line stands: which table, which key. Line by line, so that broken files are read too. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.changes.risks.lines import LONGEST, numbered
from bot.changes.risks.values import Whole
from bot.changes.values import FileChange, FileStatus

MOST_LINES = 20_000  # of a file

_HEADER = re.compile(r"\s*\[{1,2}\s*(?P<name>[\w.\"':@ -]{1,200}?)\s*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"\s*(?P<key>[\w.\"-]{1,100})\s*=\s*(?P<rest>.*)")
_OBJECT = re.compile(r"\s*\"(?P<key>[^\"]{1,200})\"\s*:\s*[{\[]\s*")


@dataclass(frozen=True, slots=True)
class Placed:
    """A new line. table, key: what it stands in, small letters; empty where that is not known."""

    number: int
    text: str
    table: str = ""
    key: str = ""


def placed(file: FileChange, whole: Whole) -> Iterator[Placed]:
    """The new lines of a manifest in the order of the file. whole: asked where the diff may not show the table."""
    new = {number for hunk in file.hunks for number, mark, _ in numbered(hunk) if mark == "+"}
    if not new:
        return
    texts = whole(file) if file.status is FileStatus.MODIFIED else None
    if texts is not None:
        rows = enumerate(texts[1].split("\n")[:MOST_LINES], 1)
        yield from (line for line in _read(file.path, rows) if line.number in new)
        return
    for hunk in file.hunks:
        shown = ((number, text) for number, mark, text in numbered(hunk) if mark != "-")
        yield from (line for line in _read(file.path, shown) if line.number in new)


def _read(path: str, rows: Iterator[tuple[int, str]] | enumerate[str]) -> Iterator[Placed]:
    return _json(rows) if path.endswith(".json") else _toml(rows)


def _toml(rows: Iterator[tuple[int, str]] | enumerate[str]) -> Iterator[Placed]:
    table = key = ""
    inside = False  # a list that goes on
    for number, text in rows:
        text = text[:LONGEST].rstrip("\r")
        header = None if inside else _HEADER.fullmatch(text)
        if header:
            table, key = header["name"].lower().replace('"', ""), ""
        elif not inside and (named := _KEY.fullmatch(text)):
            key = named["key"].lower().strip('"')
            inside = named["rest"].startswith("[") and "]" not in named["rest"].rpartition('"')[2]
        elif inside and text.strip().startswith("]"):
            inside = False
        yield Placed(number, text, table, key)


def _json(rows: Iterator[tuple[int, str]] | enumerate[str]) -> Iterator[Placed]:
    open_: list[str] = []
    for number, text in rows:
        text = text[:LONGEST].rstrip("\r")
        yield Placed(number, text, "", open_[-1] if open_ else "")
        if opened := _OBJECT.fullmatch(text):
            open_.append(opened["key"].lower())
        elif text.strip().rstrip(",") in ("}", "]") and open_:
            open_.pop()
