"""What started processes take of the machine, from `/proc`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def running(command: str, environment: dict[str, str], log: Path, announces: str) -> Iterator[str]:
    """A `bouncer` command as a process; yields the line in which it says that it is ready."""
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", *command.split()],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        if announces not in line:
            process.terminate()
            sys.exit(f"`bouncer {command}` did not start:\n{log.read_text()}")
        try:
            yield line.strip()
        finally:
            process.terminate()
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()


@contextmanager
def watched(command: str, environment: dict[str, str], log: Path, announces: str) -> Iterator[tuple[int, str]]:
    """A `bouncer` command as a process: its id, and the line in which it says that it is ready."""
    before = set(children(os.getpid()))
    with running(command, environment, log, announces) as said:
        (process,) = set(children(os.getpid())) - before
        yield process, said


def children(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def resident(process: int) -> float:
    """Megabytes of the largest of this process and its children: gunicorn's own first process serves nobody."""
    return max(map(_megabytes, (process, *children(process))))


def processor(process: int) -> float:
    """Seconds that this process and its children have used."""
    return sum(map(_seconds, (process, *children(process))))


def _megabytes(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def _seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
