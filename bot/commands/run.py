"""`bouncer run`: web and worker on one small server, under one small supervisor."""

import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import click

from bot.commands.shared import ServerCommand, settings_with, tell
from webhooks.port import check_port

BAD_INPUT = 2
SECONDS_TO_END = 40  # a worker drains for 25 of them
SETTLED = 20.0  # seconds after which a start counts as a success
MOST_FAILURES = 3  # starts in a row that may fail before giving up
LONGEST_PAUSE = 10.0  # seconds between two starts


@click.command(cls=ServerCommand, said="run")
@click.option("--host", help="Where to listen; otherwise BOUNCER_HOST.")
@click.option("--port", type=click.IntRange(0, 65535), help="0 picks a free port; otherwise BOUNCER_PORT.")
def run(host: str | None, port: int | None) -> None:
    """Run `bouncer serve` and `bouncer worker` together, until a signal ends both.

    One that dies is started again; one that has worked, for as long as it takes: its database or GitHub may be away.
    Exit status 2 when one cannot start because of a setting, 1 when the port is taken, or one keeps dying from the
    beginning.
    """
    check_port(settings_with(host=host, port=port))  # nobody is to read on and wait for a link
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signum, frame: ending.set())
    given = {"BOUNCER_HOST": host, "BOUNCER_PORT": port if port is None else str(port)}
    environment = {**os.environ, **{name: value for name, value in given.items() if value is not None}}
    sys.exit(supervise([ChildProcess("serve", environment), ChildProcess("worker", environment)], ending))


@dataclass(slots=True)
class ChildProcess:
    """One `bouncer` command as a process. worked: one that was started settled, so its settings are good."""

    command: str
    environment: dict[str, str]
    process: "subprocess.Popen[bytes] | None" = None
    started: float = 0.0
    failures: int = 0
    worked: bool = False

    def start(self) -> None:
        command = [sys.executable, "-P", "-m", "bot", self.command]
        self.process = subprocess.Popen(command, env=self.environment, preexec_fn=end_with_parent)
        self.started = time.monotonic()

    def exit_status(self) -> int | None:
        """Its exit status, once it has ended."""
        return self.process.poll() if self.process is not None else None

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)


def supervise(children: list[ChildProcess], ending: threading.Event) -> int:
    """The exit status."""
    status = 0
    for child in children:
        child.start()
    while not ending.wait(0.2):
        for child in children:
            status = status or revive(child, ending)
        if status:
            break
    shut_down(children)
    return status


def revive(child: ChildProcess, ending: threading.Event) -> int:
    """Start a child that died again; an exit status when that is no use."""
    code = child.exit_status()
    if code is None:
        return 0
    settled = time.monotonic() - child.started >= SETTLED
    child.worked = child.worked or settled
    if code == BAD_INPUT and not child.worked:
        return BAD_INPUT  # it has said why
    child.failures = 1 if settled else child.failures + 1
    if child.failures > MOST_FAILURES and not child.worked:
        tell(f"bouncer run: `bouncer {child.command}` keeps ending (status {code}); giving up.")
        return 1
    tell(f"bouncer run: `bouncer {child.command}` ended (status {code}); starting it again.", logging.WARNING)
    if not ending.wait(min(0.2 * 2**child.failures, LONGEST_PAUSE)):
        child.start()
    return 0


def shut_down(children: list[ChildProcess]) -> None:
    """Ask all, then wait; whoever does not end in time is killed, and resumes at the next start."""
    for child in children:
        child.end()
    deadline = time.monotonic() + SECONDS_TO_END
    for child in children:
        if child.process is None:
            continue
        try:
            child.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.process.kill()


def end_with_parent() -> None:
    """On Linux a supervisor that is killed leaves nobody behind who would hold the port and the worker's lock."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGTERM)
        os.setpgid(0, 0)  # Ctrl-C reaches the supervisor alone, which then ends both in order
