"""What the formats of the agents tell of tool calls: a reader each, from one record to what it says.

Thoughts, messages and reasoning are never looked at. Records are JSON and JSON Lines from strangers: what is broken is
left out and named; nothing is raised.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from bot.pulls.trajectories.shell import pipelines
from bot.pulls.trajectories.values import AgentFormat, ToolCall

MOST_BYTES = 20_000_000
MOST_DAMAGED = 100  # places after which no more is looked for

Record = dict[str, Any]

_INNER_LIST = re.compile(r'"(?:trajectory|history)"\s{0,20}:\s{0,20}\[')
_BETWEEN = re.compile(r"[\s,]*+")
_DECODER = json.JSONDecoder()


def read_records(data: bytes) -> tuple[list[Record], str]:
    """The objects of a file, in order, and why some are missing (empty when none are).

    Understood: a list, one object that holds the list as `trajectory` or `history`, objects one after another, one on
    each line or not. Of a file cut in the middle, the objects before the cut.
    """
    if len(data) > MOST_BYTES:
        return [], f"The file is larger than {MOST_BYTES // 1_000_000} MB."
    text = data.decode("utf-8-sig", "replace").strip()
    values, damaged = _values(text, 1 if text.startswith("[") else 0)
    inner = _INNER_LIST.search(text) if damaged else None
    if inner and not any("action" in value or "type" in value for value in values if isinstance(value, dict)):
        values = _values(text, inner.end())[0]
    if len(values) == 1 and isinstance(values[0], dict):
        lists = (values[0].get(name) for name in ("trajectory", "history"))
        values = next((one for one in lists if isinstance(one, list)), values)
    # Older OpenHands histories pair each action with its observation.
    flat = [inner for value in values for inner in (value if isinstance(value, list) else [value])]
    problem = "The file breaks off or is damaged; that part was left out." if damaged else ""
    return [value for value in flat if isinstance(value, dict)], problem


def _values(text: str, position: int) -> tuple[list[Any], int]:
    """Values with commas or blanks in between, from a position to the bracket that closes their list, and in how many
    places there was none. After such a place, what begins on the next line."""
    found: list[Any] = []
    damaged = 0
    while damaged < MOST_DAMAGED:
        between = _BETWEEN.match(text, position)
        position = between.end() if between else position
        if position == len(text) or text[position] == "]":
            break
        try:
            value, position = _DECODER.raw_decode(text, position)
            found.append(value)
        except (ValueError, RecursionError):
            damaged += 1
            position = text.find("\n", position) % (len(text) + 1)
    return found, damaged


_NO_CALLS = ("message", "system", "recall", "change_agent_state", "condensation", "null", "start", "pause")
_OLD_OPENHANDS = {"run": "bash", "edit": "str_replace_editor"}
_CODE_MODE = re.compile(
    r"""tools\.(exec_command|apply_patch)\(\s{0,9}(?:\{[^{}"'`]{0,99}["']?cmd["']?\s{0,9}:\s{0,9})?"""
    r"""(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)'|`((?:[^`\\]|\\.)*+)`)""",
    re.DOTALL,
)
_LINE_EDIT = re.compile(r"edit[ \t]+\d{1,9}:\d{1,9}[ \t]*\n?(.*?)(?:\n?end_of_edit\s*)?\Z", re.DOTALL)


def calls_of(records: list[Record], agent_format: AgentFormat) -> Iterator[ToolCall]:
    """The tool calls of a record, each with its answer. What a resumed session repeats counts once."""
    told = [one for record in records for one in _READERS[agent_format](record)]
    answers = {one.key: one for one in told if one.key is not None and not one.tool}
    seen: set[str | int | None] = set()
    cwd = next((one.cwd for one in told if one.cwd), "")  # nothing says where a session began
    for one in told:
        cwd = one.cwd or cwd
        if one.tool and one.key not in seen:
            seen |= {one.key} - {None}
            answer = answers.get(one.key, one) if one.key is not None else one
            yield replace(one, cwd=cwd, output=answer.output, failed=answer.failed)


def text_of(value: Any) -> str:
    """A string, or the text blocks of a list; empty for anything else."""
    if isinstance(value, list):
        return "\n".join(text_of(_at(block, "text") or block) for block in value if not isinstance(block, list))
    return value if isinstance(value, str) else ""


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    """An object, also one that is written as a text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def _key(value: Any) -> str | int | None:
    return value if isinstance(value, (str, int)) else None


def _claude(record: Record) -> Iterator[ToolCall]:
    """Claude Code: `tool_use` blocks in messages of the assistant, `tool_result` blocks in messages of the user."""
    blocks = _at(record, "message", "content")
    for block in blocks if isinstance(blocks, list) else ():
        if record.get("type") == "assistant" and _at(block, "type") == "tool_use":
            name, told = text_of(block.get("name")), _mapping(block.get("input"))
            yield ToolCall(name or "?", told, text_of(record.get("cwd")), key=_key(block.get("id")))
        elif record.get("type") == "user" and _at(block, "type") == "tool_result":
            failed = block.get("is_error") is True
            yield ToolCall(output=text_of(block.get("content")), failed=failed, key=_key(block.get("tool_use_id")))


def _openhands(record: Record) -> Iterator[ToolCall]:
    """OpenHands: an `action` with `args` and an `observation` that names its `cause`; since the agent SDK (1.x)
    `ActionEvent` and `ObservationEvent`."""
    action, observation, kind = record.get("action"), record.get("observation"), record.get("kind")
    if kind == "ActionEvent" and isinstance(action, Mapping):
        yield ToolCall(text_of(record.get("tool_name")) or "?", action, key=_key(record.get("id")))
    elif kind in ("ObservationEvent", "AgentErrorEvent"):
        error = record.get("error") or _at(observation, "is_error") or _at(observation, "error")
        cwd = text_of(_at(observation, "metadata", "working_dir"))
        output = text_of(_at(observation, "content")) or text_of(_at(observation, "output"))
        yield ToolCall(cwd=cwd, output=output, failed=bool(error), key=_key(record.get("action_id")))
    elif isinstance(observation, str) and "cause" in record:
        cwd = text_of(_at(record, "extras", "metadata", "working_dir"))
        failed = observation == "error"
        yield ToolCall(cwd=cwd, output=text_of(record.get("content")), failed=failed, key=_key(record["cause"]))
    elif isinstance(action, str) and action and action not in _NO_CALLS and record.get("source") == "agent":
        told = _mapping(record.get("args"))
        if action == "run_ipython":
            action, told = "run", {"command": f"python - <<'END'\n{text_of(told.get('code'))}\nEND\n"}
        yield ToolCall(_OLD_OPENHANDS.get(action, action), told, key=_key(record.get("id")))


def _codex(record: Record) -> Iterator[ToolCall]:
    """Codex: one `response_item` a line, the oldest have its payload alone; and what `codex exec --json` prints."""
    kind = record.get("type")
    if kind == "item.completed":
        yield from _streamed(record.get("item"))
        return
    item = _mapping(record.get("payload")) if kind in ("response_item", "session_meta", "turn_context") else record
    key, name, given = _key(item.get("call_id")), text_of(item.get("name")), text_of(item.get("input"))
    told = _mapping(item.get("arguments"))
    match item.get("type") if kind == "response_item" else kind:
        case "session_meta" | "turn_context":
            yield ToolCall(cwd=text_of(item.get("cwd")))
        case "function_call":
            command = told.get("command")
            if isinstance(command, list) and command[:1] == ["apply_patch"]:
                name, told = "apply_patch", {"input": text_of(command[1:2])}
            yield ToolCall(name or "?", told, key=key)
        case "local_shell_call":
            yield ToolCall("local_shell", _mapping(item.get("action")), key=key)
        case "custom_tool_call" if name == "exec":
            scripted = list(_scripted(given)) or [ToolCall("exec")]
            yield from (replace(one, key=key if number == 0 else None) for number, one in enumerate(scripted))
        case "custom_tool_call":
            yield ToolCall(name or "?", {"input": given}, key=key)
        case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
            answer = item.get("output")
            output = text_of(answer) or text_of(_at(answer, "content")) or text_of(_at(answer, "output"))
            yield ToolCall(output=output, failed=_at(answer, "success") is False, key=key)


def _streamed(item: Any) -> Iterator[ToolCall]:
    if _at(item, "type") == "command_execution":
        yield ToolCall("shell", item, output=text_of(item.get("aggregated_output")))
    changes = _at(item, "changes")
    for change in changes if isinstance(changes, list) else ():
        yield ToolCall("edit", {"path": _at(change, "path")}, failed=item.get("status") == "failed")


def _scripted(script: str) -> Iterator[ToolCall]:
    """Codex's code mode is JavaScript that calls tools; of it, what is written as plain texts."""
    for match in _CODE_MODE.finditer(script):
        quoted = match[2] or match[3] or match[4] or ""
        given = re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), quoted, flags=re.DOTALL)
        yield ToolCall(match[1], {"cmd": given, "input": given})


