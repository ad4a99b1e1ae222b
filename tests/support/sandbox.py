"""The executors that work on this machine, and what a job may never leave behind."""

import fcntl
import os
import re
from functools import cache
from pathlib import Path

from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.container import ContainerExecutor
from bot.sandbox.protocol import Executor
from tests.support import rootfs


@cache
def usable_executors() -> tuple[Executor, ...]:
    """Each executor that probes well here, ready to run; computed once for each test process."""
    image = rootfs.image()
    candidates: list[Executor] = [BubblewrapExecutor()]
    if image is not None:
        candidates.append(ContainerExecutor("podman", image))
    return tuple(executor for executor in candidates if executor.probe().usable)


def processes(mark: str) -> list[str]:
    """Command lines of this machine's processes that hold `mark`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # ended meanwhile
        if mark in line:
            found.append(line)
    return found


def left_over_groups() -> list[str]:
    """Control groups of launchers that are no more."""
    found = []
    everywhere = (Path(place, name) for place, names, _ in os.walk("/sys/fs/cgroup") for name in names)
    for path in [path for path in everywhere if re.fullmatch(r"bouncer-\d+", path.name)]:
        try:
            handle = os.open(path, os.O_RDONLY)
        except OSError:
            continue  # removed meanwhile
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if path.exists():
                found.append(str(path))
        except BlockingIOError:
            pass  # in use
        finally:
            os.close(handle)
    return found


def mounts() -> set[str]:
    """What is mounted where in this mount namespace, container storage apart, which others use at the same time."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {line.split(" ", 1)[1] for line in lines if "containers" not in line}
