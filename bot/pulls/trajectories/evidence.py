"""What an agent's own record shows, for the reader of a verdict, and where a pull request may hold one: among its
files, or behind a link in its text. It decides nothing. The tools of all agents are read together: their names do not
collide.

A link counts only when it leads to a file attached on GitHub, or to an artifact of a workflow run of the same
repository. Nothing else is ever fetched, whatever it is called.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from posixpath import join
from typing import Any

from bot.child_process import run_in_child
from bot.plain_text import count_of
from bot.pulls.trajectories.findings import behaviours, smells, step_evidence
from bot.pulls.trajectories.purpose import TOOLS, is_record_path, patch_edits, place, steps_of
from bot.pulls.trajectories.readers import calls_of, read_records, text_of
from bot.pulls.trajectories.values import AgentFormat, SessionStep, StepKind, ToolCall, Trajectory
from bot.verdicts import Evidence

MOST_STEPS = 2_000
SECONDS = 5.0  # of the processor, for one record
_KINDS = (StepKind.READ, StepKind.SEARCH, StepKind.EDIT)
_PARTS = ("view_range", "offset", "limit", "line")  # how a reading tool is asked for lines
_LISTING = "Here's the files and directories"  # how the editor tool answers when it is asked to view a directory
_ERRORS = ("ERROR:", "Error:")
_MOST_SEARCHED = 4_000  # characters of an output


def read_trajectory(data: bytes) -> Trajectory:
    """Read a record of any known agent: the first whose reader finds a tool call. Never raises: what cannot be read is
    left out, and `problem` says so."""
    records, problem = read_records(data)
    for agent_format in AgentFormat:
        calls = list(calls_of(records, agent_format))
        if not calls:
            continue
        steps: list[SessionStep] = []
        for number, call in enumerate(calls):
            steps += steps_of_call(call, number)
            if len(steps) > MOST_STEPS:
                problem = f"The record has more than {MOST_STEPS} steps; the rest was not read."
                break
        return Trajectory(agent_format, tuple(steps[:MOST_STEPS]), problem)
    return Trajectory(None, problem=problem or "This is no record of an agent that Bouncer knows.")


def evidence_in_time(data: bytes, name: str) -> tuple[Evidence, ...]:
    """`evidence` of a record, read in a process of its own: nothing of what takes too long or too much memory."""
    try:
        found = run_in_child(evidence, data, name, seconds=SECONDS)
    except RuntimeError:
        return ()
    return found if isinstance(found, tuple) else ()


def evidence(data: bytes, name: str) -> tuple[Evidence, ...]:
    """The record itself, its smells, and the behaviours it shows; nothing for what holds no tool call of an agent.

    name: the file's, from a stranger. All of it is neutral: a smell is in every second run that passes, too.
    """
    trajectory = read_trajectory(data)
    if trajectory.agent_format is None or not trajectory.steps:
        return ()
    calls = count_of(len({step.call for step in trajectory.steps}), "tool call")
    said = f"A record of the agent's work was read: {trajectory.agent_format}, {calls}. {trajectory.problem}".rstrip()
    return (step_evidence("trajectory_read", said, name, None), *smells(trajectory), *behaviours(trajectory.steps))


def steps_of_call(call: ToolCall, number: int) -> Iterator[SessionStep]:
    """number: of the call in its record."""
    output = call.output[:_MOST_SEARCHED]
    failed = call.failed or output.startswith(_ERRORS) or any(each in output for each in TOOLS["refuse"])
    for step in _steps(call):
        if step.kind is StepKind.READ and call.output.startswith(_LISTING):
            step = replace(step, kind=StepKind.OTHER, path="", part="")
        yield replace(step, failed=failed, call=number)


def _steps(call: ToolCall) -> Iterator[SessionStep]:
    tool, told = call.tool.lower(), call.arguments
    path = place(call.cwd, text_of(told.get("path") or told.get("file_path") or told.get("notebook_path")))
    if tool in TOOLS["none"]:
        return
    if tool in TOOLS["shell"]:
        yield from steps_of(_command(told), join(call.cwd, text_of(told.get("workdir"))))
        return
    if tool == "apply_patch":
        yield from patch_edits(text_of(told.get("input") or told.get("patch")), call.cwd)
        return
    asked, kind = call.tool, next((each for each in _KINDS if tool in TOOLS[each]), StepKind.OTHER)
    if tool in TOOLS["editor"]:
        tool = text_of(told.get("command"))  # view, create, str_replace, undo_edit, and whatever comes
        asked, kind = f"{asked} {tool}", StepKind.READ if tool == "view" else StepKind.EDIT
    if kind is StepKind.READ:
        part = " ".join(f"{name} {told[name]}" for name in _PARTS if told.get(name) is not None)
        yield SessionStep(kind, asked, path, part=part)
    elif kind is StepKind.EDIT:
        whole = tool in ("write", "write_file", "create")
        removed = "" if tool == "insert" else _joined(told, "old_string", "old_str", "search")
        added = _joined(told, "new_string", "new_str", "replace", "insert_text", "new_source", "content", "file_text")
        yield SessionStep(kind, asked, path, removed=None if whole else removed, added=added, whole=whole)
    else:
        yield SessionStep(kind, asked)


def _joined(told: Mapping[str, Any], *names: str) -> str | None:
    """What an edit says under one of these names. Of several edits in one call, all."""
    edits = told.get("edits")
    parts = [part for part in edits if isinstance(part, Mapping)] if isinstance(edits, list) else [told]
    found = [next((part[name] for name in names if isinstance(part.get(name), str)), None) for part in parts]
    known = [text for text in found if text is not None]
    return "\n".join(known) if known and len(known) == len(parts) else None


def _command(told: Mapping[str, Any]) -> str:
    """The command line of a call; an argument vector as the line that would give it."""
    command = told.get("command", told.get("cmd", told.get("code", "")))
    if not isinstance(command, list):
        return text_of(command)
    words = [text_of(word) for word in command]
    if len(words) == 3 and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


GITHUB = "https://github.com"
MOST_FILES = 5
MOST_LINKS = 5
MOST_PATH = 400
MOST_BODY = 300_000

_SUFFIXES = (".traj", ".json", ".jsonl", ".txt")  # GitHub takes no `.jsonl`, so people rename it


@dataclass(frozen=True, slots=True)
class Candidates:
    """files: paths of the pull request, in its order. attachments: addresses of files attached on GitHub.
    artifacts: ids of artifacts of the repository's own workflow runs."""

    files: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    artifacts: tuple[int, ...] = ()


