"""Issue templates as last fetched, so that a look asks GitHub for them once an hour at most."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter
from sqlalchemy import delete, select

from bot.storage.database import Database
from bot.storage.tables import insert, templates

Files = dict[str, tuple[str, str]]  # by name: the blob's sha and the text
_files = TypeAdapter(Files)


@dataclass(frozen=True, slots=True)
class CachedTemplates:
    """repository: `owner/name`. etag: of the directory that lists them."""

    repository: str
    etag: str
    files: Files
    fetched_at: datetime


class TemplateFiles:
    """Those of one repository a row; names are compared as GitHub does, without regard to case."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def get(self, repository: str) -> CachedTemplates | None:
        """`None` when they were never fetched."""
        query = select(templates).where(templates.c.repository == repository.lower())
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        return CachedTemplates(repository, row.etag, _files.validate_json(row.files), row.fetched_at)

    def put(self, found: CachedTemplates) -> None:
        """Remember what was fetched, in place of what was."""
        values = {"etag": found.etag, "files": _files.dump_json(found.files).decode(), "fetched_at": found.fetched_at}
        statement = insert(self._engine, templates).values(repository=found.repository.lower(), **values)
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=["repository"], set_=values))

    def forget(self, repository: str) -> None:
        """As if they had never been fetched."""
        with self._engine.begin() as connection:
            connection.execute(delete(templates).where(templates.c.repository == repository.lower()))
