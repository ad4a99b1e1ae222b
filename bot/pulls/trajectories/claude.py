"""Claude Code sessions: one record a line, `tool_use` blocks in messages of the assistant, `tool_result` blocks in
messages of the user. The stream of `--output-format stream-json` has the same messages."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.pulls.trajectories.records import Record
from bot.pulls.trajectories.tools import text_of
from bot.pulls.trajectories.values import ToolCall


def is_claude(record: Record) -> bool:
    """Whether this is a record of Claude Code that holds a message."""
    return record.get("type") in ("assistant", "user") and isinstance(record.get("message"), Mapping)


def read_claude(records: tuple[Record, ...]) -> Iterator[ToolCall]:
    """Its tool calls. `thinking` and `text` blocks are never looked at. What a sub-agent did counts as well."""
    answers = {
        identifier: block
        for record in records
        for block in _blocks(record, "user")
        if block.get("type") == "tool_result" and isinstance(identifier := block.get("tool_use_id"), str)
    }
    seen: set[str] = set()
    for record in records:
        for block in _blocks(record, "assistant"):
            identifier = text_of(block.get("id"))
            if block.get("type") != "tool_use" or identifier in seen:
                continue  # a resumed session repeats what it resumes
            seen.update((identifier,) if identifier else ())
            answer = answers.get(identifier)
            told = block.get("input")
            yield ToolCall(
                tool=text_of(block.get("name")),
                arguments=told if isinstance(told, Mapping) else {},
                cwd=text_of(record.get("cwd")),
                output=text_of(answer.get("content")) if answer else "",
                failed=answer.get("is_error") is True if answer else None,
            )


def _blocks(record: Record, role: str) -> Iterator[Mapping[str, Any]]:
    message = record.get("message")
    if record.get("type") != role or not isinstance(message, Mapping):
        return
    content = message.get("content")
    if isinstance(content, list):
        yield from (block for block in content if isinstance(block, Mapping))