def candidates(repository: str, changed_paths: Iterable[str], body: str, web_url: str = GITHUB) -> Candidates:
    """What is worth a look, at most `MOST_FILES` files and `MOST_LINKS` links of each sort.

    repository: `owner/name`; links into other repositories are left alone. changed_paths: files the pull request adds
    or changes. body: its text, from a stranger. web_url: where this GitHub's pages lie.
    """
    own = rf"(?i:{re.escape(repository)})"
    link = re.compile(
        rf"(?<![\w.%+:/?=&#-]){re.escape(web_url.rstrip('/'))}/(?:"
        rf"(?:user-attachments|{own})/files/\d{{1,19}}/(?P<file>[\w.%+-]{{1,200}})"
        rf"|{own}/actions/runs/\d{{1,19}}/artifacts/(?P<number>\d{{1,19}})(?![\w.%+-]))"
    )
    links = list(link.finditer(body[:MOST_BODY]))
    attachments = (each[0] for each in links if (each["file"] or "").lower().endswith(_SUFFIXES))
    return Candidates(
        tuple(dict.fromkeys(filter(looks_like_record, changed_paths)))[:MOST_FILES],
        tuple(dict.fromkeys(attachments))[:MOST_LINKS],
        tuple(dict.fromkeys(int(each["number"]) for each in links if each["number"]))[:MOST_LINKS],
    )


def is_record_name(name: str) -> bool:
    """Whether a file in an archive may be a record: there it stands alone, so any name of that sort will do."""
    return len(name) <= MOST_PATH and name.lower().endswith(_SUFFIXES)


def looks_like_record(path: str) -> bool:
    """Whether a committed file is named or placed like an agent's record. Its contents decide."""
    return len(path) <= MOST_PATH and is_record_path(path.lower())
