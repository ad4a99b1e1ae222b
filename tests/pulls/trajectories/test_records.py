"""JSON of strangers, within bounds."""

import pytest

from bot.pulls.trajectories import records
from bot.pulls.trajectories.records import read_records

ONE, TWO = {"a": 1}, {"b": [2, "x,y"]}


@pytest.mark.parametrize(
    "data",
    [
        b'[{"a": 1}, {"b": [2, "x,y"]}]',
        b'{"a": 1}\n{"b": [2, "x,y"]}',
        b'{"a": 1}\r\n\r\n{"b": [2, "x,y"]}\r\n',
        b'\xef\xbb\xbf{"a": 1}\n{"b": [2, "x,y"]}\n',
        b'{\n "a": 1\n}\n{\n "b": [2, "x,y"]\n}',
        b'{"trajectory": [{"a": 1}, {"b": [2, "x,y"]}], "info": {}}',
        b'{"instance_id": "i", "history": [{"a": 1}, {"b": [2, "x,y"]}]}',
        b'[[{"a": 1}, {"b": [2, "x,y"]}]]',
    ],
)
def test_every_shape_of_a_file(data: bytes) -> None:
    assert read_records(data) == ([ONE, TWO], "")


@pytest.mark.parametrize(
    "data",
    [
        b'[{"a": 1}, {"b": [2, "x,y"]}, {"c',
        b'[{"a": 1}, {"b": [2, "x,y"]}, oops, {"c": 3}]',
        b'{"environment": "main", "trajectory": [{"a": 1}, {"b": [2, "x,y"]}, {"c": "cut',
        b'{"a": 1}\n{"b": [2, "x,y"]}\n{"c": "cut',
        b'{"a": 1}\nno json\n{"b": [2, "x,y"]}\n7\n',
        b'{\n "a": 1\n}\n{\n "b": [2, "x,y"]\n}\n{\n "c"',
    ],
)
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
    monkeypatch.setattr(records, "MOST_BYTES", 10)
    assert read_records(b'{"a": 1}  ')[0] == [ONE]
    assert read_records(b'{"a": 1}   ') == ([], "The file is larger than 0 MB.")
