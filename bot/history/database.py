"""The index's SQLite file: its tables, and how it is opened."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bot.history.graph import Graph

SCHEMA = 1  # another one is another file
COLUMNS = ("subject", "body", "paths", "places", "code", "documentation", "tests")
_STEPS = 100_000  # of SQLite's machine between two looks at the clock: some milliseconds
_PATIENCE = 60.0  # seconds a reader waits for a writer
TABLES = f"""
create table meta (key text primary key, value text not null) without rowid;
create table commits (
    id integer primary key, sha text not null unique, parents text not null, at integer not null, unit integer,
    added integer not null default 0, removed integer not null default 0
);
create index prints on commits (added) where added <> 0;
create index united on commits (unit);
create table units (
    id integer primary key, head integer not null, subject text not null, paths text not null, pull integer not null,
    notes integer not null, grown integer not null, shrunk integer not null, created integer not null
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


def load(database: sqlite3.Connection) -> tuple[Graph, dict[str, int]]:
    """All commits as a graph, and their numbers by SHA."""
    parents, numbers = {}, {}
    for number, sha, before in database.execute("select id, sha, parents from commits"):
        parents[number] = tuple(map(int, before.split()))
        numbers[sha] = number
    return Graph(parents), numbers


def connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=_PATIENCE)
    database.execute("pragma temp_store = memory")
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
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        raise TimeoutError from error
    finally:
        database.set_progress_handler(None, 0)


def damaged(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is no good, rather than busy, or the disk full."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA)


def note(database: sqlite3.Connection, **facts: Any) -> None:
    """Remember these about the whole index."""
    rows = [(key, json.dumps(value)) for key, value in facts.items()]
    database.executemany("insert or replace into meta (key, value) values (?, ?)", rows)


def meta(database: sqlite3.Connection) -> dict[str, Any]:
    return {key: json.loads(value) for key, value in database.execute("select key, value from meta")}
