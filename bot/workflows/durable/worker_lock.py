"""One worker id runs once: a lock that the operating system or PostgreSQL drops when its holder dies."""

import fcntl
import hashlib
import os
import re
import time
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from bot.errors import PlainError
from bot.storage.database import PATIENCE, DatabaseError

# The server ends the session of a machine that is gone without a word within half a minute, and not after two hours.
_ALIVE = {"tcp_keepalives_idle": 10, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 3}


class WorkerRunning(PlainError):
    """Another live process holds this worker id."""


_END_SILENT = sa.text(  # sessions that hold an advisory lock and said nothing for so many seconds
    "SELECT pg_terminate_backend(activity.pid) FROM pg_stat_activity AS activity JOIN pg_locks AS locks USING (pid) "
    "JOIN pg_database AS here ON here.oid = locks.database AND here.datname = current_database() "
    "WHERE locks.locktype = 'advisory' AND locks.objsubid = 1 AND locks.granted "
    "AND (locks.classid::bigint << 32) | locks.objid::bigint = :key "
    "AND activity.state_change < now() - make_interval(secs => :silent)"
)


class WorkerLock:
    """A file lock beside an SQLite database, a session-level advisory lock on PostgreSQL.

    Neither survives a kill -9 of its holder, so nothing has to be cleaned up by hand. A holder that lives and does
    nothing may lose it: whoever asks `held` gives a sign of life. PostgreSQL itself knows when a session last spoke,
    and ends it; beside SQLite the signs are counted in the file, and a new file takes the place of the silent one's.
    """

    def __init__(self, url: str, worker_id: str) -> None:
        self.worker_id = worker_id
        self._url = sa.make_url(url)
        self._file: int | None = None
        self._session: sa.Connection | None = None
        self._signs = 0
        self._seen: tuple[int, bytes] | None = None  # somebody else's file, and the sign in it
        self._seen_since = 0.0  # by the monotonic clock

    def acquire(self, silent: float | None = None) -> None:
        """Raises `WorkerRunning` when somebody else holds it, `DatabaseError` where no file can be made.

        silent: seconds without a sign of life after which a holder loses it; otherwise it is never taken away.
        """
        sqlite = self._url.get_backend_name() == "sqlite"
        try:
            taken = self._lock_file(silent) if sqlite else self._lock_session(silent)
        except OSError as error:
            place = self._path.parent
            raise DatabaseError(
                f"The worker's lock in {place} cannot be made: {error.strerror}. Let this user write there."
            ) from None
        if not taken:
            raise WorkerRunning(
                f"A worker called {self.worker_id!r} is already running on this database. "
                "Give every worker its own BOUNCER_WORKER_ID."
            )

    def is_ours(self) -> bool:
        """Whether it is still ours: a PostgreSQL restart ends the session and the lock with it, and who was silent for
        too long may have lost it."""
        if self._session is None:
            return self._file is not None and self._is_in_place(self._file) and self._give_sign(self._file)
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

    def _lock_file(self, silent: float | None) -> bool:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            replaced = silent is not None and self._is_silent(handle, silent) and self._replace()
            os.close(handle)
            return replaced
        if not self._is_in_place(handle):  # replaced since it was opened
            os.close(handle)
            return False
        self._file = handle
        return self._give_sign(handle)

    @property
    def _path(self) -> Path:
        database = Path(self._url.database or "bouncer.db")
        safe = re.sub(r"[^A-Za-z0-9_-]", "_", self.worker_id)
        return database.with_name(f"{database.name}.{safe}-{self._number() & 0xFFFF:04x}.lock")

    def _is_in_place(self, handle: int) -> bool:
        """Whether the file is still the one that others find."""
        try:
            return os.path.samestat(os.fstat(handle), self._path.stat())
        except FileNotFoundError:
            return False
        except OSError:  # nobody can look, so nobody has replaced it
            return True

    def _give_sign(self, handle: int) -> bool:
        self._signs += 1
        with suppress(OSError):  # a disk that is full or read-only: nobody can take it away there either
            os.pwrite(handle, b"%020d" % self._signs, 0)
        return True

    def _is_silent(self, handle: int, silent: float) -> bool:
        """Whether the same sign is seen for so long: by our own clock, that of the holder may be another. Where the
        disk takes no sign, nobody is silent."""
        seen = os.fstat(handle).st_ino, os.pread(handle, 20, 0)
        if seen != self._seen:
            self._seen, self._seen_since = seen, time.monotonic()
            return False
        return bool(seen[1]) and time.monotonic() - self._seen_since >= silent

    def _replace(self) -> bool:
        """Put a file that we hold in the place of the silent holder's. Of several that want to, one does."""
        guard = WorkerLock(self._url.render_as_string(hide_password=False), f"{self.worker_id}: taking over")
        if not guard._lock_file(None):
            return False
        try:
            with self._path.open("rb") as current:
                if (os.fstat(current.fileno()).st_ino, current.read(20)) != self._seen:
                    return False
            new = self._path.with_suffix(".new")
            handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                new.replace(self._path)
            except OSError:
                os.close(handle)
                raise
        finally:
            guard.release()
        self._file = handle
        return self._give_sign(handle)

    def _lock_session(self, silent: float | None) -> bool:
        url = self._url.set(drivername="postgresql+psycopg")
        engine = sa.create_engine(url, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT", connect_args=PATIENCE)
        session = engine.connect()
        if silent is not None:
            session.execute(_END_SILENT, {"key": self._number(), "silent": silent})
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
