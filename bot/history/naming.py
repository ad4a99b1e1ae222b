"""Which changes name a report's number, or that of one with the same symptoms."""

import re
import sqlite3
from collections.abc import Iterable, Set

from bot.changes.kinds import kind_of
from bot.changes.values import FileKind
from bot.history.log import PATHS
from bot.history.values import Sought
from bot.markdown.visible import visible

_MOST = 10  # issues; a change that names more lists them, as releases do
_RELATIVES = 20
_LONGEST = 60_000  # characters of a report that are read
_RELATED = re.compile(
    r"\b(?:duplicate[sd]?|dupe|same|similar|related|identical)\b[^\n#]{0,40}(?<![\w&/])#([1-9]\d{0,8})\b", re.I
)


def naming(database: sqlite3.Connection, number: int | None, repository: str, pool: Set[int]) -> dict[int, bool]:
    """The changes of `pool` that name it in a message, a merged pull request or a changelog -> whether they say that
    they close it. repository: the number's own, by which links to others are told; empty where it is not known.

    Tests alone fix nothing and do not count.
    """
    if number is None:
        return {}
    own = repository.lower()
    rows = database.execute(
        "select a.unit, a.repository, a.closes, (select count(*) from names b where b.unit = a.unit) from names a"
        " where a.number = ? union all select id, '', 0, 1 from units where pull = ?",
        (number, number),
    )
    found: dict[int, bool] = {}
    for unit, elsewhere, closes, beside in rows:
        foreign = elsewhere and own and elsewhere != own
        if unit in pool and not foreign and (closes or beside <= _MOST):
            found[unit] = found.get(unit, False) or bool(closes)
    return {unit: closes for unit, closes in found.items() if _kinds(database, unit) != {FileKind.TEST}}


def mends(database: sqlite3.Connection, unit: int) -> bool:
    """Whether a change touches more than tests and documentation, as far as the index knows."""
    kinds = _kinds(database, unit)
    return not kinds or not kinds <= {FileKind.TEST, FileKind.DOCUMENTATION}


def _kinds(database: sqlite3.Connection, unit: int) -> set[FileKind]:
    """Of the files that a change touches; none where the index does not know them all."""
    (paths,) = database.execute("select paths from units where id = ?", (unit,)).fetchone()
    touched = paths.split("\n") if paths else []
    return set(map(kind_of, touched)) if len(touched) < PATHS else set()


def naming_relatives(database: sqlite3.Connection, sought: Sought, pool: Set[int]) -> dict[int, tuple[int, bool]]:
    """The changes that name a report with the same symptoms -> its number, and whether one says that it closes it."""
    found: dict[int, tuple[int, bool]] = {}
    for number in relatives(sought):
        for unit, closes in naming(database, number, sought.repository, pool).items():
            if closes or unit not in found:
                found[unit] = number, closes
    return found


def relatives(sought: Sought) -> Iterable[int]:
    """The numbers that are handed in, then those that the report itself calls alike; never its own."""
    said = (int(match[1]) for match in _RELATED.finditer(visible(sought.text[:_LONGEST]).text))
    return list(dict.fromkeys(number for number in (*sought.relatives, *said) if number != sought.number))[:_RELATIVES]
