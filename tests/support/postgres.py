"""Fixtures: an empty or migrated database, on SQLite and on a throw-away PostgreSQL server."""

import ctypes
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from bot.storage.database import Database
from bot.storage.migrate import migrate
from tests.support.needs import missing
from tests.support.sqlite import migrated


@dataclass(frozen=True)
class Server:
    """A PostgreSQL server of this test session only."""

    port: int
    pid: int = 0
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def url(self, name: str) -> str:
        return f"postgresql://bouncer@127.0.0.1:{self.port}/{name}"

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def create(self, template: str = "template1") -> str:
        """The address of a new database."""
        name = f"test_{next(self.numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)


def _binaries() -> Path:
    """The newest installed PostgreSQL."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    if initdb is None:
        missing("PostgreSQL (apt-get install postgresql)")
    return Path(initdb).parent


def _owner() -> str | None:
    """PostgreSQL refuses to run as root: who runs it instead. `None` when the tests do not run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _die_with_parent() -> None:
    """A killed test run leaves no server behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server for the session."""
    with running_server() as server:
        yield server


@contextmanager
def running_server(*, fsync: bool = False) -> Iterator[Server]:
    """A server with an empty data directory, for the length of the block. fsync: as in earnest, for benchmarks."""
    binaries = _binaries()
    owner = _owner()
    home = Path(tempfile.mkdtemp(prefix="bouncer-postgres-", dir="/tmp"))  # short: a socket's path is limited
    if owner:
        shutil.chown(home, owner)
    data = home / "data"
    as_owner = {"cwd": home, "user": owner, "env": {"LC_ALL": "C", "TZ": "UTC", "PATH": os.environ["PATH"]}}
    try:
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "bouncer", "--auth=trust", "--encoding=UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            **as_owner,
        )
        port = free_port()
        options = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": home,
            "fsync": "on" if fsync else "off",
        }
        arguments = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (home / "log").open("wb") as log:
            process = subprocess.Popen(
                [binaries / "postgres", "-D", data, *arguments],
                stdout=log,
                stderr=log,
                preexec_fn=_die_with_parent,
                **as_owner,
            )
        server = Server(port, process.pid)
        try:
            _wait_until_it_answers(server, process, home / "log")
            yield server
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(30)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _wait_until_it_answers(server: Server, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            server.execute("SELECT 1")
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text()[-2000:]}") from None
            time.sleep(0.05)


@pytest.fixture(scope="session")
def postgres_template(postgres: Server) -> str:
    """The name of a migrated database to copy."""
    postgres.execute("CREATE DATABASE migrated")
    database = Database.open(postgres.url("migrated"))
    migrate(database)
    database.close()
    return "migrated"


BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest, databases: Callable[[], Path]) -> str:
    """The address of an empty database; the test runs once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{databases()}/bouncer.db"
    server: Server = request.getfixturevalue("postgres")
    return server.create()


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest, databases: Callable[[], Path]) -> Iterator[Database]:
    """A migrated database; the test runs once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        opened = Database.open(migrated(databases()))
    else:
        server: Server = request.getfixturevalue("postgres")
        opened = Database.open(server.create(request.getfixturevalue("postgres_template")))
    yield opened
    opened.close()
