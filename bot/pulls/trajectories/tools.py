"""What a tool call was for. The tools of all agents together: their names do not collide in meaning."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from posixpath import join
from typing import Any

from bot.pulls.trajectories.patches import patch_edits
from bot.pulls.trajectories.purpose import place, steps_of
from bot.pulls.trajectories.values import WHOLE, SessionStep, StepKind, ToolCall

MOST_STEPS = 2_000
MOST_COMMAND = 500  # characters kept of a command
MOST_OUTPUT = 4_000  # of an output: its two ends
MOST_EDIT = 20_000  # of each side of an edit

_SHELLS = frozenset(
    {
        *(
            "bash",
            "shell",
            "execute_bash",
            "terminal",
            "exec_command",
            "container.exec",
            "local_shell",
            "shell_command",
        ),
        *("run", "run_command", "cmd_run", "powershell"),
    }
)
_EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "file_editor", "edit_file", "text_editor"})
_READERS = frozenset({"read", "notebookread", "read_file", "open", "goto", "view", "cat"})
_SEARCHERS = frozenset(
    {"grep", "glob", "grep_files", "search", "code_search", "find_file", "search_dir", "search_file"}
)
_WRITERS = frozenset({"write", "write_file", "create"})
_FINISHERS = frozenset(
    {"finish", "submit", "exit", "exit_cost", "exit_context", "exitplanmode", "reject", "exit_forfeit"}
)
# Waiting for what an earlier call started.
_WAITING = frozenset({"write_stdin", "bashoutput", "taskoutput", "wait"})
# Notes to itself are thinking, and thinking is not looked at.
_THINKING = frozenset({"think", "todowrite", "todoread", "update_plan", "task_tracker", "task_tracking", "plan"})
_LISTING = "Here's the files and directories"  # how the editor tool answers when it is asked to view a directory
_REFUSED = re.compile(
    r"Your changes have NOT been applied|No replacement was performed|<tool_use_error>|apply_patch verification failed"
    r"|Invalid context|^ERROR:|^Error:"
)


def steps_of_calls(calls: Iterable[ToolCall]) -> tuple[tuple[SessionStep, ...], bool]:
    """The steps of a record, and whether there were more than `MOST_STEPS`."""
    found: list[SessionStep] = []
    for number, call in enumerate(calls):
        for step in _steps(call):
            if len(found) == MOST_STEPS:
                return tuple(found), True
            found.append(_finished(step, call, number))
    return tuple(found), False


def _finished(step: SessionStep, call: ToolCall, number: int) -> SessionStep:
    if step.kind is StepKind.READ and call.output.startswith(_LISTING):
        step = replace(step, kind=StepKind.OTHER, path="", lines=None)
    failed = call.failed
    if failed is None and step.kind is StepKind.EDIT and _REFUSED.search(call.output[:MOST_OUTPUT]):
        failed = True
    return replace(
        step,
        command=_shortened(step.command, MOST_COMMAND),
        path=_clean(step.path),
        output=_shortened(call.output, MOST_OUTPUT),
        removed=None if step.removed is None else _shortened(step.removed, MOST_EDIT),
        added=None if step.added is None else _shortened(step.added, MOST_EDIT),
        failed=failed,
        call=number,
    )


def _steps(call: ToolCall) -> Iterator[SessionStep]:
    tool, told = call.tool.lower(), call.arguments
    said = SessionStep(StepKind.OTHER, call.tool)
    path = place(call.cwd, text_of(told.get("path") or told.get("file_path") or told.get("notebook_path")))
    if tool in _THINKING or tool in _WAITING:
        return
    if tool in _SHELLS:
        yield from steps_of(command_of(told), join(call.cwd, text_of(told.get("workdir"))))
    elif tool in _EDITORS:
        yield from _editor(
            told, replace(said, command=f"{call.tool} {text_of(told.get('command'))}".strip(), path=path)
        )
    elif tool in _READERS:
        yield replace(said, kind=StepKind.READ, path=path, lines=_asked(told))
    elif tool in _SEARCHERS:
        yield replace(said, kind=StepKind.SEARCH)
    elif tool in _WRITERS:
        added = told.get("content", told.get("file_text"))
        yield replace(said, kind=StepKind.EDIT, path=path, added=_text(added), whole=True)
    elif tool in ("edit", "multiedit", "notebookedit", "insert"):
        removed, added = _sides(told)
        yield replace(said, kind=StepKind.EDIT, path=path, removed=removed, added=added)
    elif tool == "apply_patch":
        yield from patch_edits(text_of(told.get("input") or told.get("patch")), call.cwd)
    elif tool in _FINISHERS:
        yield replace(said, kind=StepKind.FINISH)
    else:
        yield said


def _editor(told: Mapping[str, Any], said: SessionStep) -> Iterator[SessionStep]:
    match told.get("command"):
        case "view":
            yield replace(said, kind=StepKind.READ, lines=_asked(told))
        case "create":
            yield replace(said, kind=StepKind.EDIT, added=_text(told.get("file_text")), whole=True)
        case "insert":
            yield replace(
                said, kind=StepKind.EDIT, removed="", added=_text(told.get("new_str", told.get("insert_text")))
            )
        case _:  # str_replace, undo_edit, and whatever comes
            removed, added = _sides(told)
            yield replace(said, kind=StepKind.EDIT, removed=removed, added=added)


def _sides(told: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """What an edit takes away and puts there. Of several edits in one call, all."""
    edits = told.get("edits")
    parts = [part for part in edits if isinstance(part, Mapping)] if isinstance(edits, list) else [told]
    removed = [_text(_first(part, "old_string", "old_str", "search")) for part in parts]
    added = [_text(_first(part, "new_string", "new_str", "replace", "text", "new_source", "content")) for part in parts]
    return _joined(removed), _joined(added)


def _first(told: Mapping[str, Any], *names: str) -> Any:
    return next((told[name] for name in names if isinstance(told.get(name), str)), None)


def _joined(parts: list[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    return "\n".join(known) if known and len(known) == len(parts) else None


def _asked(told: Mapping[str, Any]) -> tuple[int, int] | None:
    """The lines a reading tool was asked for."""
    match told.get("view_range"), told.get("offset"), told.get("limit"), told.get("line"):
        case [int(first), int(last)], _, _, _:
            return first, last if last >= 0 else WHOLE[1]
        case None, None | int() as offset, None | int() as limit, None if offset is not None or limit is not None:
            first = offset or 1
            return first, first + limit - 1 if limit is not None else WHOLE[1]
        case None, None, None, int(line):
            return line, line
        case None, None, None, None:
            return WHOLE
    return None


def command_of(told: Mapping[str, Any]) -> str:
    """The command line of a call; an argument vector as the line that would give it."""
    command = told.get("command", told.get("cmd", told.get("code", "")))
    if isinstance(command, list):
        words = [text_of(word) for word in command[:200]]
        if len(words) == 3 and re.fullmatch(r"-[a-z]*c", words[1]):
            return words[2]
        return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    return text_of(command)


def text_of(value: Any) -> str:
    """A string, or the text blocks of a list; empty for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        blocks = (block.get("text") if isinstance(block, Mapping) else block for block in value[:200])
        return "\n".join(block for block in blocks if isinstance(block, str))
    return ""


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _shortened(text: str, most: int) -> str:
    return _clean(text if len(text) <= most else f"{text[: most // 2]}\n…\n{text[-most // 2 :]}")


def _clean(text: str) -> str:
    """Without half characters, which JSON can spell and nothing can store."""
    return text.encode("utf-8", "replace").decode("utf-8")
