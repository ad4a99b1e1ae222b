"""The whole of Bouncer on loopback: a fake GitHub in this process, `bouncer run` as a real one beside it."""

import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.demo.sample_repository import FILES, SINCE
from bot.demo.scenario import MAINTAINER, REPOSITORY
from bot.errors import PlainError
from bot.storage.database import Database
from bot.storage.ledger import Ledger
from bot.storage.subjects import Subjects
from fake_github import FakeGitHub

SECONDS_TO_START = 60.0
_ANNOUNCES = "Listening on "
_LINES = 10  # of the log, where it says why Bouncer ended


class DemoError(PlainError):
    """The demo cannot go on; the message says why."""

    status = 1


@dataclass(frozen=True, slots=True)
class House:
    """Everything the demo looks at. url: where Bouncer listens; log: what its processes print."""

    github: FakeGitHub
    ledger: Ledger
    subjects: Subjects
    repo_id: int
    url: str
    log: Path
    process: "subprocess.Popen[str]"

    def is_running(self) -> bool:
        """Whether Bouncer still runs."""
        return self.process.poll() is None

    def wait(self) -> None:
        """Stay until somebody ends the demo. Raises DemoError when Bouncer ends by itself."""
        status = self.process.wait()
        last = "\n".join(self.log.read_text().splitlines()[-_LINES:])
        raise DemoError(f"Bouncer ended by itself (status {status}). It printed last:\n{last}")


@contextmanager
def house(port: int) -> Iterator[House]:
    """Start everything, and end it all again. port: of the fake GitHub's pages, 0 for a free one.

    Raises DemoError when Bouncer does not start.
    """
    with tempfile.TemporaryDirectory(prefix="bouncer-demo-") as folder, _github(port) as github:
        address = f"sqlite:///{folder}/bouncer.db"
        log = Path(folder, "bouncer.log")
        own_port = _free_port()
        own = {
            "BOUNCER_SETTINGS_FILE": "",
            "BOUNCER_DATABASE_URL": address,
            "BOUNCER_CACHE_DIR": f"{folder}/cache",
            "BOUNCER_PUBLIC_URL": f"http://127.0.0.1:{own_port}",
        }
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "bot", "run", "--port", str(own_port)],
            env=_clean_environment() | github.environment() | own,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            url = _address(process, log)
            github.app.webhook_url = f"{url}/webhook"
            github.install(REPOSITORY.partition("/")[0], [REPOSITORY], by=MAINTAINER)
            with closing(Database.open(address)) as database:
                repo_id = github.repo(REPOSITORY).id
                yield House(github, Ledger(database), Subjects(database), repo_id, url, log, process)
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def _github(port: int) -> Iterator[FakeGitHub]:
    _check_free(port)
    github = FakeGitHub(port=port)
    github.start()
    try:
        github.create_repository(
            REPOSITORY,
            description="Read, change and write tables of tea.",
            organization=True,
            files=FILES,
            collaborators={MAINTAINER: "maintain"},
        )
        for message, files in SINCE.items():
            github.push(REPOSITORY, files, by=MAINTAINER, message=message)
        github.require_check(REPOSITORY)
        yield github
    finally:
        github.close()


def _check_free(port: int) -> None:
    """Werkzeug ends the whole process over a port in use, so look first."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise DemoError(f"port {port} cannot be used ({error.strerror}); choose another with --port") from None


def _free_port() -> int:
    """For Bouncer itself, which has to know its own address before it listens there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _clean_environment() -> dict[str, str]:
    """The demo is the same everywhere: a server's own settings, keys above all, stay out of it."""
    return {name: value for name, value in os.environ.items() if not name.startswith("BOUNCER_")}


def _address(process: subprocess.Popen[str], log: Path) -> str:
    """What the web process says it listens on. All output goes on into the log."""
    found: list[str] = []
    ready = threading.Event()

    def read() -> None:
        with log.open("w") as sink:
            for line in process.stdout or ():
                sink.write(line)
                sink.flush()
                if _ANNOUNCES in line and not found:
                    found.append(line.partition(_ANNOUNCES)[2].strip())
                    ready.set()
        ready.set()

    threading.Thread(target=read, name="demo-log", daemon=True).start()
    ready.wait(SECONDS_TO_START)
    if not found:
        raise DemoError(f"Bouncer did not start. It printed:\n{log.read_text() if log.exists() else ''}")
    return found[0]
