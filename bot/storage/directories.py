"""Directories that take long to make: made once, shared by threads and processes, never changed, pruned when old."""

import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

_OWN, _PASSED = 0o700, 0o711  # for the owner alone; others may go through, and list nothing
KEEP = 3600.0  # seconds; longer than any run that was given a directory
_MOST_TEXT = 50_000_000  # bytes
_SLOTS = 256  # lock files; two keys may share one and then wait for each other
_SHOWN = ("environments", "trees")  # of the kinds of caches those that the sandbox is shown
KINDS = frozenset({*_SHOWN, "answers", "backtest", "bench", "figures", "history", "mirrors", "runs", "ways"})
_OF_THE_DISK = "lost+found"  # where a disk of its own is mounted
_SHARED = stat.S_ISGID | stat.S_IWGRP


def close_to_others(root: Path) -> None:
    """Make the directory of all caches where it is missing, and keep other users of this machine out: private source
    lies there. One that holds anything else too, or is another user's, stays as it is; one that somebody shares with a
    group (setgid, which may write) stays that group's: the other process may be another user of it.

    Only root's can be passed through, by who knows the name of an entry, which is a digest. A container's root may not
    mount, so a job becomes its own user before its tree and its environment are opened (`launcher/stage.py`).
    """
    most = _PASSED if os.geteuid() == 0 else _OWN
    with suppress(OSError):  # who writes there says what is wrong
        root.mkdir(mode=most, parents=True, exist_ok=True)
        if not _is_ours(root):
            return
        _narrow(root, most)
        for kind in KINDS if most == _PASSED else ():
            (root / kind).mkdir(exist_ok=True)
            _narrow(root / kind, _PASSED if kind in _SHOWN else _OWN)
        for listed in (*root.glob("*/entries"), *root.glob("*/making")):  # as they were made before
            _narrow(listed, _PASSED)


def _is_ours(root: Path) -> bool:
    return root.stat().st_uid == os.geteuid() and {each.name for each in root.iterdir()} <= KINDS | {_OF_THE_DISK}


def _narrow(path: Path, most: int) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _SHARED == _SHARED:
        most |= stat.S_IRWXG
    path.chmod(mode & ~(0o777 ^ most))


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Alone among all threads and processes that lock this file. The kernel drops the lock when its holder dies."""
    with _opened(path) as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def lock_if_free(path: Path) -> Iterator[bool]:
    """The same without waiting: false where somebody else has the lock, perhaps for minutes."""
    with _opened(path) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


class DirectoryCache:
    """Directories by key, below `root`, together about `max_bytes` at most.

    An entry appears whole or not at all (one rename). What was used within the last hour is never pruned, so a caller
    may go on using a directory without holding it.
    """

    def __init__(self, root: Path, max_bytes: int) -> None:
        self._entries = root / "entries"
        self._making = root / "making"
        self._locks = root / "locks"
        self._max_bytes = max_bytes

    def get(self, key: str, make: Callable[[Path], object]) -> Path:
        """The directory of this key; `make` fills an empty one when there is none, or when it is damaged.

        One builder at a time for each key, the others wait for it. What `make` raises is passed on, and nothing stays.
        """
        name = hashlib.sha256(key.encode()).hexdigest()
        entry = self._entries / name
        with self._lock(name):
            made = not _intact(entry)
            if made:
                self._publish(entry, make)
            os.utime(entry / "entry.json")
        if made:
            self._prune()
        return entry / "content"

    def _publish(self, entry: Path, make: Callable[[Path], object]) -> None:
        for place in (self._entries, self._making):
            place.mkdir(mode=_PASSED, parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=self._making))
        try:
            scratch.chmod(0o755)
            (scratch / "content").mkdir()
            make(scratch / "content")
            (scratch / "entry.json").write_text(json.dumps(_measure(scratch / "content")))
            self._remove(entry)
            scratch.rename(entry)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _prune(self) -> None:
        """Drop what was not used for longest until the rest fits, and what a killed builder left behind."""
        now = time.time()
        for left in self._making.iterdir():
            if _age(left, now) > 24 * KEEP:
                shutil.rmtree(left, ignore_errors=True)
        entries = sorted(self._entries.iterdir(), key=lambda entry: -_age(entry / "entry.json", now))
        total = sum(_size(entry) for entry in entries)
        for entry in entries:
            if total <= self._max_bytes or _age(entry / "entry.json", now) <= KEEP:
                return
            total -= _size(entry) * self._forget(entry, KEEP)

    def forget_unused(self, seconds: float) -> int:
        """Drop what was not used for so long, at least for an hour, and nobody builds now. Returns how many."""
        entries = self._entries.iterdir() if self._entries.is_dir() else ()
        return sum(self._forget(entry, max(seconds, KEEP)) for entry in list(entries))

    def _forget(self, entry: Path, seconds: float) -> bool:
        with lock_if_free(self._lock_file(entry.name)) as free:
            unused = free and _age(entry / "entry.json", time.time()) > seconds
            if unused:
                self._making.mkdir(exist_ok=True)
                self._remove(entry)
        return unused

    def _remove(self, entry: Path) -> None:
        if entry.exists():
            grave = Path(tempfile.mkdtemp(dir=self._making))
            entry.rename(grave / "entry")  # gone at once: whoever looks for it sees all or nothing
            shutil.rmtree(grave, ignore_errors=True)

    def _lock(self, name: str) -> AbstractContextManager[None]:
        return lock(self._lock_file(name))

    def _lock_file(self, name: str) -> Path:
        return self._locks / f"{int(name[:8], 16) % _SLOTS:02x}"


class TextCache:
    """Texts by key, a directory each: what models answered the command line."""

    def __init__(self, cache_dir: Path) -> None:
        self._kept = DirectoryCache(cache_dir / "answers", _MOST_TEXT)

    def get(self, key: str) -> str | None:
        """`None` when nothing is kept under this key. Raises `OSError`."""

        def absent(_: Path) -> None:
            raise KeyError(key)

        try:
            return (self._kept.get(key, absent) / "text").read_text("utf-8")
        except KeyError:
            return None

    def put(self, key: str, text: str) -> None:
        """Keep it, unless something is kept under this key. Raises `OSError`."""
        self._kept.get(key, lambda made: (made / "text").write_text(text, "utf-8"))


def _measure(content: Path) -> dict[str, object]:
    """Its size, and a fingerprint of names, kinds and sizes: what an interrupted disk or a stray hand changes."""
    digest, total = hashlib.sha256(), 0
    for folder, folders, files in os.walk(content):
        folders.sort()
        for name in sorted([*folders, *files]):
            path = os.path.join(folder, name)  # noqa: PTH118 - tens of thousands of them
            status = os.lstat(path)
            size = status.st_size if name in files else 0
            total += size
            digest.update(
                f"{os.path.relpath(path, content)}\0{status.st_mode}\0{size}\n".encode(errors="surrogateescape")
            )
    return {"bytes": total, "fingerprint": digest.hexdigest()}


def _intact(entry: Path) -> bool:
    try:
        return bool(json.loads((entry / "entry.json").read_text()) == _measure(entry / "content"))
    except (OSError, ValueError):
        return False


def _size(entry: Path) -> int:
    try:
        return int(json.loads((entry / "entry.json").read_text())["bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _age(path: Path, now: float) -> float:
    """Seconds since it was last used; for ever when it is not there."""
    try:
        return now - path.stat().st_mtime
    except OSError:
        return now
