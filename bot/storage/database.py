"""Where Bouncer keeps what it knows: one address, opened as engines that are safe to share between threads."""

import os
import shutil
import sqlite3
import sys
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bot.errors import PlainError
from bot.storage.schema import INBOX, MAIN, Schema

SECONDS_TO_WAIT = 8  # for a connection or another writer; GitHub hangs up after 10
_LEAST_ROOM = 2**17  # bytes; SQLite cannot even open a write-ahead log where less is free
_STARTERS = 50  # that may be in each other's way on a new file

_READ_ONLY = "25006"  # PostgreSQL's code
_MISSING = ("42P01", "42703", "3F000")  # a table, a column, a schema
_SQLITE_MISSING = ("no such table", "no such column")

# A server that is gone without a word (a cut cable) must not hold an answer up for longer than one that refuses.
PATIENCE = {"connect_timeout": SECONDS_TO_WAIT, "tcp_user_timeout": SECONDS_TO_WAIT * 1000}

MEND_URL = "Set BOUNCER_DATABASE_URL to sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME."


class DatabaseError(PlainError):
    """The database cannot be used. The message is plain, says the mend, and holds no password."""

    @classmethod
    def of(cls, engine: Engine, error: SQLAlchemyError | sqlite3.Error) -> "DatabaseError":
        """What the driver said about `engine`, in one line."""
        return cls(f"The database {_shown(engine)} cannot be used: {trouble(engine.url, error)}")


@dataclass(frozen=True, slots=True)
class Database:
    """main: the application's tables. inbox: the deliveries; on SQLite a second file, so that acknowledging a delivery
    never waits for a worker's writes. engine_url: where dbos keeps its own tables; on SQLite a third file.
    """

    main: Engine
    inbox: Engine
    engine_url: str = field(repr=False)  # may hold a password

    @classmethod
    def open(cls, url: str) -> "Database":
        """Prepare the engines; nothing connects yet. Raises DatabaseError for an address or SQLite that cannot work."""
        address = _parse(url)
        if address.get_backend_name() == "postgresql":
            address = address.set(drivername="postgresql+psycopg")
            engine = _postgres(address)
            return cls(engine, engine, address.render_as_string(hide_password=False))
        refuse_old_sqlite(sys.version_info[:2], sqlite3.sqlite_version_info)
        main, inbox, durable = _files(address)
        return cls(_sqlite(main), _sqlite(inbox), durable.render_as_string(hide_password=False))

    @property
    def schemas(self) -> tuple[tuple[Engine, Schema], ...]:
        """Which schema lives in which engine."""
        return ((self.main, MAIN), (self.inbox, INBOX))

    def check(self) -> None:
        """Raise DatabaseError unless the database answers and is migrated to exactly this version's tables."""
        for engine, schema in self.schemas:
            try:
                with engine.connect() as connection:
                    found = schema.revision(connection)
            except SQLAlchemyError as error:
                raise DatabaseError.of(engine, error) from None
            if found != schema.head:
                raise DatabaseError(_unmigrated(_shown(engine), found, schema))

    def check_writable(self) -> None:
        """Raise DatabaseError where it is read and never written: after a failover to a standby, or on a disk that went
        bad. Changes nothing, and waits for no lock."""
        for engine, schema in self.schemas:
            try:
                if engine.dialect.name == "sqlite":
                    _begin_to_write(Path(str(engine.url.database)), schema.version_table)
                    continue
                with engine.connect() as connection:
                    read_only = connection.exec_driver_sql("SHOW transaction_read_only").scalar_one() == "on"
            except (SQLAlchemyError, sqlite3.Error) as error:
                raise DatabaseError.of(engine, error) from None
            if read_only:
                said = "it takes read-only transactions alone"
                raise DatabaseError(f"The database {_shown(engine)} cannot be used: {said}. {_mend(engine.url, said)}")

    def close(self) -> None:
        """Close every pooled connection."""
        self.main.dispose()
        self.inbox.dispose()


def is_away(error: BaseException | None) -> bool:
    """Whether it is the database's trouble, which may pass: it is gone, locked, full or read-only."""
    if isinstance(error, OperationalError):
        return "no such" not in str(error.orig)  # SQLite says of a missing table or column what PostgreSQL calls a bug
    read_only = isinstance(error, InternalError) and getattr(error.orig, "sqlstate", "") == _READ_ONLY
    return read_only or isinstance(error, InterfaceError | PoolTimeout)


def lacks_tables(error: BaseException) -> bool:
    """Whether tables or columns are missing: another database lies where it was. Waiting does not help; a new start
    migrates what is there, or says why not."""
    if not isinstance(error, DBAPIError):
        return False
    return str(error.orig).startswith(_SQLITE_MISSING) or getattr(error.orig, "sqlstate", "") in _MISSING


def trouble(url: URL, error: SQLAlchemyError | sqlite3.Error) -> str:
    """What is wrong with the database at `url`, and the mend, in one line without what was to be stored."""
    cause = getattr(error, "orig", None) or error
    lines = [] if isinstance(error, DataError | IntegrityError) else str(cause).strip().splitlines()
    line = (lines or [type(cause).__name__])[0].rstrip(".")
    return f"{line}. {_mend(url, line)}"


def refuse_old_sqlite(python: tuple[int, ...], library: tuple[int, ...]) -> None:
    """dbos asks SQLite for `unixepoch('subsec')` on Python 3.12 and later; SQLite before 3.42 answers NULL and every
    workflow fails. Raises DatabaseError for that pair.
    """
    if python >= (3, 12) and library < (3, 42):
        have = ".".join(map(str, library))
        raise DatabaseError(
            f"SQLite {have} is too old for Python {'.'.join(map(str, python))}. Use SQLite 3.42 or later, Python 3.11, "
            "or PostgreSQL (BOUNCER_DATABASE_URL=postgresql://USER:PASSWORD@HOST/NAME)."
        )


