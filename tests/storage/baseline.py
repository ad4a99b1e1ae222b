"""The tables of version 0.1.0: `python -m tests.storage.baseline` writes how they are made. Once it is released they
stay as they are, and what changes is a migration."""

from pathlib import Path

from alembic import command
from sqlalchemy import Connection, Dialect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from bot.storage.schema import INBOX, MAIN, Schema

_HERE = Path(__file__).parent / "version_0.1.0"
_REVISIONS = {MAIN.name: "m0001", INBOX.name: "i0001"}


def make_baseline(connection: Connection, schema: Schema) -> None:
    """As 0.1.0 left a new database."""
    for statement in _file(schema, connection.dialect).read_text().split(";\n"):
        connection.exec_driver_sql(statement)
    command.stamp(schema.config(connection), _REVISIONS[schema.name])


def write_baseline(schema: Schema, dialect: Dialect) -> None:
    """As the code has it now."""
    made = []
    for table in schema.metadata.sorted_tables:
        indexes = sorted(table.indexes, key=lambda each: str(each.name))
        made += [CreateTable(table), *(CreateIndex(index) for index in indexes)]
    text = ";\n".join(str(each.compile(dialect=dialect)).strip() for each in made)
    lines = (line.expandtabs(2).rstrip() for line in text.splitlines())
    _file(schema, dialect).write_text("\n".join(line for line in lines if line) + "\n")


def _file(schema: Schema, dialect: Dialect) -> Path:
    return _HERE / f"{schema.name}_{dialect.name}.sql"


if __name__ == "__main__":
    for each in (MAIN, INBOX):
        for written in (sqlite.dialect(), postgresql.dialect()):
            write_baseline(each, written)
