"""A job's tree as a tar stream, for executors that send it somewhere. Nothing in the tree is followed or trusted."""

import io
import os
import stat
import tarfile
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import IO

from bot.sandbox.protocol import Job

_OWNER = 65534
_STICKY = 0o1777  # anybody may put files there, and remove only their own


class PackError(Exception):
    """The tree cannot be sent. The message is a plain sentence without any name from the tree."""


_Packed = tuple[tarfile.TarInfo, Path | bytes | None]  # and what is in it


class Part(Enum):
    """What of a tree is written: all, or apart what the job may not touch, with the directories above, and the rest."""

    WHOLE = "whole"
    LOCKED = "locked"
    REST = "rest"


def pack(job: Job, into: IO[bytes], part: Part = Part.WHOLE) -> None:
    """Write the tree with the job's files laid over it. Raises PackError where it exceeds the job's limits.

    What lies where one of the files goes, or where one of its directories must be, is left out: a link planted there
    would lead the file elsewhere. Pipes, sockets and devices are left out as well.
    """
    replaced = {str(PurePosixPath(path)) for path in job.files}
    above = _above(job.files)
    left, count = job.limits.disk, 0
    found: list[_Packed] = list(_entries(job.tree, replaced, above))
    laid: list[_Packed] = [
        (_entry(path, len(text), 0o644), text) for path, text in job.files.items() if text is not None
    ]
    there = {entry.name for entry, _ in (*found, *laid) if not entry.isdir()}
    locked = there & job.locked
    folders = _above(locked)
    apart = {Part.WHOLE: set(), Part.LOCKED: there - locked, Part.REST: locked | folders}[part]
    if part is Part.LOCKED:
        found = [(_folder(path, _STICKY), None) for path in sorted(folders)] + [e for e in found if not e[0].isdir()]
    with tarfile.open(fileobj=into, mode="w|", format=tarfile.GNU_FORMAT) as tar:
        for entry, source in (*found, *laid):
            if entry.name in apart:
                continue
            left, count = left - entry.size, count + (not isinstance(source, bytes))
            if left < 0 or count > job.limits.files:
                raise PackError("the source tree is larger than the job may write")
            if isinstance(source, Path):
                with open(os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:  # noqa: PTH123
                    tar.addfile(entry, file)
            else:
                tar.addfile(entry, None if source is None else io.BytesIO(source))


def _entries(tree: Path | None, replaced: set[str], above: set[str]) -> Iterator[_Packed]:
    waiting = [] if tree is None else [(tree, "")]
    while waiting:
        directory, prefix = waiting.pop()
        for item in sorted(os.scandir(directory), key=lambda one: one.name):
            path, here = f"{prefix}{item.name}", Path(item.path)
            found = item.stat(follow_symlinks=False)
            if path in replaced or (path in above and not stat.S_ISDIR(found.st_mode)):
                continue
            if stat.S_ISDIR(found.st_mode):
                yield _folder(path, 0o755), None
                waiting.append((here, f"{path}/"))
            elif stat.S_ISLNK(found.st_mode):
                entry = _entry(path, 0, 0o777)
                entry.type, entry.linkname = tarfile.SYMTYPE, str(here.readlink())
                yield entry, None
            elif stat.S_ISREG(found.st_mode):
                yield _entry(path, found.st_size, 0o755 if found.st_mode & 0o111 else 0o644), here


def _above(paths: Iterable[str]) -> set[str]:
    return {str(parent) for path in paths for parent in PurePosixPath(path).parents} - {"."}


def _folder(path: str, mode: int) -> tarfile.TarInfo:
    entry = _entry(path, 0, mode)
    entry.type = tarfile.DIRTYPE
    return entry


def _entry(path: str, size: int, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(str(PurePosixPath(path)))
    entry.size, entry.mode, entry.uid, entry.gid = size, mode, _OWNER, _OWNER
    return entry
