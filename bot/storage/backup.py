"""A copy of SQLite's files while web and worker go on writing."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import make_url

from bot.storage.database import Database, DatabaseError, absent_file, trouble

_MODE = 0o600
_BUSY = 30.0  # seconds to wait for somebody who changes the file's form


class BackupError(DatabaseError):
    """No backup was made; nothing half is left."""


def back_up(url: str, directory: Path) -> tuple[Path, ...]:
    """Copy the database's files into a directory, which is made. Returns the copies.

    Each is a moment of its file, and of use together: the deliveries are copied first, then the work under way, then
    what is known. So a delivery that came meanwhile is asked for again, and a step that ended meanwhile is done again,
    which changes nothing. Raises BackupError.
    """
    if make_url(url).get_backend_name() != "sqlite":
        raise BackupError("PostgreSQL has its own: pg_dump --format=custom --file=FILE NAME, while Bouncer runs.")
    if absent := absent_file(url):
        raise BackupError(
            f"There is no {absent}, so there is nothing to back up. Start this in the server's directory, or set "
            "BOUNCER_DATABASE_URL to the full path."
        )
    return tuple(_copied(source, directory / source.name) for source in _files(url))


def _files(url: str) -> list[Path]:
    database = Database.open(url)
    try:
        names = (database.inbox.url.database, make_url(database.engine_url).database, database.main.url.database)
        return [path for name in names if name and (path := Path(name)).exists()]
    finally:
        database.close()


def _copied(source: Path, target: Path) -> Path:
    """Whole, checked and on the disk before it has its name."""
    _check_readable(source)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if target.exists():
            raise BackupError(f"{target} is there already. Name another directory; nothing is overwritten.")
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE))
        with closing(sqlite3.connect(source, timeout=_BUSY)) as found, closing(sqlite3.connect(draft)) as copy:
            found.backup(copy)
            (state,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if state != "ok":
            raise BackupError(f"{source} is damaged: {state}. Restore an older backup.")
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        os.link(draft, target)  # unlike a rename, this never takes the place of another file
    except (OSError, sqlite3.Error) as error:
        reason = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
        raise BackupError(f"{source.name} cannot be copied to {target}: {reason}. Name another directory.") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return target


def _check_readable(source: Path) -> None:
    """Raises BackupError: what is wrong with the database is not to be taken for trouble with the copy."""
    try:
        with closing(sqlite3.connect(source, timeout=_BUSY)) as found:
            found.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        raise BackupError(f"{source} cannot be read: {trouble(make_url(f'sqlite:///{source}'), error)}") from None
