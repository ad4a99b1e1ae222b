"""SWE-agent's `.traj`: `trajectory` is a list of `action` and `observation`, with the `state` after each.

Old records write `state` as JSON in a string, newer ones as an object. An action is a line for a shell that also knows
SWE-agent's own commands: the windowed file viewer (`open`, `goto`, `edit`, `create`), its searches, and
`str_replace_editor`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bot.pulls.trajectories.records import Record
from bot.pulls.trajectories.shell import commands
from bot.pulls.trajectories.values import ToolCall

_OPEN_FILE = ("open_file", "current_file")
_LINE_EDIT = re.compile(r"edit[ \t]+\d{1,9}:\d{1,9}[ \t]*\n?(.*?)(?:\n?end_of_edit\s*)?\Z", re.DOTALL)
_OWN = frozenset({"open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "str_replace_editor"})
_LONGEST_OWN = 200_000


def is_sweagent(record: Record) -> bool:
    """Whether this is a step of SWE-agent."""
    return (
        isinstance(record.get("action"), str) and isinstance(record.get("observation"), str) and "source" not in record
    )


def read_sweagent(records: Iterable[Record]) -> Iterator[ToolCall]:
    """Its tool calls. `thought`, `response` and `query` are never looked at."""
    cwd = file = ""
    for number, record in enumerate(records):
        action, output = record.get("action"), record.get("observation")
        after = _state(record.get("state"))
        opened = next((after[key] for key in _OPEN_FILE if isinstance(after.get(key), str)), "")
        if number == 0 and isinstance(action, str) and not action.startswith("cd"):
            cwd = _directory(after)  # nothing says where it began, and it has not moved
        if isinstance(action, str) and action.strip():
            yield _call(action.strip(), cwd, opened or file, output if isinstance(output, str) else "")
        cwd = _directory(after) or cwd
        file = opened or file


def _state(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def _directory(state: Mapping[str, Any]) -> str:
    there = state.get("working_dir")
    return there if isinstance(there, str) else ""


def _call(action: str, cwd: str, file: str, output: str) -> ToolCall:
    name = action.split(None, 1)[0]
    if name in ("submit", "exit_forfeit", "exit"):
        return ToolCall(name, {}, cwd, output)
    if name not in _OWN or len(action) > _LONGEST_OWN:
        return ToolCall("bash", {"command": action}, cwd, output)
    numbered = _LINE_EDIT.fullmatch(action)
    if numbered:
        return ToolCall("edit", {"path": file, "new_str": numbered[1]}, cwd, output)
    found = commands(action)
    words = found[0].words[1:] if found else ()
    match name:
        case "open":
            line = next((int(word[:9]) for word in words[1:2] if word.isdecimal()), None)
            return ToolCall("open", {"path": _word(words, 0), "line": line or 1}, cwd, output)
        case "goto":
            line = next((int(word[:9]) for word in words[:1] if word.isdecimal()), None)
            return ToolCall("goto", {"path": file, "line": line}, cwd, output)
        case "create":
            return ToolCall("create", {"path": _word(words, 0), "content": ""}, cwd, output)
        case "edit":
            return ToolCall("edit", {"path": file, "search": _word(words, 0), "replace": _word(words, 1)}, cwd, output)
        case "insert":
            return ToolCall("insert", {"path": file, "old_str": "", "text": _word(words, 0)}, cwd, output)
        case "str_replace_editor":
            return ToolCall(name, _editor(words), cwd, output)
    return ToolCall("goto", {"line": ""}, cwd, output)  # scrolling: a read of some part


def _word(words: tuple[str, ...], position: int) -> str:
    return words[position] if position < len(words) else ""


def _editor(words: tuple[str, ...]) -> dict[str, Any]:
    told: dict[str, Any] = {"command": _word(words, 0), "path": _word(words, 1)}
    for position, word in enumerate(words):
        if word.startswith("--") and position + 1 < len(words):
            told[word[2:]] = words[position + 1]
    if "view_range" in told:
        position = words.index("--view_range")
        numbers = [int(word) for word in words[position + 1 : position + 3] if re.fullmatch(r"-?\d{1,9}", word)]
        told["view_range"] = numbers
    return told
