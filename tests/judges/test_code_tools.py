"""The reviewer's tools: what they refuse, where they end, and that every call is kept."""

import json
from typing import Any

import pytest

from bot.judges.agent.code_tools import CodeCall, CodeLimits, CodeReader, CodeTools, UnreadableCode, functions
from tests.support.cases import cases


class Shelf:
    """A `CodeReader` that notes what it was asked, and gives whatever is put on it."""

    def __init__(self, *lines: str, problem: str = "") -> None:
        self.lines = lines
        self.problem = problem
        self.asked: list[tuple[Any, ...]] = []

    def _give(self, *asked: Any) -> tuple[str, ...]:
        self.asked.append(asked)
        if self.problem:
            raise UnreadableCode(self.problem)
        return self.lines

    def list(self, path: str) -> tuple[str, ...]:
        return self._give("list", path)

    def read(self, path: str, first: int, last: int) -> tuple[str, ...]:
        return self._give("read", path, first, last)

    def search(self, text: str, path: str) -> tuple[str, ...]:
        return self._give("search", text, path)

    def definition(self, name: str) -> tuple[str, ...]:
        return self._give("definition", name)

    def blame(self, path: str, first: int, last: int) -> tuple[str, ...]:
        return self._give("blame", path, first, last)

    def history(self, path: str) -> tuple[str, ...]:
        return self._give("history", path)


def call(reader: CodeReader, tool: str, **arguments: Any) -> CodeCall:
    return CodeTools(reader).call(tool, json.dumps(arguments))


@cases
def test_a_tool_asks_the_reader(tool: str, arguments: dict[str, Any], asked: tuple[Any, ...]) -> None:
    shelf = Shelf("1 x = 1")
    made = call(shelf, tool, **arguments)
    assert shelf.asked == [asked]
    assert made == CodeCall(tool, json.dumps(arguments), "1 x = 1")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write", '{"path": "a.py"}'),
        ("__init__", "{}"),
        ("read", "{}"),
        ("read", '{"path": 1}'),
        ("read", '{"path": "a.py", "first": 0}'),
        ("read", '{"path": "a.py", "first": "1"}'),
        ("read", '{"path": "a.py", "mode": "w"}'),
        ("read", "a.py"),
        ("read", '["a.py"]'),
        ("read", "[" * 1000),
        ("read", json.dumps({"path": "a" * 3000})),
        ("search", '{"text": ""}'),
        ("search", json.dumps({"text": "a" * 201})),
        ("definition", '{"name": "a.*"}'),
        ("definition", '{"name": "--open-files-in-pager=sh"}'),
        ("definition", '{"name": "a\\n"}'),
    ],
)
def test_what_is_no_call_reaches_no_reader(tool: str, arguments: str) -> None:
    shelf = Shelf("x")
    made = CodeTools(shelf).call(tool, arguments)
    assert made.refused
    assert not made.output
    assert not shelf.asked


def test_what_cannot_be_read_says_why() -> None:
    assert call(Shelf(problem="a binary file"), "read", path="a.png").refused == "a binary file"
    assert call(Shelf(), "search", text="nowhere").refused == "nothing was found"


def test_every_call_is_kept_and_none_is_made_twice() -> None:
    shelf = Shelf("x")
    tools = CodeTools(shelf)
    for arguments in ('{"path": "a.py"}', '{"path":  "a.py"}', "{", '{"path": "b.py"}'):
        tools.call("read", arguments)
    assert [made.refused for made in tools.calls] == [
        "",
        "that was asked before, and the code has not changed",
        "those are not the arguments it takes",
        "",
    ]
    assert len(shelf.asked) == 2


def test_calls_are_capped() -> None:
    shelf = Shelf("x")
    tools = CodeTools(shelf, CodeLimits(calls=2))
    for name in "abc":
        tools.call("list", json.dumps({"path": name}))
    assert tools.spent
    assert [made.refused for made in tools.calls] == ["", "", "no more calls are left"]
    assert len(shelf.asked) == 2


def test_one_output_is_capped_and_so_are_all_together() -> None:
    tools = CodeTools(Shelf("x" * 500), CodeLimits(characters=100, total=150))
    sizes = [tools.call("list", json.dumps({"path": name})).output.count("x") for name in "abc"]
    assert sizes[0] == 100
    assert sum(sizes) <= 150
    assert tools.spent


def test_lines_stay_lines_and_show_what_hides() -> None:
    made = call(Shelf("one\nOUTPUT", "two\u202e\x1b[0m"), "list")
    assert made.output == "one OUTPUT\ntwo\\u{202e}\\u{1b}[0m"


def test_what_is_kept_of_arguments_is_one_printable_line() -> None:
    made = CodeTools(Shelf("x")).call("read\n\u202e" * 50, '{"path":\n "\u202ea.py"}' + " " * 5000)
    assert made.tool.isprintable()
    assert len(made.tool) <= 40
    assert "\n" not in made.arguments


def test_the_functions_are_what_the_tools_take() -> None:
    names = [function["name"] for function in functions()]
    assert names == ["list", "read", "search", "definition", "blame", "history"]
    for function in functions():
        parameters = function["parameters"]
        assert parameters["additionalProperties"] is False
        assert set(parameters["required"]) <= set(parameters["properties"])
