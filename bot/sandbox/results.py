"""Result files, read from a tar stream that may be hostile: bounded, plain files only, never through a planted path.

Only the header of each member is left to `tarfile`; its readers follow extensions (sparse maps, negative offsets,
endless attributes) that no honest job needs and that have hung or filled readers before. A workflow run's artifact,
which whoever broke out of a job may have written, is a zip archive and read within bounds as well.
"""

import io
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bot.errors import is_disk_trouble
from bot.sandbox.protocol import Job

_BLOCK = 512
_END = bytes(_BLOCK)
_LONGEST_NAME = 4096
_CHUNK = 1 << 16
PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)


class ResultsError(Exception):
    """The results cannot be taken. The message is a plain sentence without any text from the program."""


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    kind: bytes
    size: int
    target: str
    mode: int


def take(job: Job, stream: IO[bytes]) -> dict[str, bytes]:
    """A job's results, unless it wants them in a directory: there they are put. Raises ResultsError."""
    if job.results_into is None:
        return read(stream, job.limits.results, job.limits.files)
    unpack(stream, job.results_into, job.limits.results, job.limits.files)
    return {}


def read(stream: IO[bytes], most_bytes: int, most_files: int) -> dict[str, bytes]:
    """Path -> content of the regular files in a tar stream (GNU or ustar). Raises ResultsError."""
    found: dict[str, bytes] = {}
    seen: set[str] = set()
    left = most_bytes
    for member in _members(stream, most_files):
        path = _relative(member.name)
        if path in seen:
            raise ResultsError("two result files have the same name")
        seen.add(path)
        if member.kind == tarfile.DIRTYPE:
            continue
        if member.kind not in PLAIN or not path:
            raise ResultsError("a result is not a plain file: links, pipes and devices are not taken")
        try:
            path.encode()
        except UnicodeEncodeError:
            raise ResultsError("the name of a result file is not valid UTF-8") from None
        left -= member.size
        if left < 0:
            raise ResultsError(f"the result files are larger than {most_bytes} bytes")
        found[path] = b"".join(_content(stream, member.size))
    return found


def unpack(stream: IO[bytes], into: Path, most_bytes: int, most_files: int) -> None:
    """Lay the members of a tar stream into an empty directory. Raises ResultsError, and OSError for a full disk.

    Regular files and directories come first and are created anew, never opened; symbolic links are set when nothing is
    written any more, so that nothing is ever written through one. Modes keep only whether a file can be executed.
    """
    links: list[tuple[str, str]] = []
    left = most_bytes
    root = os.open(into, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for member in _members(stream, most_files):
            path = _relative(member.name)
            left -= member.size
            if left < 0:
                raise ResultsError(f"the result files are larger than {most_bytes} bytes")
            if member.kind == tarfile.SYMTYPE:
                links.append((path, member.target))
            elif member.kind == tarfile.DIRTYPE:
                os.close(_directory(root, path))
            elif member.kind in PLAIN:
                _write(root, path, 0o755 if member.mode & 0o111 else 0o644, _content(stream, member.size))
            else:
                raise ResultsError("a result is neither file, directory nor symbolic link")
        for path, target in links:
            above, _, name = path.rpartition("/")
            parent = _directory(root, above)
            try:
                os.symlink(target, name, dir_fd=parent)
            finally:
                os.close(parent)
    except OSError as error:
        if is_disk_trouble(error):
            raise
        raise ResultsError(f"the results cannot be laid out: {error.strerror}") from None
    finally:
        os.close(root)


def _write(root: int, path: str, mode: int, content: Iterator[bytes]) -> None:
    above, _, name = path.rpartition("/")
    parent = _directory(root, above)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(name, flags, mode, dir_fd=parent), "wb") as file:  # noqa: PTH123 - a descriptor
            file.writelines(content)
            os.fchmod(file.fileno(), mode)
    finally:
        os.close(parent)


def _directory(root: int, path: str) -> int:
    """Open a directory below `root`, made where it is missing, through no link."""
    here = os.dup(root)
    for part in filter(None, path.split("/")):
        try:
            with suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=here)
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def _relative(name: str) -> str:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts or "\0" in name:
        raise ResultsError("the name of a result file leads out of the results")
    return "/".join(parts)  # empty for the results' own directory


def _members(stream: IO[bytes], most: int) -> Iterator[_Member]:
    """Each member's header. Whoever asks for the next one has read the content of the one before."""
    name = target = ""
    count = 0
    while (block := stream.read(_BLOCK)) != _END:
        if len(block) < _BLOCK:
            raise ResultsError("the results end too early")
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except (tarfile.HeaderError, ValueError):
            raise ResultsError("the results cannot be read") from None
        if info.size < 0:
            raise ResultsError("the results cannot be read")
        if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
            if info.size > _LONGEST_NAME:
                raise ResultsError("the name of a result file is too long")
            text = b"".join(_content(stream, info.size)).rstrip(b"\0").decode("utf-8", "surrogateescape")
            if info.type == tarfile.GNUTYPE_LONGNAME:
                name = text
            else:
                target = text
            continue
        count += 1
        if count > most:
            raise ResultsError(f"there are more than {most} result files")
        size = info.size if info.type in PLAIN else 0
        yield _Member(name or info.name, info.type, size, target or info.linkname, info.mode)
        name = target = ""


def _content(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """The bytes of a member, and past the padding behind them."""
    left = size
    while left:
        chunk = stream.read(min(left, _CHUNK))
        if not chunk:
            raise ResultsError("the results end too early")
        left -= len(chunk)
        yield chunk
    stream.read(-size % _BLOCK)


_END_OF_ZIP = struct.Struct("<4s4H2LH")
_ZIP64_LOCATOR = 20  # bytes
_MOST_ENTRIES = 16


class ArtifactError(Exception):
    """The artifact cannot be taken. The message is a plain sentence without any text from it."""


def read_artifact(content: bytes, wanted: Mapping[str, int]) -> dict[str, bytes]:
    """The wanted files, each cut off one byte after its limit, so that a longer one shows. Raises ArtifactError.

    wanted: name -> bytes. Nothing is written anywhere, so names with `..` or links are just other names.
    """
    _check_directory(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            if len(entries) != len(archive.infolist()) or not wanted.keys() <= entries.keys():
                raise ArtifactError("the artifact does not contain what the workflow puts in")
            return {name: _zip_content(archive, entries[name], most) for name, most in wanted.items()}
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, struct.error, OSError):
        raise ArtifactError("the artifact is damaged") from None


def _zip_content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others may ask for gigabytes first
        raise ArtifactError("the artifact is compressed in an unusual way")
    with archive.open(entry) as file:
        return file.read(most + 1)


def _check_directory(content: bytes) -> None:
    """`zipfile` reads the whole directory before one can ask how long it is."""
    if len(content) < _END_OF_ZIP.size:
        raise ArtifactError("the artifact is damaged")
    signature, _, _, _, count, size, _, comment = _END_OF_ZIP.unpack(content[-_END_OF_ZIP.size :])
    locator = content[-_END_OF_ZIP.size - _ZIP64_LOCATOR :][:4]
    if signature != b"PK\5\6" or comment or locator == b"PK\6\7":
        raise ArtifactError("the artifact is damaged")
    if count > _MOST_ENTRIES or size > 4096:
        raise ArtifactError("the artifact does not contain what the workflow puts in")
