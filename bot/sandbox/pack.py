"""A job's tree as a tar stream, for executors that send it somewhere. Nothing in the tree is followed or trusted."""

import io
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from bot.sandbox.protocol import Job

_OWNER = 65534


class PackError(Exception):
    """The tree cannot be sent. The message is a plain sentence without any name from the tree."""


def pack(job: Job, into: IO[bytes]) -> None:
    """Write the tree with the job's files laid over it. Raises PackError where it exceeds the job's limits.

    What lies where one of the files goes, or where one of its directories must be, is left out: a link planted there
    would lead the file elsewhere. Pipes, sockets and devices are left out as well.
    """
    replaced = {str(PurePosixPath(path)) for path in job.files}
    above = {str(parent) for path in job.files for parent in PurePosixPath(path).parents} - {"."}
    left, count = job.limits.disk, 0
    with tarfile.open(fileobj=into, mode="w|", format=tarfile.GNU_FORMAT) as tar:
        for entry, source in _entries(job.tree, replaced, above):
            left, count = left - entry.size, count + 1
            if left < 0 or count > job.limits.files:
                raise PackError("the source tree is larger than the job may write")
            if source is None:
                tar.addfile(entry)
            else:
                with open(os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:  # noqa: PTH123
                    tar.addfile(entry, file)
        for path, content in job.files.items():
            if content is not None:
                left -= len(content)
                if left < 0:
                    raise PackError("the source tree is larger than the job may write")
                tar.addfile(_entry(path, len(content), 0o644), io.BytesIO(content))


def _entries(tree: Path | None, replaced: set[str], above: set[str]) -> Iterator[tuple[tarfile.TarInfo, Path | None]]:
    waiting = [] if tree is None else [(tree, "")]
    while waiting:
        directory, prefix = waiting.pop()
        for item in sorted(os.scandir(directory), key=lambda one: one.name):
            path, here = f"{prefix}{item.name}", Path(item.path)
            found = item.stat(follow_symlinks=False)
            if path in replaced or (path in above and not stat.S_ISDIR(found.st_mode)):
                continue
            if stat.S_ISDIR(found.st_mode):
                entry = _entry(path, 0, 0o755)
                entry.type = tarfile.DIRTYPE
                yield entry, None
                waiting.append((here, f"{path}/"))
            elif stat.S_ISLNK(found.st_mode):
                entry = _entry(path, 0, 0o777)
                entry.type, entry.linkname = tarfile.SYMTYPE, str(here.readlink())
                yield entry, None
            elif stat.S_ISREG(found.st_mode):
                yield _entry(path, found.st_size, 0o755 if found.st_mode & 0o111 else 0o644), here


def _entry(path: str, size: int, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(str(PurePosixPath(path)))
    entry.size, entry.mode, entry.uid, entry.gid = size, mode, _OWNER, _OWNER
    return entry
