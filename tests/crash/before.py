"""The version of Bouncer before the one under test, as real processes that come to a stop where they are told to."""

import json
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.crash import stopping

COMMIT = "8137bd0a52089551dfc5ce990792af8bd21a5895"  # the version whose stored work is taken on
PACKAGES = ("bot", "webhooks", "prompts")
ROOT = Path(__file__).parents[2]


class Moment(NamedTuple):
    """Between two steps of a workflow: once the value of `step` is stored."""

    workflow: str
    occasion: str
    step: str


class Passed(NamedTuple):
    """A moment that a run of one subject passed, or stopped at."""

    repository: str
    number: int
    moment: Moment
    stopped: bool


class Before:
    """`serve` and `worker` of that commit. What they print lands in files under `directory`."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self._directory = directory
        self._code = directory / "before"
        unpack(self._code)
        self._environment = {**environment, "PYTHONPATH": str(self._code)}
        self._plan, self._passed = directory / "plan.json", directory / "passed.jsonl"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._passed.touch()
        self.stop_at({})

    def start(self) -> None:
        for command in ("serve", "worker"):
            arguments = [sys.executable, "-P", stopping.__file__, command, str(self._plan), str(self._passed)]
            with (self._directory / f"before-{command}.log").open("wb") as log:
                process = subprocess.Popen(
                    arguments,
                    cwd=self._code,
                    env=self._environment,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            self._processes.append(process)

    def stop_at(self, plan: Mapping[tuple[str, int], Moment]) -> None:
        """Where the runs of each subject stop, by repository and number."""
        new = self._plan.with_suffix(".new")
        new.write_text(json.dumps([[*subject, moment] for subject, moment in plan.items()]))
        new.replace(self._plan)

    def passed(self) -> list[Passed]:
        """All moments so far, in the order in which they were passed."""
        lines = (json.loads(line) for line in self._passed.read_text().splitlines())
        return [Passed(repository, number, Moment(*moment), stopped) for repository, number, moment, stopped in lines]

    def alive(self) -> bool:
        return all(process.poll() is None for process in self._processes)

    def working(self) -> bool:
        """Whether the worker is ready: only then does it end by itself when it is told to."""
        return b"Working." in (self._directory / "before-worker.log").read_bytes()

    def end(self) -> list[int]:
        """Tell all to end, and wait; their exit statuses."""
        for process in self._processes:
            process.terminate()
        return [process.wait(60) for process in self._processes]

    def kill(self) -> None:
        """kill -9 of all of them, without a word."""
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._processes.clear()


def unpack(directory: Path, packages: Iterable[str] = PACKAGES) -> None:
    """That version's code. A shallow clone does not have it, and cannot tell: the test ends as one expected to fail."""
    directory.mkdir()
    archived = subprocess.run(["git", "-C", ROOT, "archive", COMMIT, *packages], capture_output=True, check=False)
    if archived.returncode:
        pytest.xfail(f"this clone lacks commit {COMMIT}: git fetch --unshallow")
    with tarfile.open(fileobj=BytesIO(archived.stdout)) as archive:
        # Python 3.11.2, which Debian 12 has, knows no filter.
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(directory, **safe)  # type: ignore[arg-type]
