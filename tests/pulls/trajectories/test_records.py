"""JSON of strangers, within bounds."""

import pytest

from bot.pulls.trajectories.readers import read_records
from tests.support.cases import cases

ONE, TWO = {"a": 1}, {"b": [2, "x,y"]}


@cases
def test_every_shape_of_a_file(data: bytes) -> None:
    assert read_records(data) == ([ONE, TWO], "")


@cases
def test_what_breaks_off_gives_what_was_read(data: bytes) -> None:
    found, problem = read_records(data)
    assert found == [ONE, TWO]
    assert problem


def test_what_is_damaged_everywhere_is_given_up() -> None:
    found, problem = read_records(b'{"a": 1}\n' + b"[\n" * 100_000 + b'{"a": 1}\n')
    assert found == [ONE] and problem


def test_the_last_of_two_equal_keys_counts() -> None:
    assert read_records(b'{"a": 0, "a": 1}')[0] == [ONE]


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.pulls.trajectories.readers.MOST_BYTES", 10)
    assert read_records(b'{"a": 1}  ')[0] == [ONE]
    assert read_records(b'{"a": 1}   ') == ([], "The file is larger than 0 MB.")
