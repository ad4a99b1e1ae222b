"""Codex: the rollouts it keeps (`rollout-*.jsonl`), and what `codex exec --json` prints.

A rollout has one item a line, `{"type": "response_item", "payload": …}`; the oldest have the payload alone. An item is
a `function_call` (`shell`, `exec_command`; arguments as JSON in a string), a `custom_tool_call` (`apply_patch`), a
`local_shell_call`, or the `…_output` that answers one by its `call_id`. In its code mode a call holds JavaScript that
calls tools; of that, commands written as plain strings are read.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bot.pulls.trajectories.records import Record
from bot.pulls.trajectories.tools import text_of
from bot.pulls.trajectories.values import ToolCall

# Tuples, since what is looked for in them may be a list.
_ENVELOPES = ("session_meta", "response_item", "turn_context", "event_msg")
_STREAM = ("thread.started", "turn.started", "item.started", "item.completed", "turn.completed")
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_EXIT = re.compile(r"\A(?:.{0,200}\n){0,6}?(?:Exit code: |Process exited with code |exit=)(-?\d{1,9})\b")
_SCRIPTED = re.compile(
    r"""tools\.(exec_command|apply_patch)\(\s{0,9}(?:\{[^{}"'`]{0,99}["']?cmd["']?\s{0,9}:\s{0,9})?"""
)
_STRING = re.compile(r"""("(?:[^"\\]|\\.)*+")|'((?:[^'\\]|\\.)*+)'|`((?:[^`\\]|\\.)*+)`""", re.DOTALL)
_MOST_SCRIPTED = 20


def is_codex(record: Record) -> bool:
    """Whether this is a record of Codex."""
    if record.get("type") in _STREAM:
        return True
    if record.get("type") in _ENVELOPES:
        return isinstance(record.get("payload"), Mapping)
    return record.get("type") in _CALLS and "call_id" in record


def read_codex(records: Iterable[Record]) -> Iterator[ToolCall]:
    """Its tool calls. Items of type `reasoning` and `message` are never looked at."""
    items = [item for record in records if (item := _item(record)) is not None]
    answers = {
        identifier: item.get("output")
        for item in items
        if str(item.get("type")).endswith("_call_output") and isinstance(identifier := item.get("call_id"), str)
    }
    cwd = ""
    for item in items:
        kind, identifier = item.get("type"), item.get("call_id")
        if kind in (None, "session_meta", "turn_context"):
            cwd = text_of(item.get("cwd")) or cwd
        elif kind in _CALLS:
            output, failed = _answer(answers.get(identifier) if isinstance(identifier, str) else None)
            yield from _calls(item, cwd, output, failed)
        elif kind in ("command_execution", "file_change"):
            yield from _streamed(item, cwd)


def _item(record: Record) -> Mapping[str, Any] | None:
    kind, payload = record.get("type"), record.get("payload")
    if kind in ("session_meta", "turn_context") and isinstance(payload, Mapping):
        return {"type": kind, "cwd": payload.get("cwd")}
    if kind == "response_item":
        return payload if isinstance(payload, Mapping) else None
    if kind == "item.completed":
        item = record.get("item")
        return item if isinstance(item, Mapping) else None
    return record if kind != "event_msg" else None


def _calls(item: Mapping[str, Any], cwd: str, output: str, failed: bool | None) -> Iterator[ToolCall]:
    if item.get("type") == "local_shell_call":
        told = item.get("action")
        arguments = told if isinstance(told, Mapping) else {}
        yield ToolCall("local_shell", arguments, text_of(arguments.get("working_directory")) or cwd, output, failed)
        return
    name, given = text_of(item.get("name")), text_of(item.get("input"))
    if item.get("type") == "custom_tool_call":
        if name == "exec":
            yield from _scripted(given, cwd, output, failed)
        else:
            yield ToolCall(name, {"input": given}, cwd, output, failed)
        return
    arguments = _arguments(item.get("arguments"))
    command = arguments.get("command")
    if isinstance(command, list) and command[:1] == ["apply_patch"] and len(command) > 1:
        name, arguments = "apply_patch", {"input": command[1]}
    yield ToolCall(name, arguments, cwd, output, failed)


def _scripted(script: str, cwd: str, output: str, failed: bool | None) -> Iterator[ToolCall]:
    found = 0
    for match in _SCRIPTED.finditer(script):
        string = _STRING.match(script, match.end())
        if string and found < _MOST_SCRIPTED:
            found += 1
            told = _unescaped(string)
            arguments = {"cmd": told} if match[1] == "exec_command" else {"input": told}
            yield ToolCall(match[1], arguments, cwd, output, failed)
    if not found:
        yield ToolCall("exec", {}, cwd, output, failed)


def _unescaped(string: re.Match[str]) -> str:
    inner = string[1][1:-1] if string[1] else string[2] or string[3] or ""
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), inner, flags=re.DOTALL)


def _streamed(item: Mapping[str, Any], cwd: str) -> Iterator[ToolCall]:
    if item.get("type") == "command_execution":
        code = item.get("exit_code")
        failed = code != 0 if isinstance(code, int) else None
        yield ToolCall("shell", {"command": item.get("command")}, cwd, text_of(item.get("aggregated_output")), failed)
        return
    changes = item.get("changes")
    failed = item.get("status") == "failed"
    for change in changes[:200] if isinstance(changes, list) else ():
        if isinstance(change, Mapping):
            yield ToolCall("edit", {"path": change.get("path")}, cwd, "", failed)


def _arguments(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def _answer(value: Any) -> tuple[str, bool | None]:
    """An output as text, and whether it says that the call failed: by an exit code beside it, or in its first lines."""
    if isinstance(value, Mapping):
        success = value.get("success")
        text = text_of(value.get("content")) or text_of(value.get("output"))
        return text, (not success if isinstance(success, bool) else _said_to_fail(value, text))
    text = text_of(value)
    inner = _arguments(text) if text.startswith("{") else {}
    if isinstance(inner.get("output"), str):
        return inner["output"], _said_to_fail(inner, "")
    return text, _said_to_fail({}, text)


def _said_to_fail(told: Mapping[str, Any], text: str) -> bool | None:
    metadata = told.get("metadata")
    code = (metadata if isinstance(metadata, Mapping) else told).get("exit_code")
    if isinstance(code, int):
        return code != 0
    match = _EXIT.match(text[:2000])
    return int(match[1]) != 0 if match else None
