"""SQLite databases for tests. A migrated one is made once, and copied.

They lie in memory where there is room: every commit waits for the disk otherwise, which was half of the time of whole
files. Tests kill processes and never the machine, so none of them depends on what reached a disk.
"""

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from bot.storage.database import Database
from bot.storage.migrate import migrate

NAME = "bouncer.db"
_MEMORY, _ROOM = Path("/dev/shm"), 2**28


def in_memory(room: int = _ROOM) -> Path | None:
    """A directory whose files lie in memory; `None` where less than so much is free there, as in a container."""
    return _MEMORY if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > room else None


class SqliteDatabases:
    """Each in a directory of its own; all of them go with the block."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="bouncer-databases-", dir=in_memory(), ignore_cleanup_errors=True)

    def __enter__(self) -> "SqliteDatabases":
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()

    def empty(self) -> str:
        return url_in(Path(mkdtemp(dir=self._folder.name)))

    def migrated(self) -> str:
        return migrated(Path(mkdtemp(dir=self._folder.name)))

    def lose(self, url: str) -> None:
        for file in Path(url.removeprefix("sqlite:///")).parent.glob("bouncer*"):
            file.unlink()


def url_in(directory: Path) -> str:
    return f"sqlite:///{directory}/{NAME}"


def migrated(directory: Path) -> str:
    """The address of a database of the newest form, in this directory."""
    for file in Path(_template().name).iterdir():
        shutil.copy(file, directory)
    return url_in(directory)


def filled_with_tables(database: Database) -> None:
    """In the place of `migrate`, for one that is new: the same tables, but copied."""
    for file in Path(_template().name).iterdir():
        shutil.copy(file, Path(str(database.main.url.database)).parent)


@cache
def _template() -> TemporaryDirectory[str]:
    made = TemporaryDirectory(prefix="migrated-")
    database = Database.open(url_in(Path(made.name)))
    migrate(database)
    database.close()
    return made
