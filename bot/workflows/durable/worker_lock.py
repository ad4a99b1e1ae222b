"""One worker id runs once: a lock that the operating system or PostgreSQL drops when its holder dies."""

import fcntl
import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from bot.errors import PlainError
from bot.storage.database import PATIENCE

# The server ends the session of a machine that is gone without a word within half a minute, and not after two hours.
_ALIVE = {"tcp_keepalives_idle": 10, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 3}


class WorkerRunning(PlainError):
    """Another live process holds this worker id."""


class WorkerLock:
    """A file lock beside an SQLite database, a session-level advisory lock on PostgreSQL.

    Neither survives a kill -9 of its holder, so nothing has to be cleaned up by hand.
    """

    def __init__(self, url: str, worker_id: str) -> None:
        self.worker_id = worker_id
        self._url = sa.make_url(url)
        self._file: int | None = None
        self._session: sa.Connection | None = None

    def acquire(self) -> None:
        """Raises `WorkerRunning` when somebody else holds it."""
        taken = self._lock_file() if self._url.get_backend_name() == "sqlite" else self._lock_session()
        if not taken:
            raise WorkerRunning(
                f"A worker called {self.worker_id!r} is already running on this database. "
                "Give every worker its own BOUNCER_WORKER_ID."
            )

    def held(self) -> bool:
        """Whether it is still ours: a PostgreSQL restart ends the session and the lock with it."""
        if self._session is None:
            return self._file is not None
        try:
            self._session.execute(sa.text("SELECT 1"))
        except sa.exc.DBAPIError:
            return False
        return True

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if self._session is not None:
            with suppress(sa.exc.DBAPIError):  # the server may be gone, and the lock with it
                self._session.close()
            self._session.engine.dispose()
            self._session = None

    def _lock_file(self) -> bool:
        database = Path(self._url.database or "bouncer.db")
        safe = re.sub(r"[^A-Za-z0-9_-]", "_", self.worker_id)
        path = database.with_name(f"{database.name}.{safe}-{self._number() & 0xFFFF:04x}.lock")
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        self._file = handle
        return True

    def _lock_session(self) -> bool:
        url = self._url.set(drivername="postgresql+psycopg")
        engine = sa.create_engine(url, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT", connect_args=PATIENCE)
        session = engine.connect()
        if session.execute(sa.text("SELECT pg_try_advisory_lock(:key)"), {"key": self._number()}).scalar():
            for name, value in _ALIVE.items():
                session.execute(sa.text(f"SET {name} = {value}"))
            self._session = session
            return True
        session.close()
        return False

    def _number(self) -> int:
        """A signed 64-bit number for the name, the only kind of name an advisory lock has."""
        digest = hashlib.sha256(f"bouncer worker {self.worker_id}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)
