"""The tool calls in a record of a session, whatever agent wrote it: JSON from strangers, searched for what is a call
and what answers one, by the few keys that agents and the models' APIs have for them.

Thoughts, messages and reasoning are never looked at. What is broken is left out and named; nothing is raised.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from bot.changes.readers import Rows, beside, globs
from bot.pulls.trajectories.values import ToolCall

MOST_BYTES = 20_000_000
MOST_DAMAGED = 100  # places after which no more is looked for

_BETWEEN = re.compile(r"[\s,\]]*+")
_DECODER = json.JSONDecoder()
_AFTER = (("state",), ("extras", "metadata"), ("observation", "metadata"))  # where an answer has `working_dir`
_CWD = (("cwd",), *((*way, "working_dir") for way in _AFTER))
_DEEPEST = 4  # blocks of a text within blocks
_CODE_MODE = re.compile(r'exec_command\(\s{0,9}\{[^{}"]{0,99}"?cmd"?\s{0,9}:\s{0,9}("(?:[^"\\]|\\.)*+")')


class _Table(Rows):
    keys: dict[str, tuple[str, ...]]
    paths: tuple[str, ...]


_TABLE = beside(__file__, _Table)
_KEYS = _TABLE.keys
is_record_path = globs(*_TABLE.paths)


def read_calls(data: bytes) -> tuple[list[ToolCall], str]:
    """The calls of a file, each with its answer, and why some may be missing (empty when none are). What a resumed
    session repeats counts once.

    The file is one value or several, one on each line or not. Of what is cut or damaged, the objects that are whole.
    """
    if len(data) > MOST_BYTES:
        return [], f"The file is larger than {MOST_BYTES // 1_000_000} MB."
    values, damaged = _values(data.decode("utf-8-sig", "replace"))
    told = list(_told(values))
    if any(one.typed for one in told):  # SWE-agent's file holds the model's messages as well
        told = [one for one in told if one.typed or not one.tool]
    answers = {one.key: one for one in told if one.key is not None and not one.tool}
    seen: set[str | int | None] = set()
    found: list[ToolCall] = []
    cwd = next((one.cwd for one in told if one.cwd), "")  # nothing says where a session began
    for one in told:
        cwd = one.cwd or cwd
        if one.tool and one.key not in seen:
            seen |= {one.key} - {None}
            answer = answers.get(one.key, one) if one.key is not None else one
            found.append(replace(one, cwd=cwd, output=answer.output, failed=answer.failed))
    return found, "The file breaks off or is damaged; that part was left out." if damaged else ""


def _values(text: str) -> tuple[list[Any], bool]:
    """The values of a text, and whether something else stands between them. Behind such a place, the next object."""
    found: list[Any] = []
    damaged = position = 0
    while damaged < MOST_DAMAGED and position < len(text):
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position
        try:
            value, position = _DECODER.raw_decode(text, position)
            found.append(value)
        except (ValueError, RecursionError):
            damaged += position < len(text)
            position = text.find("{", position + 1) % (len(text) + 1)
    return found, damaged > 0


def _told(values: list[Any]) -> Iterator[ToolCall]:
    """Calls, answers and directories, each by itself, in their order. What is a call or an answer holds no other."""
    waiting = values[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict) and value.get("type") not in _KEYS["repeats"]:
            found = [*_calls(value)] or [*_answers(value)]
            before, *after = (text_of(_at(value, *way)) for way in _CWD)
            yield from (ToolCall(cwd=before), *found, *(ToolCall(cwd=place) for place in after if found))
            waiting += [] if found else reversed(value.values())


def _calls(item: Mapping[str, Any]) -> Iterator[ToolCall]:
    """The call that an object is; several where it is a script that calls tools."""
    if isinstance(item.get("function"), dict):  # of OpenAI's chat
        item = {**item, **item["function"]}
    kind, action, observation = item.get("type") or item.get("kind"), item.get("action"), item.get("observation")
    key, given = _first(item, "call"), [item[name] for name in _KEYS["given"] if name in item]
    if kind in _KEYS["whole"]:
        yield ToolCall(kind, item, output=text_of(item.get("aggregated_output")), failed=_failed(item), key=key)
    elif kind in _KEYS["calls"] and given:
        name, told = text_of(item.get("tool_name") or item.get("name")) or kind, _mapping(given[0])
        scripted = _scripted(text_of(given[0])) if name == "exec" else []
        yield from scripted or [ToolCall(name, told or {"input": text_of(given[0])}, key=key)]
    elif not isinstance(action, str) or not action.strip():
        return
    elif isinstance(observation, str) and "source" not in item:
        opened = text_of(_at(item, "state", "open_file") or _at(item, "state", "current_file"))
        yield replace(_typed(action.strip(), opened), output=observation)
    elif item.get("source") == "agent" and observation is None and action not in _KEYS["no_calls"]:
        yield ToolCall(action, _mapping(item.get("args")), key=key)


def _answers(item: Mapping[str, Any]) -> Iterator[ToolCall]:
    key, given = _first(item, "answers"), [item[name] for name in _KEYS["output"] if name in item]
    if key is not None and given:
        yield ToolCall(output=text_of(given[0]), failed=_failed(item), key=key)


def _failed(item: Mapping[str, Any]) -> bool:
    """Whether an answer says of itself that the call failed."""
    parts = (item, item.get("observation"), item.get("output"))
    told = any(_at(part, "is_error") is True or _at(part, "error") or _at(part, "success") is False for part in parts)
    return told or item.get("observation") == "error" or item.get("status") == "failed"


def _scripted(script: str) -> list[ToolCall]:
    """Codex's code mode is JavaScript that calls tools; of it, the commands that are written as plain texts."""
    return [ToolCall("bash", _mapping(f'{{"command": {text}}}')) for text in _CODE_MODE.findall(script)]


def _typed(action: str, opened: str) -> ToolCall:
    """A line for SWE-agent's shell, which knows commands of its own. opened: the file that its viewer shows."""
    name, *words = action.split()
    if name in ("edit", "insert"):
        return ToolCall(name, {"path": opened}, typed=True)
    if name == "str_replace_editor":
        what, path, *more = (*words, "", "")
        return ToolCall(name, {"command": what, "path": path, "view_range": " ".join(more).strip()}, typed=True)
    return ToolCall("bash", {"command": action}, typed=True)


def text_of(value: Any, depth: int = 0) -> str:
    """A text, or those of blocks; empty for anything else."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in ("text", "content", "output") if value.get(name)), "")
    if isinstance(value, list) and depth < _DEEPEST:
        return "\n".join(text_of(block, depth + 1) for block in value)
    return value if isinstance(value, str) else ""


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = _mapping(value).get(name)
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    """An object, also one that is written as a text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def _first(item: Mapping[str, Any], sort: str) -> str | int | None:
    """What a call and its answer have in common."""
    return next((item[name] for name in _KEYS[sort] if isinstance(item.get(name), (str, int))), None)
