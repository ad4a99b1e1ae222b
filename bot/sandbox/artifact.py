"""A workflow run's artifact, which whoever broke out of a job may have written: a zip archive read within bounds."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

_END = struct.Struct("<4s4H2LH")
_ZIP64_LOCATOR = 20  # bytes
_MOST_ENTRIES = 16


class ArtifactError(Exception):
    """The artifact cannot be taken. The message is a plain sentence without any text from it."""


def read(content: bytes, wanted: Mapping[str, int]) -> dict[str, bytes]:
    """The wanted files, each cut off one byte after its limit, so that a longer one shows. Raises ArtifactError.

    wanted: name -> bytes. Nothing is written anywhere, so names with `..` or links are just other names.
    """
    _check_directory(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            if len(entries) != len(archive.infolist()) or not wanted.keys() <= entries.keys():
                raise ArtifactError("the artifact does not contain what the workflow puts in")
            return {name: _content(archive, entries[name], most) for name, most in wanted.items()}
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, struct.error, OSError):
        raise ArtifactError("the artifact is damaged") from None


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others may ask for gigabytes first
        raise ArtifactError("the artifact is compressed in an unusual way")
    with archive.open(entry) as file:
        return file.read(most + 1)


def _check_directory(content: bytes) -> None:
    """`zipfile` reads the whole directory before one can ask how long it is."""
    if len(content) < _END.size:
        raise ArtifactError("the artifact is damaged")
    signature, _, _, _, count, size, _, comment = _END.unpack(content[-_END.size :])
    locator = content[-_END.size - _ZIP64_LOCATOR :][:4]
    if signature != b"PK\5\6" or comment or locator == b"PK\6\7":
        raise ArtifactError("the artifact is damaged")
    if count > _MOST_ENTRIES or size > 4096:
        raise ArtifactError("the artifact does not contain what the workflow puts in")
