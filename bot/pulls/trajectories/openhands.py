"""OpenHands events, as a list or one on each line.

Until 2025 an event is an `action` with `args`, or an `observation` with `content` and `extras` that names its `cause`.
Since the agent SDK (1.x) it has a `kind`: `ActionEvent` with `tool_name` and `action`, `ObservationEvent` with
`observation` and `action_id`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.pulls.trajectories.records import Record
from bot.pulls.trajectories.tools import text_of
from bot.pulls.trajectories.values import ToolCall

# A tuple, since what is looked for in it may be a list.
_KINDS = ("ActionEvent", "ObservationEvent", "MessageEvent", "SystemPromptEvent", "AgentErrorEvent")
_TOOLS = {"run": "bash", "read": "read", "write": "write", "edit": "str_replace_editor", "run_ipython": "ipython"}
_NO_CALLS = frozenset({"message", "system", "recall", "change_agent_state", "condensation", "null", "start", "pause"})


def is_openhands(record: Record) -> bool:
    """Whether this is an event of OpenHands."""
    if record.get("kind") in _KINDS:
        return True
    told = record.get("args"), record.get("extras")
    named = isinstance(record.get("action"), str) or isinstance(record.get("observation"), str)
    return named and ("source" in record or any(isinstance(one, Mapping) for one in told))


def read_openhands(records: tuple[Record, ...]) -> Iterator[ToolCall]:
    """Its tool calls. `thought`, `reasoning_content`, `thinking_blocks` and messages are never looked at."""
    answers = {cause: record for record in records if (cause := _cause(record)) is not None}
    cwd = ""
    for record in records:
        answer = answers.get(_key(record.get("id")), {})
        if record.get("kind") == "ActionEvent":
            action = record.get("action")
            if isinstance(action, Mapping):
                yield _new(record, action, cwd, answer)
        elif _is_old_call(record):
            yield _old(record, cwd, answer)
        cwd = _directory(record) or cwd


def _is_old_call(record: Record) -> bool:
    action = record.get("action")
    return isinstance(action, str) and action not in _NO_CALLS and record.get("source") != "user"


def _key(value: Any) -> Any:
    return value if isinstance(value, (int, str)) else None


def _cause(record: Record) -> Any:
    if "observation" not in record and record.get("kind") != "AgentErrorEvent":
        return None
    return _key(record.get("action_id") if "kind" in record else record.get("cause"))


def _old(record: Record, cwd: str, answer: Record) -> ToolCall:
    tool = str(record["action"])
    arguments = _mapping(record.get("args"))
    if tool == "edit" and not arguments.get("command"):
        arguments = {**arguments, "command": "str_replace", **_before_and_after(answer)}
    if tool == "run_ipython":
        arguments = {"command": f"python - <<'END'\n{text_of(arguments.get('code'))}\nEND\n"}
        tool = "run"
    extras = _mapping(answer.get("extras"))
    failed = _said_to_fail(_mapping(extras.get("metadata")).get("exit_code", extras.get("exit_code")))
    if answer.get("observation") == "error":
        failed = True
    return ToolCall(_TOOLS.get(tool, tool), arguments, cwd, text_of(answer.get("content")), failed)


def _before_and_after(answer: Record) -> dict[str, str]:
    """Older edits do not say what they do, but what they were answered with does."""
    extras = _mapping(answer.get("extras"))
    old, new = extras.get("old_content"), extras.get("new_content")
    if isinstance(new, str) and extras.get("prev_exist") is False:
        return {"command": "create", "file_text": new}
    return {"old_str": old, "new_str": new} if isinstance(old, str) and isinstance(new, str) else {}


def _new(record: Record, action: Mapping[str, Any], cwd: str, answer: Record) -> ToolCall:
    told = _mapping(answer.get("observation"))
    output = text_of(told.get("content")) or text_of(told.get("output")) or text_of(answer.get("error"))
    error = told.get("is_error") or told.get("error") or answer.get("error")
    failed = bool(error) if answer else None
    if "exit_code" in told:
        failed = _said_to_fail(told["exit_code"])
    return ToolCall(text_of(record.get("tool_name")), action, cwd, output, failed)


def _said_to_fail(code: Any) -> bool | None:
    """By exit code; -1 stands for a command that had not ended when it was answered."""
    return code != 0 if isinstance(code, int) and code != -1 else None


def _directory(record: Record) -> str:
    held = record.get("observation")
    extras = _mapping(held if isinstance(held, Mapping) else record.get("extras"))
    return text_of(_mapping(extras.get("metadata")).get("working_dir"))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
