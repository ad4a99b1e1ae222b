"""The index's SQLite file: its tables, how it is opened, and which commits others contain. Commits are numbers, every
one greater than its parents'."""

import json
import re
import sqlite3
import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import compress, count, islice
from pathlib import Path
from typing import Any
from zlib import crc32

SCHEMA = 3  # another one is another file
COLUMNS = ("subject", "body", "paths", "places", "code", "documentation", "tests")
# Where the schema itself is damaged, Python fails to decode what SQLite complains of.
ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)
_STEPS = 100_000  # of SQLite's machine between two looks at the clock: some milliseconds
_PATIENCE = 60.0  # seconds a reader waits for a writer
_CACHE = 64_000  # KiB of the file that a connection keeps in memory
_CAMEL = re.compile(r"([a-z0-9])([A-Z])")
_ACRONYM = re.compile(r"([A-Z])([A-Z][a-z]{2})")
TABLES = f"""
create table meta (key text primary key, value text not null) without rowid;
create table commits (
    id integer primary key, sha text not null unique, at integer not null, unit integer,
    added integer not null default 0, removed integer not null default 0
);
create index prints on commits (added) where added <> 0;
create index united on commits (unit);
create table arrays (name text primary key, numbers blob not null, checksum integer not null) without rowid;
create table units (
    id integer primary key, head integer not null, subject text not null, paths text not null, pull integer not null,
    notes integer not null, grown integer not null, shrunk integer not null, created integer not null,
    tests integer not null, code integer not null
);
create table names (
    number integer not null, repository text not null, unit integer not null, closes integer not null
);
create index named on names (number);
create index named_by on names (unit);
create table relations (of integer not null, sort text not null, target text not null);
create index related on relations (target);
create virtual table text using fts5 ({", ".join(COLUMNS)}, content='', tokenize='porter unicode61');
"""


class Graph:
    """Every pair of a child and its parent, in the order of the children, as two arrays: they are read from the disk as
    they are, and walked from one end to the other."""

    def __init__(self, children: "array[int]", parents: "array[int]") -> None:
        self.children = children
        self.parents = parents

    @classmethod
    def of(cls, parents: Mapping[int, Iterable[int]]) -> "Graph":
        """parents: of each commit, by number."""
        pairs = [(child, parent) for child in sorted(parents) for parent in parents[child]]
        return cls(array("I", [child for child, _ in pairs]), array("I", [parent for _, parent in pairs]))

    def parents_of(self, number: int) -> tuple[int, ...]:
        return tuple(self.parents[bisect_left(self.children, number) : bisect_right(self.children, number)])

    def reachable(self, tips: Iterable[int]) -> set[int]:
        """These commits and all before them."""
        wanted = list(tips)
        marks = bytearray(max(wanted, default=0) + 1)
        for tip in wanted:
            marks[tip] = 1
        end = bisect_right(self.children, len(marks) - 1)
        for child, parent in zip(reversed(self.children[:end]), reversed(self.parents[:end]), strict=True):
            if marks[child]:  # a child comes before its parents
                marks[parent] = 1
        return set(compress(count(), marks))

    def containing(self, commits: Iterable[int], last: int) -> list[int]:
        """For each number up to `last` which of these commits it contains, itself included: a bit for each, the first
        one's the lowest."""
        held = [0] * (last + 1)
        lowest = last
        for at, number in enumerate(commits):
            held[number] |= 1 << at
            lowest = min(lowest, number)
        start = bisect_right(self.children, lowest)
        for child, parent in zip(islice(self.children, start, None), islice(self.parents, start, None), strict=True):
            if held[parent]:
                held[child] |= held[parent]
        return held


def load(database: sqlite3.Connection) -> tuple[Graph, "array[int]"]:
    """All commits as a graph, and for each number its change, 0 where it is none's.

    They lie in the file as arrays: reading a row for each commit would take longer than all else a query does. Raises
    `Damaged`: SQLite itself does not see wrong bytes in them.
    """
    found = {}
    for name, numbers, checksum in database.execute("select name, numbers, checksum from arrays"):
        if crc32(numbers) != checksum:
            raise Damaged
        found[name] = array("I", numbers)
    if found.keys() != {"children", "parents", "units"}:
        raise Damaged
    return Graph(found["children"], found["parents"]), found["units"]


def save(database: sqlite3.Connection, parents: Mapping[int, Iterable[int]]) -> None:
    """What `load` reads. parents: of every commit."""
    graph = Graph.of(parents)
    units = array("I", [0]) * (max(parents, default=0) + 1)
    for number, unit in database.execute("select id, unit from commits where unit is not null"):
        units[number] = unit
    arrays = {"children": graph.children, "parents": graph.parents, "units": units}
    database.executemany(
        "insert or replace into arrays (name, numbers, checksum) values (?, ?, ?)",
        [(name, raw := numbers.tobytes(), crc32(raw)) for name, numbers in arrays.items()],
    )


def column(database: sqlite3.Connection, query: str, *given: object) -> list[Any]:
    """The first value of each row that is found."""
    return [row[0] for row in database.execute(query, given)]


def json_array(values: Iterable[object]) -> str:
    """As `in (select value from json_each(?))` takes any number of them."""
    return json.dumps(list(values))


def numbered(database: sqlite3.Connection, shas: Iterable[str]) -> dict[str, int]:
    """The numbers of these commits, as far as the index holds them."""
    query = "select sha, id from commits where sha in (select value from json_each(?))"
    return dict(database.execute(query, (json_array(shas),)).fetchall())


class Damaged(sqlite3.DatabaseError):
    """The file holds what nobody wrote."""

    def __init__(self) -> None:
        super().__init__("the index holds what nobody wrote")
        self.sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_PATIENCE)
    database.execute("pragma temp_store = memory")
    database.execute(f"pragma cache_size = -{_CACHE}")
    database.text_factory = lambda raw: raw.decode(errors="replace")
    return database


@contextmanager
def limited(database: sqlite3.Connection, end: float) -> Iterator[None]:
    """Queries within the block stop at `end` of the monotonic clock. Raises `TimeoutError` then."""
    if time.monotonic() > end:
        raise TimeoutError
    database.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            raise
        raise TimeoutError from error
    finally:
        database.set_progress_handler(None, 0)


def damaged(error: Exception) -> bool:
    """Whether the file is no good, rather than busy, or the disk full. error: one of `ERRORS`."""
    if isinstance(error, UnicodeDecodeError):
        return True
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA)


def note(database: sqlite3.Connection, **facts: Any) -> None:
    """Remember these about the whole index."""
    rows = [(key, json.dumps(value)) for key, value in facts.items()]
    database.executemany("insert or replace into meta (key, value) values (?, ?)", rows)


def meta(database: sqlite3.Connection) -> dict[str, Any]:
    """All that was noted. Raises `Damaged`."""
    try:
        found = {key: json.loads(value) for key, value in database.execute("select key, value from meta")}
    except json.JSONDecodeError as error:
        raise Damaged from error
    if found.keys() != {"tips", "tags", "unread", "shallow"}:
        raise Damaged
    return found


def spaced(text: str) -> str:
    """Text made ready for the table's tokenizer, the same for changes and reports: `readHTMLTable` as `read HTML
    Table`; NULs, where FTS5 would stop reading, as spaces. It cuts at all that is neither letter nor digit."""
    return _ACRONYM.sub(r"\1 \2", _CAMEL.sub(r"\1 \2", text)).replace("\0", " ")
