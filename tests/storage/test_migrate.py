"""Migrations: any number of starters at once, and plain words when it cannot work."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import DataError, DBAPIError, OperationalError

from bot.storage.database import Database, DatabaseError, refuse_old_sqlite, trouble
from bot.storage.migrate import migrate
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.support.postgres import Server
from tests.support.waiting import eventually


def test_migrating_twice_is_the_same_as_once(database_url: str) -> None:
    database = Database.open(database_url)
    migrate(database)
    migrate(database)
    database.check()
    database.close()


def test_processes_that_start_at_once_migrate_once(database_url: str) -> None:
    program = (
        "import sys; from bot.storage import database, migrate; migrate.migrate(database.Database.open(sys.argv[1]))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program, database_url], stderr=subprocess.PIPE) for _ in range(3)
    ]
    assert [process.communicate(timeout=300)[1] for process in processes] == [b"", b"", b""]
    assert [process.returncode for process in processes] == [0, 0, 0]
    database = Database.open(database_url)
    database.check()
    database.close()


def test_a_failed_migration_leaves_nothing_behind(database_url: str) -> None:
    database = Database.open(database_url)
    with database.main.begin() as connection:
        connection.execute(text("CREATE TABLE welcomes (a INTEGER)"))  # the last table that is made
    with pytest.raises(DatabaseError):
        migrate(database)
    with database.main.begin() as connection:
        connection.execute(text("DROP TABLE welcomes"))
    migrate(database)
    database.check()
    database.close()


def test_an_unmigrated_database_says_what_to_run(database_url: str) -> None:
    database = Database.open(database_url)
    with pytest.raises(DatabaseError, match="Run `bouncer migrate`"):
        database.check()
    database.close()


def test_a_database_of_a_newer_version_is_refused_and_left_alone(database: Database) -> None:
    with database.main.begin() as connection:
        connection.execute(text("UPDATE main_version SET version_num = 'm9999'"))
    with pytest.raises(DatabaseError, match="newer Bouncer"):
        database.check()
    with pytest.raises(DatabaseError, match="newer Bouncer"):
        migrate(database)


@cases
def test_an_address_that_cannot_work_is_refused_with_the_mend(url: str, words: str) -> None:
    with pytest.raises(DatabaseError, match=words) as refused:
        Database.open(url)
    assert "BOUNCER_DATABASE_URL" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_database_that_is_down_says_so_without_the_password() -> None:
    database = Database.open("postgres://bouncer:hunter2@127.0.0.1:1/bouncer")
    for act in (database.check, lambda: migrate(database)):
        with pytest.raises(DatabaseError, match="cannot be used") as down:
            act()
        assert "hunter2" not in str(down.value)
        assert "\n" not in str(down.value)


@pytest.mark.postgres
def test_a_server_that_is_only_read_is_said_with_the_mend(postgres: Server, postgres_databases: Databases) -> None:
    """As a standby answers, and one that a failover left behind."""
    url = postgres_databases.empty()
    postgres.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = on")
    database = Database.open(url)
    with pytest.raises(DatabaseError, match=r"read-only transaction\. It is a standby, or set to read only: set"):
        migrate(database)
    with pytest.raises(
        DatabaseError, match=r"read-only transactions alone\. It is a standby, or set to read only: set"
    ):
        database.check_writable()
    database.close()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (sqlite3.OperationalError("disk I/O error"), "disk I/O error. Look at the disk of /var/b: it may be broken"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "Let this user write in /var/b, or set"),
        (sqlite3.OperationalError("unable to open database file"), "Let this user write in /var/b, or set"),
        (sqlite3.OperationalError("database or disk is full"), "Make room in /var/b"),
        (sqlite3.OperationalError("database is locked"), "Another program holds it; this passes"),
        (sqlite3.OperationalError("no such table: inbox"), "no such table: inbox. Run `bouncer migrate`"),
        (sqlite3.DatabaseError("database disk image is malformed"), "is malformed. Restore a backup."),
        (sqlite3.DataError("what somebody wrote"), "DataError. "),
    ],
)
def test_each_trouble_with_sqlite_has_its_mend(error: sqlite3.Error, said: str) -> None:
    kind = {sqlite3.DataError: DataError, sqlite3.OperationalError: OperationalError}.get(type(error), DBAPIError)
    line = trouble(make_url("sqlite:////var/b/bouncer.db"), kind("INSERT", {}, error))
    assert said in line and "\n" not in line and "somebody" not in line


@pytest.mark.sqlite("its files")
def test_a_file_that_is_no_database_is_said_to_be_unusable(tmp_path: Path) -> None:
    (tmp_path / "bouncer.db").write_text("no database at all, but longer than a header" * 10)
    with pytest.raises(DatabaseError, match="cannot be used: file is not a database"):
        migrate(Database.open(f"sqlite:///{tmp_path}/bouncer.db"))


@cases
def test_the_pair_of_python_and_sqlite_dbos_fails_on_is_refused(
    python: tuple[int, ...], library: tuple[int, ...], works: bool
) -> None:
    if works:
        refuse_old_sqlite(python, library)
    else:
        with pytest.raises(DatabaseError, match=r"Use SQLite 3.42 or later, Python 3.11, or PostgreSQL"):
            refuse_old_sqlite(python, library)


@pytest.mark.sqlite("its files")
def test_sqlite_lies_in_three_files_beside_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    database = Database.open("sqlite:///deep/var/bouncer.db")
    monkeypatch.chdir("/")  # the address was relative; where it leads must not change
    migrate(database)
    database.close()
    directory = tmp_path / "deep" / "var"
    assert sorted(path.name for path in directory.glob("*.db")) == ["bouncer-inbox.db", "bouncer.db"]
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o600}, "for nobody else"
    assert database.engine_url == f"sqlite:///{directory}/bouncer-engine.db"


@pytest.mark.sqlite("its pragmas")
def test_sqlite_syncs_every_commit_and_lets_readers_pass(tmp_path: Path) -> None:
    database = Database.open(f"sqlite:///{tmp_path}/bouncer.db")
    for engine in (database.main, database.inbox):
        with engine.connect() as connection:
            assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
            assert connection.execute(text("PRAGMA synchronous")).scalar() == 2
            assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
            assert connection.execute(text("PRAGMA busy_timeout")).scalar() > 0
    database.close()


@pytest.mark.sqlite("one writer at a time")
def test_who_opens_a_new_file_waits_for_another_that_writes_to_it(tmp_path: Path) -> None:
    database = Database.open(f"sqlite:///{tmp_path}/bouncer.db")
    writer = sqlite3.connect(tmp_path / "bouncer.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")  # the file is not in its mode yet
    with ThreadPoolExecutor(1) as pool:
        opened = pool.submit(lambda: database.main.connect().close())
        eventually(lambda: opened.done() or opens(tmp_path / "bouncer.db") > 1)
        writer.execute("ROLLBACK")
        opened.result()
    writer.close()
    database.close()


def opens(path: Path) -> int:
    """How often this process has the file open."""
    return sum(link.exists() and link.samefile(path) for link in Path("/proc/self/fd").iterdir())


def test_the_durable_engine_shares_postgresql() -> None:
    database = Database.open("postgresql://bouncer:secret@db.example/bouncer")
    assert database.main is database.inbox
    assert database.engine_url == "postgresql+psycopg://bouncer:secret@db.example/bouncer"
    assert "secret" not in repr(database)
