"""Keeps files of the tree from the job that works in it, since what judges a program must not be the program's to
write, and sees which of them the job opens: it can neither see the watch nor end it, and what it sets back afterwards
(times, names) takes nothing back.

Where the launcher is root, the files and the directories above them become root's. The directories stay writable for
everybody but sticky: anybody may put new files there, nobody may remove, rename or replace what is not theirs. Modes
of files stay, for programs copy them with the file. Where there is only one user, the files are mounted over
themselves, read-only, and the directories too, writable: what something is mounted on cannot be renamed.
"""

import os
import sys
from collections.abc import Iterable

from bot.sandbox.launcher import kernel

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLACE = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_STICKY = 0o1777
_Names = dict[str, "_Names"]  # with those below each
_HEAD, _NUMBER, _CHUNK = 16, 4, 1 << 16  # bytes of what the kernel tells of one opened file, of a number in it, at once


def hold(tree: int, paths: Iterable[str]) -> None:
    """Lock these paths below an open directory; what is not there, or behind a link, is left out. Raises OSError."""
    names: _Names = {}
    for path in paths:
        inner = names
        for part in path.split("/"):
            inner = inner.setdefault(part, {})
    if names:
        _hold(tree, names)


def _hold(directory: int, names: _Names) -> None:
    """An open directory and what lies in it: each name with those below it, without any for a file."""
    if os.getuid() == 0:
        os.fchown(directory, 0, 0)
        os.fchmod(directory, _STICKY)
    for name, below in names.items():
        try:
            if below:
                inner = _open_folder(directory, name)
            else:
                _hold_file(directory, name)
                continue
        except (FileNotFoundError, NotADirectoryError):
            continue
        try:
            _hold(inner, below)
        finally:
            os.close(inner)


def _open_folder(parent: int, name: str) -> int:
    inner = os.open(name, _DIRECTORY, dir_fd=parent)
    if os.getuid() == 0:
        return inner
    os.close(inner)
    os.close(_mounted(parent, name))
    return os.open(name, _DIRECTORY, dir_fd=parent)


def _hold_file(parent: int, name: str) -> None:
    if os.getuid() == 0:
        os.chown(name, 0, 0, dir_fd=parent, follow_symlinks=False)
        return
    place = _mounted(parent, name)
    try:
        kernel.make_read_only(f"/proc/self/fd/{place}")
    finally:
        os.close(place)


def _mounted(parent: int, name: str) -> int:
    """Mount what has this name over itself; the mount, opened."""
    place = os.open(name, _PLACE, dir_fd=parent)
    try:
        kernel.bind(f"/proc/self/fd/{place}", f"/proc/self/fd/{place}")
    finally:
        os.close(place)
    return os.open(name, _PLACE, dir_fd=parent)


class OpenedFiles:
    """The files below a directory that have been opened or executed since this was made, wherever they are moved to.
    What is put there later is not told."""

    def __init__(self, root: str) -> None:
        self.descriptor = kernel.inotify()
        self._folders: dict[int, str] = {}
        self._there: set[str] = set()
        self._found: set[str] | None = set()
        for folder, _, names in os.walk(root):
            prefix = f"{folder}/"[len(root) + 1 :]
            self._folders[kernel.watch_opening(self.descriptor, folder)] = prefix
            self._there.update(prefix + name for name in names)

    def read(self) -> bool:
        """Take in what happened so far; whether there may be more."""
        try:
            told = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return False
        while told:
            folder, mask, _, length = (
                int.from_bytes(told[at : at + _NUMBER], sys.byteorder) for at in range(0, _HEAD, _NUMBER)
            )
            name, told = told[_HEAD : _HEAD + length].rstrip(b"\0"), told[_HEAD + length :]
            if mask & kernel.IN_Q_OVERFLOW:
                self._found = None
            elif self._found is not None and (path := self._folders.get(folder, "") + os.fsdecode(name)) in self._there:
                self._found.add(path)
        return True

    def paths(self) -> list[str] | None:
        """Of the files, from the directory; `None` where more happened than could be told."""
        while self.read():
            pass
        return None if self._found is None else sorted(self._found)
