"""What every store does: frozen values read from one table and written to it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Engine,
    Executable,
    Select,
    Table,
    bindparam,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from bot.storage.database import Database

Record = TypeVar("Record")
Thing = TypeVar("Thing")
Changes = Callable[[Any], dict[str, Any]] | None
Numbers = CompoundSelect[tuple[int]] | None
MOST_NAMED = 1000  # in one statement


class Reader:
    """Asks the application's tables."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def _rows(self, query: Executable, given: Mapping[str, Any] | None = None) -> Sequence[Any]:
        with self._engine.connect() as connection:
            return connection.execute(query, given).all()

    def _scalar(self, query: Executable) -> Any:
        """The first column of the only row; `None` without a row."""
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def _count(self, table: Table, *where: ColumnElement[bool]) -> int:
        return int(self._scalar(select(func.count()).select_from(table).where(*where)))


class Store(Reader, Generic[Record]):
    """One table, a row for each record: a frozen dataclass whose fields are columns. `table` may have more."""

    table: Table

    def __init_subclass__(cls, *, table: Table | None = None) -> None:
        if table is not None:
            cls.table = table

    def get(self, *key: int | str) -> Record | None:
        """The one with this primary key, in the order of its columns; `None` when there is none."""
        rows = self._rows(_by_key(self.table), dict(zip(_key_names(self.table), key, strict=True)))
        return self._record(rows[0]._mapping) if rows else None

    def save(self, record: Record) -> None:
        """Store everything, in place of what was there."""
        upsert(self._engine, self.table, [self._columns(record)])

    def add(self, record: Record) -> None:
        """Store it; what is there already under the same key stays as it was."""
        add(self._engine, self.table, self._columns(record))

    @cached_property
    def _fields(self) -> tuple[str, ...]:
        return tuple(field.name for field in fields(self.table.info["record"]))

    def _columns(self, record: Record) -> dict[str, Any]:
        return {name: getattr(record, name) for name in self._fields}

    def _record(self, row: Mapping[Any, Any]) -> Record:
        found: Record = self.table.info["record"](**{name: row[name] for name in self._fields})
        return found

    def _all(
        self, *where: ColumnElement[bool], order: Sequence[Any] = (), most: int | None = None
    ) -> tuple[Record, ...]:
        query = select(self.table).where(*where).order_by(*order).limit(most)
        return tuple(self._record(row._mapping) for row in self._rows(query))

    def _change(self, *where: ColumnElement[bool], **values: Any) -> int:
        """How many rows were changed."""
        return write(self._engine, update(self.table).where(*where).values(**values))

    def _drop(self, *where: ColumnElement[bool]) -> int:
        """How many rows there were."""
        return write(self._engine, delete(self.table).where(*where))


def batches(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    """A statement has no room for any number of them."""
    left = list(things)
    return (left[first : first + MOST_NAMED] for first in range(0, len(left), MOST_NAMED))


def within(table: Table, moment: datetime, repo_id: int | None, among: Numbers = None) -> list[ColumnElement[bool]]:
    """Of a table with a row for each thing that happened to a subject: from this moment on. repo_id: in this repository
    alone; among: and to subjects with one of these numbers."""
    found = [table.c.at >= moment]
    if repo_id is not None:
        found.append(table.c.repo_id == repo_id)
    if among is not None:
        found.append(table.c.number.in_(among))
    return found


# Statements are made once: making one takes longer than SQLite takes to carry it out.


@cache
def _key_names(table: Table) -> tuple[str, ...]:
    return tuple(f"key_{column.name}" for column in table.primary_key)


@cache
def _by_key(table: Table) -> Select[Any]:
    keys = zip(table.primary_key, _key_names(table), strict=True)
    return select(table).where(*(column == bindparam(name) for column, name in keys))


def write(engine: Engine, *statements: Executable) -> int:
    """Carry them out in one transaction; how many rows they concerned."""
    with engine.begin() as connection:
        return sum(int(connection.execute(statement).rowcount) for statement in statements)


def insert(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that knows `ON CONFLICT`, in the words of an engine's dialect."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def adding(engine: Engine, table: Table, columns: dict[str, Any]) -> Executable:
    """An INSERT that leaves what is there under the same key as it is."""
    return insert(engine.dialect.name, table).values(columns).on_conflict_do_nothing(index_elements=table.primary_key)


def add(engine: Engine, table: Table, columns: dict[str, Any]) -> None:
    """Store a row, unless its key is taken."""
    write(engine, adding(engine, table, columns))


def upsert(
    engine: Engine,
    table: Table,
    rows: Sequence[dict[str, Any]],
    *,
    renewed: Collection[str] | None = None,
    unless: ColumnElement[bool] | None = None,
    changes: Changes = None,
) -> None:
    """Store rows. Where a key is taken, the columns in `renewed` (all when it is not given) become the new ones, and
    those that `changes` names what it makes of the new row; a row that `unless` is true of stays as it was.
    """
    names = rows[0].keys() - {column.name for column in table.primary_key} if renewed is None else renewed
    make = _upserting if unless is None else _upserting.__wrapped__  # a condition is an object of its own each time
    statement = make(engine.dialect.name, table, frozenset(names), unless, changes)
    with engine.begin() as connection:
        connection.execute(statement, rows)


@cache
def _upserting(
    dialect: str,
    table: Table,
    names: frozenset[str],
    unless: ColumnElement[bool] | None,
    changes: Changes,
) -> Executable:
    statement = insert(dialect, table)
    new = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=table.primary_key,
        set_={name: new[name] for name in sorted(names)} | (changes(new) if changes else {}),
        where=None if unless is None else ~unless,
    )