def _sweagent(record: Record) -> Iterator[ToolCall]:
    """SWE-agent's `.traj`: an `action` and an `observation`, with the `state` after it. An action is a line for a shell
    that also knows the commands of SWE-agent's own."""
    action, output = record.get("action"), record.get("observation")
    state = _mapping(record.get("state"))
    if isinstance(action, str) and action.strip() and isinstance(output, str) and "source" not in record:
        opened = text_of(state.get("open_file")) or text_of(state.get("current_file"))
        yield replace(_own(action.strip(), opened), output=output)
    yield ToolCall(cwd=text_of(state.get("working_dir")))


def _own(action: str, opened: str) -> ToolCall:
    """opened: the file that the windowed viewer shows."""
    name, _, rest = action.partition(" ")
    if numbered := _LINE_EDIT.fullmatch(action):
        return ToolCall("edit", {"path": opened, "new_str": numbered[1]})
    found = pipelines(f"x {rest}")
    first, second, *_ = [*(found[0][0].words[1:] if found and found[0] else ()), "", ""]
    match name:
        case "open":
            return ToolCall(name, {"path": first, "line": second})
        case "goto" | "scroll_up" | "scroll_down":
            return ToolCall("goto", {"path": opened if name == "goto" else "", "line": first})
        case "create":
            return ToolCall(name, {"path": first, "content": ""})
        case "edit" | "insert":
            return ToolCall("edit", {"path": opened, "old_str": first, "new_str": second})
        case "submit" | "exit" | "exit_forfeit":
            return ToolCall(name)
        case "str_replace_editor":
            words = found[0][0].words[1:] if found and found[0] else ()
            options = {word[2:]: value for word, value in pairwise(words) if word[:2] == "--"}
            shown = [int(word) for word in words[-2:] if re.fullmatch(r"-?\d{1,9}", word)]
            return ToolCall(name, {**options, "command": first, "path": second, "view_range": shown or None})
    return ToolCall("bash", {"command": action})


_READERS: dict[AgentFormat, Callable[[Record], Iterator[ToolCall]]] = {
    AgentFormat.CODEX: _codex,
    AgentFormat.CLAUDE_CODE: _claude,
    AgentFormat.OPENHANDS: _openhands,
    AgentFormat.SWE_AGENT: _sweagent,
}
