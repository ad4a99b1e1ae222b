"""JSON of strangers, within bounds."""

import json

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
    assert read_records(data) == ((ONE, TWO), "")


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
    assert found == (ONE, TWO)
    assert problem


def test_the_problem_counts_the_lines_that_are_lost() -> None:
    assert read_records(b'{"a": 1}\nx\n{"b": 1}\ny\n')[1] == "2 of its lines cannot be read."


def test_the_last_of_two_equal_keys_counts() -> None:
    assert read_records(b'{"a": 0, "a": 1}')[0] == (ONE,)


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_BYTES", 10)
    assert read_records(b'{"a": 1}  ')[0] == (ONE,)
    assert read_records(b'{"a": 1}   ') == ((), "The file is larger than 0 MB.")


def test_a_file_of_too_many_values_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_VALUES", 5)
    assert read_records(b"[{},{},{}]")[1]  # one bracket, three braces, two commas
    assert read_records(b"[{},{}]")[0] == ({}, {})


def test_a_line_that_is_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_LINE", 30)
    data = b'{"a": 1}\n{"x": "' + b"x" * 30 + b'"}\n{"b": [2, "x,y"]}'
    assert read_records(data) == ((ONE, TWO), "1 of its lines cannot be read.")


def test_records_beyond_the_bound_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_RECORDS", 2)
    for data in (json.dumps([ONE, TWO, ONE]).encode(), b'{"a": 1}\n{"b": [2, "x,y"]}\n{"c": 1}'):
        found, problem = read_records(data)
        assert found == (ONE, TWO) and problem
    assert read_records(b"[1, 2, 3, {}, {}]") == ((), problem)
