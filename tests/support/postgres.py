"""PostgreSQL for tests: a throw-away server for each test process, and databases copied from a migrated one.

It lies in memory where there is room, and a database is copied file by file: from a disk, and through the server's log
as PostgreSQL does it by itself, making and dropping one took four times as much of the processor.
"""

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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.storage.database import Database
from bot.storage.migrate import migrate
from tests.support.needs import missing
from tests.support.sqlite import in_memory


@dataclass(frozen=True, eq=False)
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
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self.url(name)


_ROOM = 2**31  # several servers with some hundred megabytes each

# Words are put in order as people do it, as most servers have it; SQLite does it by their bytes. Since PostgreSQL 15.
_ORDER = ("--locale-provider=icu", "--icu-locale=en-US")


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
def running_server(*, durable: bool = False) -> Iterator[Server]:
    """A server with an empty data directory, for the length of the block. durable: a commit reaches the disk."""
    with server_to_stop(durable=durable) as (server, process):
        yield replace(server, pid=process.start())


class ServerProcess:
    """Starts the server in its directory, ends it and starts it again."""

    def __init__(self, server: Server, home: Path, durable: bool) -> None:
        self._server, self._home, self._durable = server, home, durable
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> int:
        """The server's process id, once it answers."""
        options = {
            "listen_addresses": "127.0.0.1",
            "port": self._server.port,
            "unix_socket_directories": self._home,
            "fsync": "on" if self._durable else "off",
        }
        arguments = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [_binaries() / "postgres", "-D", self._home / "data", *arguments],
                stdout=log,
                stderr=log,
                preexec_fn=_die_with_parent,
                **_as_owner(self._home),
            )
        _wait_until_it_answers(self._server, self._process, self._home / "log")
        return self._process.pid

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """SIGQUIT: at once, as by a crash. SIGINT: whoever is connected is told."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(300)
            self._process = None


@contextmanager
def server_to_stop(*, durable: bool = False) -> Iterator[tuple[Server, ServerProcess]]:
    """A server that is not started yet, with an empty data directory, for the length of the block."""
    memory = None if durable else in_memory(_ROOM)
    home = Path(tempfile.mkdtemp(prefix="bouncer-postgres-", dir=memory or "/tmp"))  # short: a socket's path is limited
    if owner := _owner():
        shutil.chown(home, owner)
    try:
        subprocess.run(
            [
                *(_binaries() / "initdb", "-D", home / "data", "-U", "bouncer"),
                *("--auth=trust", "--encoding=UTF8", "--no-sync", *_ORDER),
            ],
            check=True,
            capture_output=True,
            **_as_owner(home),
        )
        server = Server(free_port())
        process = ServerProcess(server, home, durable)
        try:
            yield server, process
        finally:
            process.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _as_owner(home: Path) -> dict[str, Any]:
    return {"cwd": home, "user": _owner(), "env": {"LC_ALL": "C", "TZ": "UTC", "PATH": os.environ["PATH"]}}


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


class PostgresDatabases:
    """Databases of one server; all of them go with the block."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._made: list[str] = []

    def __enter__(self) -> "PostgresDatabases":
        return self

    def __exit__(self, *error: object) -> None:
        for url in self._made:
            self.lose(url)

    def empty(self) -> str:
        self._made.append(self._server.create())
        return self._made[-1]

    def migrated(self) -> str:
        self._made.append(self._server.create(_template(self._server)))
        return self._made[-1]

    def lose(self, url: str) -> None:
        self._server.execute(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]} WITH (FORCE)")


@cache
def _template(server: Server) -> str:
    """The name of a migrated database to copy, which nobody is connected to."""
    database = Database.open(server.create())
    migrate(database)
    database.close()
    return str(database.main.url.database)
