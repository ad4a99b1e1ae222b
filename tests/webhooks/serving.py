"""The real web process, started as a maintainer starts it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.waiting import eventually
from tests.webhooks.sending import SECRET


@dataclass(frozen=True)
class Serving:
    """address: `http://HOST:PORT`, as the process printed it. errors: where its log goes."""

    address: str
    process: "subprocess.Popen[bytes]"
    errors: Path

    def kill(self) -> None:
        """kill -9 for gunicorn's arbiter and worker at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(300)


def environment(database_url: str, **settings: str) -> dict[str, str]:
    """An environment with these settings and no others."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("BOUNCER_")}
    given = {"webhook_secret": SECRET, "database_url": database_url, **settings}
    return inherited | {f"BOUNCER_{name.upper()}": value for name, value in given.items()}


def bouncer(*arguments: str) -> list[str]:
    """The command line of the installed `bouncer`."""
    return [str(Path(sys.executable).with_name("bouncer")), *arguments]


# The same, with a door that waits for an hour for who is slow to send: no answer can be due to its end.
PATIENT = (
    sys.executable,
    "-c",
    "import webhooks.gunicorn_worker as d; d.SECONDS_TO_SEND = 3600; from bot.cli import main; main()",
)


@contextmanager
def serving(
    database_url: str, directory: Path, *, program: Sequence[str] = (), port: int = 0, **settings: str
) -> Iterator[Serving]:
    """`bouncer serve`, on a free port where none is given, ended with the block. program: what is started instead of
    `bouncer`."""
    output, errors = directory / "web.out", directory / "web.err"
    with output.open("wb") as out, errors.open("wb") as err:
        process = subprocess.Popen(
            [*(program or bouncer()), "serve", "--port", str(port)],
            env=environment(database_url, **{"cache_dir": str(directory / "cache"), **settings}),
            stdout=out,
            stderr=err,
            start_new_session=True,  # so that it and its worker can be killed together
        )
    try:
        eventually(lambda: process.poll() is not None or "\n" in output.read_text(), seconds=60)
        assert process.poll() is None, errors.read_text()
        yield Serving(output.read_text().split()[-1], process, errors)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(300)
