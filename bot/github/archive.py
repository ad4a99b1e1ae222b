"""A zip archive from strangers, read in memory: nothing is written, no name in it is a path here."""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from lzma import LZMAError

MOST_ENTRIES = 1_000

# All that reading a hostile archive may raise: damaged, encrypted, of an unknown method, with odd numbers.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, LZMAError, EOFError, OSError),
    *(RuntimeError, NotImplementedError, ValueError, OverflowError, MemoryError),
)


def members(archive: bytes, wanted: Callable[[str], bool], most: int) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files whose name is wanted, at most `most` bytes of each: a larger one is left out,
    whatever size it claims. What is damaged, encrypted or no archive gives nothing more."""
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            for entry in opened.infolist()[:MOST_ENTRIES]:
                if not entry.filename or entry.is_dir() or not wanted(entry.filename):
                    continue
                with opened.open(entry) as file:
                    content = file.read(most + 1)
                if len(content) <= most:
                    yield entry.filename, content
    except _DAMAGED:
        return
