"""The names from code that a text gives. Pure.

Whoever reports a bug names where it shows: functions in backticks, dotted names, files, the frames of a traceback.
"""

import re

from bot.changes.readers import Rows, beside

LONGEST = 100_000  # characters of a text that are looked at
_MOST = 200  # names

_QUOTED = re.compile(r"(?<!`)`([^`\n]{2,120})`(?!`)")
_FRAME = re.compile(r'File "([^"\n]{1,300})", line \d{1,7}(?:, in (\w{3,60}))?')
_FILE = re.compile(r"(?<![\w/.-])(?:[\w-]{1,60}/){0,12}[\w-]{1,60}\.[A-Za-z]{1,4}(?![\w/])")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w{0,59}(?:\.[A-Za-z_]\w{0,59}){0,9}(?!\w)")
_IN_CODE = re.compile(r"[A-Za-z_]\w{2,59}")
_ONLY_CODE = re.compile(r"[A-Za-z0-9]_\w|[a-z0-9][A-Z]|^_[A-Za-z_]")  # an underscore, or a capital inside


class _Table(Rows):
    endings: str
    common: str


_TABLE = beside(__file__, _Table)
_SUFFIXES, _COMMON = frozenset(_TABLE.endings.split()), frozenset(_TABLE.common.split())


def code_terms(text: str) -> frozenset[str]:
    """The names from code in a text, dotted ones by their last two parts too, files by their names."""
    text = text[:LONGEST]
    found: dict[str, None] = {}

    def add(name: str) -> None:
        if len(found) < _MOST and len(name) > 2 and name.lower() not in _COMMON:
            found[name] = None

    for match in _FRAME.finditer(text):
        add(match[1].replace("\\", "/").rpartition("/")[2])
        add(match[2] or "")
    for match in _FILE.finditer(text):
        name = match[0].rpartition("/")[2]
        if name.rpartition(".")[2].lower() in _SUFFIXES:
            add(name)
    for match in _QUOTED.finditer(text):
        for name in _IN_CODE.findall(match[1]):
            add(name)
    for match in _WORD.finditer(text):
        parts = match[0].split(".")
        if parts[-1].lower() in _SUFFIXES:
            continue
        for part in parts[-2:]:
            if _ONLY_CODE.search(part) or (len(parts) > 1 and len(part) > 3):
                add(part)
    return frozenset(found)
