"""One at a time, over all workers of a database: locks by name, for as long as a block runs, and claims of commands."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from threading import RLock, local

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, OperationalError

from bot.storage.database import SECONDS_TO_WAIT, Database
from bot.storage.store import Store
from bot.storage.tables import table

PATIENCE = 60_000  # milliseconds until a turn is taken that nobody gives back
_KIND = 1_836_020_325  # apart from other advisory locks


class Turns:
    """Locks by name, which end with their holder. On PostgreSQL they hold between processes; SQLite has one worker."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main
        self._locks = tuple(RLock() for _ in range(64))  # two names may share one, and then wait for each other
        self._mine = local()

    @contextmanager
    def turn(self, name: str) -> Iterator[None]:
        """Wait until nobody else has it. Whoever has it may ask again. Raises SQLAlchemy's errors before the block."""
        at = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True) % len(self._locks)
        with self._locks[at]:
            held: set[int] = self._mine.__dict__.setdefault("held", set())
            if at in held or self._engine.dialect.name != "postgresql":
                yield
                return
            with self._engine.connect() as plain:
                session = plain.execution_options(isolation_level="AUTOCOMMIT")
                _wait(session, at)
                held.add(at)
                try:
                    yield
                finally:
                    held.discard(at)
                    _let_go(session, at)


def _wait(session: Connection, at: int) -> None:
    """Not for ever: the session of a machine that is gone may hold it for hours, and then goes first without it."""
    session.exec_driver_sql(f"SET lock_timeout = {PATIENCE}")
    with suppress(OperationalError):
        session.exec_driver_sql("SELECT pg_advisory_lock(%s, %s)", (_KIND, at))
    session.exec_driver_sql(f"SET lock_timeout = '{SECONDS_TO_WAIT}s'")  # as every connection has it


def _let_go(session: Connection, at: int) -> None:
    """A session that is gone has let go already."""
    with suppress(DBAPIError):
        session.exec_driver_sql("SELECT pg_advisory_unlock(%s, %s)", (_KIND, at))
        return
    session.invalidate()


@dataclass(frozen=True, slots=True)
class CommandClaim:
    """claimant: the id of the run that carries it out."""

    comment_id: int
    updated_at: str
    key: str
    claimant: str
    at: datetime


commands = table("commands", CommandClaim, primary="comment_id updated_at key", index="at")


class Commands(Store[CommandClaim], table=commands):
    """A command is claimed by a key of its own in one version of a comment, as `issue:accept`: the same comment may
    arrive under two GUIDs, and acts once."""

    def claim(self, comment_id: int, updated_at: str, key: str, *, claimant: str, now: datetime) -> bool:
        """Whether `claimant` may carry this command out.

        The first claimant may, and is told so again when it asks again; everybody else may not.
        """
        self.add(CommandClaim(comment_id, updated_at, key, claimant, now))
        first = self.get(comment_id, updated_at, key)
        return first is not None and first.claimant == claimant

    def prune(self, before: datetime) -> int:
        """Forget older claims; how many there were. Who asks knows that no delivery of them can come again."""
        return self._drop(commands.c.at < before)
