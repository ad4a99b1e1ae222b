"""A hostile zip archive in memory."""

import io
import warnings
import zipfile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.github.downloads import MOST_ENTRIES, members
from tests.support.properties import patient


def zipped(*files: tuple[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that come twice
        for name, content in files:
            archive.writestr(name, content)
    return held.getvalue()


def read(archive: bytes, most: int = 100) -> list[tuple[str, bytes]]:
    return list(members(archive, lambda name: name.endswith(".txt"), most))


def test_what_is_wanted_and_within_bounds() -> None:
    archive = zipped(("a.txt", b"a"), ("b.bin", b"b"), ("../../c.txt", b"c"), ("d.txt", b"d" * 101), ("e.txt/", b""))
    assert read(archive) == [("a.txt", b"a"), ("../../c.txt", b"c")]


def test_a_size_that_is_claimed_is_not_believed() -> None:
    archive = zipped(("a.txt", b"0" * 1_000_000))
    size = (1_000_000).to_bytes(4, "little")
    assert archive.count(size) == 2
    assert read(archive.replace(size, (1).to_bytes(4, "little"))) == []


def test_there_is_an_end_of_files() -> None:
    assert len(read(zipped(*((f"{n}.txt", b"") for n in range(MOST_ENTRIES + 5))))) == MOST_ENTRIES


@pytest.mark.parametrize("archive", [b"", b"PK", b"PK\x05\x06" + b"\0" * 18, b"x" * 1000], ids=len)
def test_what_is_no_archive_holds_nothing(archive: bytes) -> None:
    assert read(archive) == []


@given(st.integers(0, 250), st.integers(0, 255))
@example(130, 0)  # a file without a name
@patient
def test_what_is_damaged_raises_nothing(place: int, value: int) -> None:
    archive = bytearray(zipped(("a.txt", b"hello " * 10), ("b.txt", b"b")))
    archive[place % len(archive)] = value
    assert all(len(content) <= 100 for _, content in read(bytes(archive)))
