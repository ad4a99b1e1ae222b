"""What models wrote from specifications, so that a repeat costs no call."""

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import select

from bot.storage.database import Database
from bot.storage.store import upsert
from bot.storage.tables import written_tests


class WrittenTests:
    """A cache of texts for one repository: what was quoted from one is never seen by another. Rows may be deleted."""

    def __init__(
        self, database: Database, repo_id: int, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._engine = database.main
        self._repo_id = repo_id
        self._now = now

    def get(self, key: str) -> str | None:
        """`None` when nothing is kept under this key."""
        query = select(written_tests.c.tests).where(
            written_tests.c.repo_id == self._repo_id, written_tests.c.key == key
        )
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def put(self, key: str, text: str) -> None:
        """Keep it, in place of what was kept under this key."""
        row = {"repo_id": self._repo_id, "key": key, "tests": text, "written_at": self._now()}
        upsert(self._engine, written_tests, [row])
