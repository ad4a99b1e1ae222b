"""A control group of a job's own: the only thing that can bound the memory of all its processes together.

Works with version 1 (one directory for `memory`, one for `pids`) and version 2 (one for both, where they have been
delegated). A group is locked while its launcher lives, so a group that can be locked is a dead launcher's and goes.
"""

import fcntl
import os
import time

_PREFIX = "bouncer-"
_PATIENCE = 2.0  # seconds in which a group whose processes have ended must become removable


class ControlGroup:
    """The group's directories, with their locks."""

    def __init__(self) -> None:
        self._places: list[tuple[str, int]] = []
        self.oom_file = ""

    def add(self, parent: str, limits: dict[str, str]) -> None:
        """Make a directory below `parent` and set what it has of `limits`. Raises OSError."""
        _sweep(parent)
        place = f"{parent}/{_PREFIX}{os.getpid()}"
        self._places.append((place, _made(place)))
        for name, value in limits.items():
            optional = name.endswith("?")
            name = name.rstrip("?")
            if not optional or os.path.exists(f"{place}/{name}"):
                _write(f"{place}/{name}", value)
        for name in ("memory.oom_control", "memory.events"):
            if os.path.exists(f"{place}/{name}"):
                self.oom_file = f"{place}/{name}"

    def join(self) -> None:
        """Move this process in. Raises OSError."""
        for place, _ in self._places:
            _write(f"{place}/cgroup.procs", "0")

    def count_memory_kills(self) -> int:
        """How many processes were killed for want of memory."""
        with open(self.oom_file) as file:
            return sum(int(line.split()[1]) for line in file if line.startswith("oom_kill "))

    def remove(self) -> None:
        """Take the directories away, once the job's processes are gone."""
        for place, lock in self._places:
            deadline = time.monotonic() + _PATIENCE
            while not _removed(place) and time.monotonic() < deadline:
                time.sleep(0.01)
            os.close(lock)


def create(memory: int, processes: int) -> ControlGroup | None:
    """A group with limits, or nothing where this machine grants none."""
    mounts = _mounts()
    for places in (_version_1(mounts, memory, processes), *_version_2(mounts, memory, processes)):
        group = ControlGroup()
        try:
            for parent, limits in places:
                group.add(parent, limits)
        except OSError:
            group.remove()
            continue
        if group.oom_file:
            return group
        group.remove()
    return None


def _version_1(mounts: dict[str, str], memory: int, processes: int) -> list[tuple[str, dict[str, str]]]:
    if "memory" not in mounts or "pids" not in mounts:
        return []
    size = str(memory)
    limits = {"memory.limit_in_bytes": size, "memory.memsw.limit_in_bytes?": size}
    return [(mounts["memory"], limits), (mounts["pids"], {"pids.max": str(processes)})]


def _version_2(mounts: dict[str, str], memory: int, processes: int) -> list[list[tuple[str, dict[str, str]]]]:
    """Below this process's group, else beside it: a group that holds processes may not have groups with limits."""
    own = mounts.get("")
    if own is None:
        return []
    limits = {"memory.max": str(memory), "memory.swap.max?": "0", "memory.oom.group?": "1", "pids.max": str(processes)}
    parents = [own, os.path.dirname(own)]
    for parent in parents:
        try:
            _write(f"{parent}/cgroup.subtree_control", "+memory +pids")
        except OSError:
            continue
    return [[(parent, limits)] for parent in parents]


def _mounts() -> dict[str, str]:
    """Controller (empty for version 2) -> the directory of this process's group."""
    paths = {}
    with open("/proc/self/cgroup") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            paths.update(dict.fromkeys(controllers.split(","), path))
    found: dict[str, str] = {}
    with open("/proc/self/mountinfo") as file:
        for line in file:
            before, after = line.rstrip("\n").split(" - ", 1)
            root, point = before.split()[3:5]
            kind, _, options = after.split(" ", 2)
            names = [""] if kind == "cgroup2" else options.split(",") if kind == "cgroup" else []
            for name in names:
                if name in paths:
                    found.setdefault(name, _group(point, root, paths[name]))
    return found


def _group(point: str, root: str, path: str) -> str:
    """A group's directory below a mount that may show only a part of the hierarchy."""
    inside = path.removeprefix(root) if root != "/" else path
    full = f"{point}/{inside.strip('/')}".rstrip("/")
    return full if os.path.isdir(full) else point


def _sweep(parent: str) -> None:
    """Remove what launchers left that were killed."""
    for name in os.listdir(parent):
        if name.startswith(_PREFIX):
            try:
                lock = os.open(f"{parent}/{name}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError:
                continue
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _removed(f"{parent}/{name}")
            except OSError:
                pass  # in use
            finally:
                os.close(lock)


def _made(place: str) -> int:
    """Make a group and lock it; its descriptor. Another launcher's sweep may remove it in between: then once more."""
    while True:
        os.mkdir(place)
        try:
            lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.isdir(place):
            return lock
        os.close(lock)


def _removed(place: str) -> bool:
    try:
        os.rmdir(place)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
