"""What tool calls were for: searching, reading, editing, testing, running a program. By the tables of `steps.toml`: the
tools of all agents are read together, their names do not collide. A command line is read by the shell's own grammar,
and nothing in it is expanded: this is a reading for people, no shell.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from posixpath import basename, join, normpath
from typing import Any

from tree_sitter import Node

from bot.changes.readers import Patterns, beside
from bot.changes.syntax import nodes_below, shell_tree
from bot.changes.syntax import text_of as source_of
from bot.changes.wrappers import inner_command
from bot.pulls.trajectories.records import text_of
from bot.pulls.trajectories.values import SessionStep, StepKind, ToolCall

MOST_TEXT = 50_000  # characters of one command line
MOST_PATH = 400
MOST_STEPS = 50  # of one command line

_MOST_DEPTH = 4  # of a shell in a shell
_MOST_WRAPPERS = 10
_MOST_SEARCHED = 4_000  # characters of an output
_NO_WORDS = ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect")
_WRITES_TO = frozenset({">", ">>", ">|", "&>", "&>>"})
_NO_FILE = re.compile(r"-[a-zA-Z]*[ce]|-|--test").fullmatch  # what runs is no file
_PATCHED = re.compile(r"\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\n\\]{1,400})")


class _Table(Patterns):
    programs: dict[str, frozenset[str]]
    tools: dict[str, frozenset[str]]
    told: dict[str, tuple[str, ...]]


_TABLE = beside(__file__, _Table)
line_pattern = _TABLE.pattern
_PROGRAMS, _TOLD = _TABLE.programs, _TABLE.told
_RUN, _RUN_NONE, _TEST_FILE = map(line_pattern, ("tests", "no_tests", "test_file"))
_IN_PLACE, _EDITS, _WRITES = map(line_pattern, ("in_place", "edits", "writes"))
_TOOLS = {name: sort for sort, names in _TABLE.tools.items() for name in names}
_KINDS = {"read": StepKind.READ, "search": StepKind.SEARCH, "edit": StepKind.EDIT}


def steps_of_call(call: ToolCall, number: int) -> Iterator[SessionStep]:
    """number: of the call in its record."""
    output = call.output[:_MOST_SEARCHED]
    failed = call.failed or output.startswith(("ERROR:", "Error:")) or any(said in output for said in _TOLD["refuse"])
    for step in _by_tool(call):
        if step.kind is StepKind.READ and output.startswith(_TOLD["listing"]):  # a directory
            step = replace(step, kind=StepKind.OTHER, path="", part="")
        yield replace(step, failed=failed, call=number)


def _by_tool(call: ToolCall) -> Iterator[SessionStep]:
    told, asked = call.arguments, call.tool
    sort = _TOOLS.get(asked.lower(), "")
    if sort == "edit" and "command" in told:  # view, create, str_replace, undo_edit, and whatever comes
        sort = "read" if told["command"] == "view" else "edit"
        asked = f"{asked} {text_of(told['command'])}"
    if sort == "shell":
        yield from steps_of(_line(told), join(call.cwd, text_of(told.get("workdir"))))
    elif sort == "edit":
        changes = told.get("changes")
        for file in changes if isinstance(changes, list) else [told]:
            yield SessionStep(StepKind.EDIT, asked, _path(call, file))
    elif not sort and (patched := [*_patched("\n".join(map(text_of, told.values())), call.cwd)]):
        yield from patched
    elif sort != "none":
        step = SessionStep(_KINDS.get(sort, StepKind.OTHER), asked)
        part = " ".join(f"{name} {told[name]}" for name in _TOLD["part"] if told.get(name))
        yield replace(step, path=_path(call, told), part=part) if sort == "read" else step


def _patched(text: str, cwd: str) -> Iterator[SessionStep]:
    """The files of patches as `apply_patch` takes them."""
    for path in _PATCHED.findall(text):
        yield SessionStep(StepKind.EDIT, "apply_patch", place(cwd, path.strip()))


def _path(call: ToolCall, told: Any) -> str:
    names = (text_of(told.get(name)) for name in _TOLD["path"]) if isinstance(told, Mapping) else ()
    return place(call.cwd, next(filter(None, names), ""))


def _line(told: Mapping[str, Any]) -> str:
    """The command line of a call; an argument vector, or a program in Python, as the line that would give it."""
    command = told.get("command", told.get("cmd"))
    if isinstance(command, list):
        return shlex.join(map(text_of, command))
    code = text_of(told.get("code"))
    return text_of(command) or (f"python - <<'END'\n{code}\nEND\n" if code else "")


def place(cwd: str, path: str) -> str:
    """A path as it would be written from the root, or from where the agent stood; empty when it is none."""
    if not path or len(path) > MOST_PATH or any(mark in path for mark in "$*?`\n\0") or path.startswith(("~", "/dev/")):
        return ""
    found = normpath(join(cwd, path))
    return found if found not in (".", "/") else ""


def steps_of(line: str, cwd: str) -> list[SessionStep]:
    """What a command line did, without number of the call. A line that only looks around gives one step."""
    return list(islice(_by_line(line[:MOST_TEXT], cwd), MOST_STEPS)) or [SessionStep(StepKind.OTHER, line)]


def _by_line(line: str, cwd: str, depth: int = 0) -> Iterator[SessionStep]:
    root = shell_tree(line.encode("utf-8", "replace"))
    name = ""
    for node in nodes_below(root) if root else ():
        script = ""
        if node.type == "command":
            words = _unwrapped(tuple(_unquoted(each) for each in node.children if each.type not in _NO_WORDS))
            name = basename(words[0]) if words else ""
            behind = next((at for at, word in enumerate(words) if re.fullmatch(r"-[a-z]*c", word)), len(words)) + 1
            if name == "cd":
                cwd = join(cwd, *words[1:2])
            elif name in _PROGRAMS["shells"] and words[behind : behind + 1]:
                script = words[behind]
            elif name and name not in _PROGRAMS["silent"]:
                yield from _by_command(words, line, cwd)
        elif node.type == "file_redirect" and (path := place(cwd, _target(node))):
            yield SessionStep(StepKind.EDIT, line, path)
        elif node.type == "heredoc_body" and name in _PROGRAMS["shells"]:
            script = source_of(node)
        if script and depth < _MOST_DEPTH:
            yield from _by_line(script, cwd, depth + 1)


def _target(node: Node) -> str:
    """The file that an output is written to."""
    writes = not _WRITES_TO.isdisjoint(child.type for child in node.children)
    target, errors = node.child_by_field_name("destination"), node.child_by_field_name("descriptor")
    return _unquoted(target) if target is not None and writes and source_of(errors) != "2" else ""


def _unquoted(node: Node) -> str:
    text = source_of(node)
    try:
        return " ".join(shlex.split(text))
    except ValueError:
        return text


def _unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command without variables and programs that only run it; of a script's interpreter, the script."""
    for _ in range(_MOST_WRAPPERS):
        words = words[next((n for n, word in enumerate(words) if not re.match(r"\w+\+?=", word)), len(words)) :]
        inner = inner_command(words)
        if inner == words:
            break
        words = inner
    operands = _operands(words)
    interpreter = words and basename(words[0]).rstrip("0123456789.") in _PROGRAMS["interpreters"]
    if interpreter and operands and not any(map(_NO_FILE, words)):
        return (join(".", operands[0]), *operands[1:])
    return words


