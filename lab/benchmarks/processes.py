"""Processes of a benchmark, what they take of the machine, and what machine that is: each figure stands beside it."""

import argparse
import multiprocessing
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")
ANNOUNCES = {"serve": "Listening", "worker": "Working"}


def read_options(described: str | None, **options: Any) -> argparse.Namespace:
    """What the command line says of these. Each has its default, by whose type it is read, or what `add_argument`
    takes."""
    parser = argparse.ArgumentParser(description=described, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, given in options.items():
        kinds = given if isinstance(given, dict) else {"type": type(given), "default": given}
        parser.add_argument(f"--{name.replace('_', '-')}", **kinds)
    return parser.parse_args()


@contextmanager
def scratch() -> Iterator[Path]:
    """A directory that goes with the block. Around the block it is said what machine that is, and how busy."""
    with tempfile.TemporaryDirectory(prefix="bouncer-benchmark-") as directory:
        print(f"machine: {machine(Path(directory))}; load {os.getloadavg()[0]:.1f}", flush=True)
        yield Path(directory)
    print(f"load at the end: {os.getloadavg()[0]:.1f}")


@contextmanager
def start_beside(work: Callable[..., None], *given: Any) -> Iterator[tuple[int, Connection]]:
    """A process of its own that does `work` with one end of a pipe; yields its id and the other end. `work` receives a
    last word when the block ends."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=work, args=(theirs, *given), daemon=True)
    process.start()
    assert process.pid is not None
    try:
        yield process.pid, ours
    finally:
        ours.send("done")
        process.join(5)


@contextmanager
def start(command: str, settings: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """`bouncer serve` or `bouncer worker` as a process that has these settings and no others, once it is ready; yields
    its id, and its address."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BOUNCER_")}
    words = [sys.executable, "-m", "bot", command, *(("--port", "0") if command == "serve" else ())]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(words, env={**clean, **settings}, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert process.stdout is not None
        line = process.stdout.readline()
        if ANNOUNCES[command] not in line:
            process.terminate()
            errors.seek(0)
            sys.exit(f"`bouncer {command}` did not start:\n{errors.read()}")
        try:
            yield process.pid, line.split()[-1]
        finally:
            process.terminate()
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_for(done: Callable[[], bool], what: str, patience: float) -> None:
    """Ends the program where it does not come within so many seconds."""
    deadline = time.monotonic() + patience
    while not done():
        if time.monotonic() > deadline:
            sys.exit(f"{what} did not come within {patience:g} s")
        time.sleep(0.1)


def seconds_of(act: Callable[[], object]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def children(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def resident(process: int) -> float:
    """Megabytes of the largest of this process and its children: gunicorn's own first process serves nobody."""
    return max(map(_megabytes, (process, *children(process))))


def processor_seconds(pids: Sequence[int]) -> float:
    """What these processes and all their children have taken, those that live and those that were waited for."""
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            children = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / TICKS
        total += processor_seconds([int(child) for line in children for child in line])
    return total


def _megabytes(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def machine(directory: Path) -> str:
    """Processor, memory, versions, and how long a 4 KiB write to `directory` takes to reach the disk."""
    described = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":")[1].strip() for line in described if line.startswith("model name")), "?")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30
    return (
        f"{len(os.sched_getaffinity(0))} cores of {cpu}, {memory} GiB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"4 KiB write and fsync {sync_milliseconds(directory):.2f} ms (median of 200)"
    )


def sync_milliseconds(directory: Path) -> float:
    """The median of 200 appends, each synced."""
    path = directory / "sync.probe"
    with path.open("wb", buffering=0) as file:

        def append() -> None:
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())

        times = [seconds_of(append) for _ in range(200)]
    path.unlink()
    return statistics.median(times) * 1000