def _mend(url: URL, said: str) -> str:
    if url.get_backend_name() == "sqlite":
        place = Path(url.database or "").parent
        if "disk is full" in said or ("disk I/O" in said and _is_full(place)):
            return f"Make room in {place}, or set BOUNCER_DATABASE_URL to another place."
        if "unable to open" in said or "readonly" in said:
            return f"Let this user write in {place}, or set BOUNCER_DATABASE_URL to another place."
        if "disk I/O" in said:
            return f"Look at the disk of {place}: it may be broken or read-only (`dmesg` says so)."
        if "malformed" in said or "not a database" in said:
            return "Restore a backup."
        if "locked" in said:
            return "Another program holds it; this passes once that ends."
    if "No space left" in said:
        return "Make room on the server's disk."
    if "read-only transaction" in said:
        return "It is a standby, or set to read only: set BOUNCER_DATABASE_URL to the server that is written."
    if said.startswith(_SQLITE_MISSING) or "does not exist" in said:
        return "Run `bouncer migrate`, or correct BOUNCER_DATABASE_URL."
    return "Start it, or correct BOUNCER_DATABASE_URL."


def _is_full(place: Path) -> bool:
    try:
        return shutil.disk_usage(place).free < _LEAST_ROOM
    except OSError:
        return False


def _parse(url: str) -> URL:
    try:
        address = make_url(url.replace("postgres://", "postgresql://", 1) if url.startswith("postgres://") else url)
    except (ArgumentError, ValueError):
        raise DatabaseError(f"The database address cannot be read. {MEND_URL}") from None
    if address.get_backend_name() not in ("sqlite", "postgresql"):
        raise DatabaseError(f"Bouncer knows SQLite and PostgreSQL, not {address.get_backend_name()}. {MEND_URL}")
    return address


def absent_file(url: str) -> str:
    """SQLite's file where it does not exist, absolute: opening would create it."""
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        return ""
    path = address.database or ""
    if address.get_backend_name() != "sqlite" or path == ":memory:" or Path(path).exists():
        return ""
    return str(Path(path).absolute())


def _files(address: URL) -> tuple[URL, URL, URL]:
    """The three SQLite files beside each other, absolute, in a directory that exists."""
    if address.database in (None, "", ":memory:"):
        raise DatabaseError(f"Bouncer needs a SQLite file; what is only in memory is lost on a restart. {MEND_URL}")
    path = Path(str(address.database)).absolute()
    if path.is_dir():
        raise DatabaseError(
            f"{path} is a directory. Set BOUNCER_DATABASE_URL to a file in it: sqlite:///{path}/bouncer.db"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseError(f"The directory {path.parent} cannot be made: {error.strerror}. {MEND_URL}") from None

    def named(name: str) -> URL:
        return address.set(drivername="sqlite", database=str(path.with_name(name)))

    return named(path.name), named(f"{path.stem}-inbox.db"), named(f"{path.stem}-engine.db")


def _engine(address: URL, **options: Any) -> Engine:
    return create_engine(
        address,
        pool_size=8,
        max_overflow=64,
        pool_timeout=SECONDS_TO_WAIT,
        hide_parameters=True,  # an error's text goes to the log; what people wrote does not
        **options,
    )


def _postgres(address: URL) -> Engine:
    engine = _engine(address, pool_pre_ping=True, connect_args=PATIENCE)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: object) -> None:
        connection.autocommit = True
        connection.execute(f"SET lock_timeout = '{SECONDS_TO_WAIT}s'")
        connection.autocommit = False

    return engine


def _sqlite(address: URL) -> Engine:
    engine = _engine(address, connect_args={"timeout": SECONDS_TO_WAIT})

    @event.listens_for(engine, "do_connect")
    def shut(dialect: object, record: object, arguments: object, options: object) -> None:
        keep_private(Path(str(address.database)))

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, record: object) -> None:
        _write_ahead(connection)
        # FULL syncs the log at every commit: what was acknowledged outlives kill -9 and power loss. NORMAL would not.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    return engine


def keep_private(file: Path) -> None:
    """Make SQLite's file for its owner alone: code of private repositories lies in it, and SQLite would let others read
    it. Its logs take the file's mode. A file that is there keeps its own; SQLite says what is wrong."""
    with suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _begin_to_write(file: Path, table: str) -> None:
    """By a connection of its own: an open one does not notice that its file may only be read by now, and SQLite takes
    `BEGIN IMMEDIATE` for a read there. Raises sqlite3.Error."""
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, timeout=0)) as connection:
        try:
            connection.execute(f"DELETE FROM {table} WHERE false")  # noqa: S608 - a name of ours
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):  # somebody writes
                raise


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Keep the log before the file. SQLite refuses this at once while another starter writes, however long it may wait
    for a lock; so that one is waited for. Raises sqlite3.OperationalError when it does not end.
    """
    for _ in range(_STARTERS):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    connection.execute("PRAGMA journal_mode = WAL")


def begin_exclusively(connection: Connection) -> None:
    """Make this transaction the only migration of this database, waiting for another one to end."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7268104513)")
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _unmigrated(where: str, found: str | None, schema: Schema) -> str:
    if found is None or found in schema.revisions:
        return f"The database {where} is not migrated. Run `bouncer migrate`."
    return f"The database {where} was migrated by a newer Bouncer. Install that version again, or restore a backup."


def _shown(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=True)
