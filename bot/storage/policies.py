"""Policy files as last fetched, so that most judgements cost no request for them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, select, update

from bot.storage.database import Database
from bot.storage.tables import insert, policies

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CachedPolicy:
    """repository: `owner/name`, or `owner/.github` for the owner's default. text: `None` means there is no such file.

    etag: for the next conditional request; empty when GitHub gave none. valid: the newest text that was a valid policy;
    `None` when there was none, or when the file was taken away since.
    """

    repository: str
    text: str | None
    etag: str
    fetched_at: datetime
    valid: str | None = None


class Policies:
    """One file a repository; names are compared as GitHub does, without regard to case."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def get(self, repository: str) -> CachedPolicy | None:
        """`None` when it was never fetched, or forgotten."""
        query = select(policies).where(policies.c.repository == repository.lower())
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else CachedPolicy(repository, row.text, row.etag, row.fetched_at, row.valid)

    def put(self, policy: CachedPolicy) -> None:
        """Remember what was fetched, in place of what was."""
        values = {
            "text": policy.text,
            "etag": policy.etag,
            "fetched_at": policy.fetched_at,
            "valid": policy.valid,
        }
        statement = insert(self._engine, policies).values(repository=policy.repository.lower(), **values)
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=["repository"], set_=values))

    def expire(self, repository: str) -> None:
        """The file may have changed: fetch it next time."""
        statement = update(policies).where(policies.c.repository == repository.lower())
        with self._engine.begin() as connection:
            connection.execute(statement.values(etag="", fetched_at=LONG_AGO))

    def forget(self, repository: str) -> None:
        """As if it had never been fetched."""
        with self._engine.begin() as connection:
            connection.execute(delete(policies).where(policies.c.repository == repository.lower()))
