"""JSON of strangers, within bounds. `{"a": 1}` stands for a call of one tool, `{"b": …}` for one of another."""

import json

import pytest

from bot.pulls.trajectories.records import read_calls
from tests.support.cases import cases

TOOLS = {'"a": 1': "one", '"b": [2, "x,y"]': "two", '"c": 3': "three"}


def tools(data: bytes) -> tuple[list[str], str]:
    text = data.decode()
    for short, tool in TOOLS.items():
        text = text.replace(short, json.dumps({"type": "tool_use", "name": tool, "input": {"path": "x,y"}})[1:-1])
    calls, problem = read_calls(text.encode())
    return [call.tool for call in calls], problem


@cases
def test_every_shape_of_a_file(data: bytes) -> None:
    assert tools(data) == (["one", "two"], "")


@cases
def test_what_breaks_off_gives_what_was_read(data: bytes) -> None:
    found, problem = tools(data)
    assert found == (["one", "two", "three"] if b"oops" in data else ["one", "two"])
    assert problem


def test_what_is_damaged_everywhere_is_given_up() -> None:
    found, problem = tools(b'{"a": 1}\n' + b'{"x": [\n' * 100_000 + b'{"b": [2, "x,y"]}\n')
    assert found == ["one"] and problem


def test_the_last_of_two_equal_keys_counts() -> None:
    (call,), _ = read_calls(b'{"type": "tool_use", "name": "zero", "name": "one", "input": {}}')
    assert call.tool == "one"


ASKED = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "pytest"}'}}


def test_what_the_models_apis_write() -> None:
    offered = {"type": "function", "function": {"name": "bash", "parameters": {"command": {"type": "string"}}}}
    asked = {"role": "assistant", "content": "pytest", "tool_calls": [ASKED]}
    answer = {"role": "tool", "tool_call_id": "c", "content": "1 passed"}
    (call,), _ = read_calls(json.dumps({"tools": [offered], "messages": [asked, answer]}).encode())
    assert (call.tool, call.arguments, call.output) == ("bash", {"command": "pytest"}, "1 passed")


def test_the_messages_beside_a_trajectory_tell_nothing_new() -> None:
    step = {"action": "pytest", "observation": "1 passed", "state": {}}
    whole = {"trajectory": [step], "history": [{"role": "assistant", "tool_calls": [ASKED]}]}
    assert len(read_calls(json.dumps(whole).encode())[0]) == 1


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.pulls.trajectories.records.MOST_BYTES", 10)
    assert read_calls(b'{"a": 1}  ')[1] == ""
    assert read_calls(b'{"a": 1}   ') == ([], "The file is larger than 0 MB.")
