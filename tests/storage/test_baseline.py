"""From version 0.1.0 on upgrades are promised: its tables keep their shape, and rows in them are there afterwards."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    DateTime,
    Engine,
    Float,
    Integer,
    MetaData,
    inspect,
    select,
)

from bot.storage import database as opened
from bot.storage import schema
from bot.storage.database import Database, DatabaseError
from bot.storage.migrate import migrate
from bot.storage.subjects import SubjectRecord, Subjects
from tests.storage.baseline import make_baseline

HERE = Path(__file__).parent
VERSIONS = {schema.MAIN.version_table, schema.INBOX.version_table}


class LaterSchema(schema.Schema):
    """With one migration more."""

    def config(self, connection: Connection | None = None) -> Any:
        config = super().config(connection)
        places = config.get_main_option("version_locations"), HERE / "later_version" / self.name
        config.set_main_option("version_locations", "\n".join(map(str, places)))
        return config


@pytest.fixture
def baseline(database_url: str) -> Iterator[Database]:
    """A database as version 0.1.0 left it."""
    database = Database.open(database_url)
    for engine, each in database.schemas:
        with engine.begin() as connection:
            make_baseline(connection, each)
    yield database
    database.close()


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, each in (("MAIN", schema.MAIN), ("INBOX", schema.INBOX)):
        monkeypatch.setattr(opened, name, LaterSchema(each.name, each.metadata))


def test_whoever_asks_for_the_tables_gets_all_of_them() -> None:
    """In a process that has asked for nothing else: here other tests have."""
    ask = "from bot.storage.schema import INBOX, MAIN\nprint(*MAIN.metadata.tables, *INBOX.metadata.tables)"
    found = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout.split()
    assert found and set(found) == {*schema.MAIN.metadata.tables, *schema.INBOX.metadata.tables}


def test_an_upgrade_from_the_baseline_makes_the_tables_of_a_new_database(baseline: Database) -> None:
    migrate(baseline)
    upgraded = [shape(engine) for engine in engines(baseline)]
    for engine in engines(baseline):
        everything = MetaData()
        everything.reflect(engine)
        everything.drop_all(engine)
    migrate(baseline)
    assert upgraded == [shape(engine) for engine in engines(baseline)], "what changes 0.1.0's tables is a migration"


def test_an_upgrade_from_the_baseline_keeps_every_row(baseline: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {engine: reflected(engine) for engine in engines(baseline)}
    before = {engine: fill(engine, metadata) for engine, metadata in tables.items()}
    assert all(rows for of_engine in before.values() for rows in of_engine.values())
    with monkeypatch.context() as patched:
        later(patched)
        with pytest.raises(DatabaseError, match="Run `bouncer migrate`"):
            baseline.check()
        migrate(baseline)
        migrate(baseline)
        baseline.check()
    for engine, metadata in tables.items():
        assert rows_of(engine, metadata) == before[engine]
    with baseline.main.connect() as connection:
        new = reflected(baseline.main).tables["subjects"].c.later
        assert set(connection.execute(select(new)).scalars()) == {"new"}


def test_the_version_before_goes_on_after_an_upgrade_and_is_not_started_anew(
    baseline: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        later(patched)
        migrate(baseline)
    record = SubjectRecord(repo_id=1, number=2, installation_id=3, repository="acme/half")
    Subjects(baseline).save(record)
    assert Subjects(baseline).get(1, 2) == record
    for act in (baseline.check, lambda: migrate(baseline)):
        with pytest.raises(DatabaseError, match="newer Bouncer"):
            act()


def engines(database: Database) -> list[Engine]:
    return list(dict.fromkeys(engine for engine, _ in database.schemas))


def reflected(engine: Engine) -> MetaData:
    metadata = MetaData()
    metadata.reflect(engine, only=lambda name, _: name not in VERSIONS)
    return metadata


def shape(engine: Engine) -> list[str]:
    """Every table with its columns, its key and its indexes, a line each, in an order of names."""
    found = []
    inspector = inspect(engine)
    for table in inspector.get_table_names():
        for column in inspector.get_columns(table):
            kind = column["type"].compile(engine.dialect)
            found.append(f"{table}.{column['name']} {kind} {column['nullable']} {column.get('identity')}")
        for index in [*inspector.get_unique_constraints(table), *inspector.get_indexes(table)]:
            partial = index.get("dialect_options", {}).get(f"{engine.dialect.name}_where")
            found.append(f"{table}: {index['name']} {index['column_names']} {index.get('unique')} where {partial}")
        found.append(f"{table}: {inspector.get_pk_constraint(table)['constrained_columns']}")
    return sorted(found)


def fill(engine: Engine, metadata: MetaData) -> dict[str, list[Any]]:
    """Two rows in every table."""
    with engine.begin() as connection:
        for table in metadata.sorted_tables:
            given = [each for each in table.columns if each.identity is None]
            connection.execute(table.insert(), [{each.name: value(each, row) for each in given} for row in (1, 2)])
    return rows_of(engine, metadata)


def rows_of(engine: Engine, metadata: MetaData) -> dict[str, list[Any]]:
    with engine.connect() as connection:
        return {
            table.name: sorted(tuple(row) for row in connection.execute(select(*table.columns)))
            for table in metadata.sorted_tables
        }


def value(column: Column[Any], row: int) -> Any:
    kind = column.type
    if isinstance(kind, Boolean):
        return row == 1
    if isinstance(kind, DateTime):
        return datetime(2026, 1, row, tzinfo=UTC)
    if isinstance(kind, BigInteger):
        return 2**40 + row
    if isinstance(kind, Integer | Float):
        return row
    return f"{column.name} {row} é"
