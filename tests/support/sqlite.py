"""SQLite databases for tests. A migrated one is made once, and copied.

They lie in memory where there is room: every commit waits for the disk otherwise, which was half of the time of whole
files. Tests kill processes and never the machine, so none of them depends on what reached a disk.
"""

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest
from alembic import command

from bot.storage.database import Database
from bot.storage.migrate import migrate
from bot.storage.schema import INBOX, MAIN

NAME = "bouncer.db"
_MEMORY, _ROOM = Path("/dev/shm"), 2**28  # in a container it may be too small to rely on


@pytest.fixture(scope="session")
def databases() -> Iterator[Callable[[], Path]]:
    """Makes a new directory for a database; all of them go at the end."""
    memory = _MEMORY if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM else None
    with TemporaryDirectory(prefix="bouncer-databases-", dir=memory, ignore_cleanup_errors=True) as folder:
        yield lambda: Path(mkdtemp(dir=folder))


def migrated(directory: Path) -> str:
    """The address of a database of the newest form, in this directory."""
    for file in Path(_template().name).iterdir():
        shutil.copy(file, directory)
    return f"sqlite:///{directory}/{NAME}"


def at_revision(directory: Path, revision: str) -> str:
    """The address of a database as the version left it that had this revision."""
    url = f"sqlite:///{directory}/{NAME}"
    database = Database.open(url)
    for engine, schema, wanted in ((database.main, MAIN, revision), (database.inbox, INBOX, "head")):
        with engine.begin() as connection:
            config = schema.config()
            config.attributes["connection"] = connection
            command.upgrade(config, wanted)
    database.close()
    return url


@cache
def _template() -> TemporaryDirectory[str]:
    made = TemporaryDirectory(prefix="migrated-")
    database = Database.open(f"sqlite:///{made.name}/{NAME}")
    migrate(database)
    database.close()
    return made
