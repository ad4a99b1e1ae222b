"""What a figure was measured on; printed beside every one."""

import os
import platform
import sqlite3
import statistics
import time
from pathlib import Path


def machine(directory: Path) -> str:
    """Processor, memory, versions, and how long a 4 KiB write to `directory` takes to reach the disk."""
    cpu = next((line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "?")
    memory = next((int(line.split()[1]) // 2**20 for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), 0)
    return (
        f"{len(os.sched_getaffinity(0))} cores of {cpu}, {memory} GiB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"4 KiB write and fsync {sync_milliseconds(directory):.2f} ms (median of 200)"
    )


def sync_milliseconds(directory: Path) -> float:
    """The median of 200 appends, each synced."""
    path = directory / "sync.probe"
    times = []
    with path.open("wb", buffering=0) as file:
        for _ in range(200):
            started = time.perf_counter()
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - started)
    path.unlink()
    return statistics.median(times) * 1000


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