def _operands(words: Iterable[str]) -> tuple[str, ...]:
    """Arguments that are no options. The value of an option counts as one, but no number."""
    return tuple(word for word in tuple(words)[1:] if not word.startswith("-") and not word.lstrip("+").isdigit())


def _by_command(words: tuple[str, ...], line: str, cwd: str) -> Iterator[SessionStep]:
    """line: in which it stands."""
    name, operands = basename(words[0]), _operands(words)
    said = " ".join([name, *words[1:]])
    step = SessionStep(StepKind.OTHER, said)
    files = operands[1:] if name in _PROGRAMS["scripted"] else operands
    paths = dict.fromkeys(place(cwd, operand) for operand in files)
    if name == "apply_patch":
        yield from _patched(line, cwd)
    elif runs_tests(words):
        yield replace(step, kind=StepKind.TEST)
    elif name in _PROGRAMS["change"] or _IN_PLACE.match(said):
        yield from (replace(step, kind=StepKind.EDIT, path=path) for path in paths or [""])
    elif _EDITS.match(said):
        yield replace(step, kind=StepKind.EDIT)
    elif name in _PROGRAMS["search"] or said.startswith("git grep "):
        yield replace(step, kind=StepKind.SEARCH)
    elif name in _PROGRAMS["show"] | _PROGRAMS["read"] | _PROGRAMS["scripted"]:
        part = "" if name in _PROGRAMS["show"] and "|" not in line else line
        yield from (replace(step, kind=StepKind.READ, path=path, part=part) for path in paths)
    else:
        yield replace(step, kind=StepKind.EDIT) if _WRITES.search(line) else step


def runs_tests(words: tuple[str, ...]) -> bool:
    """Whether a simple command executes tests. Asking a runner for its version or for a list of tests does not."""
    name = basename(words[0])
    said = " ".join([name, *(word[:100] for word in words[1:8])])
    if _RUN_NONE.match(said):
        return False
    among = words if name in _PROGRAMS["remote"] else words[:1]
    if any(basename(word) in _PROGRAMS["tests"] for word in among) or _RUN.match(said.lower()):
        return True
    return "/" in words[0] and bool(_TEST_FILE.fullmatch(name))
