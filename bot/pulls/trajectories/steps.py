"""What tool calls were for: searching, reading, editing, testing, running a program. By the tables of `steps.toml`: the
tools of all agents are read together, their names do not collide; tests are run by the runners of the common languages,
and by the verbs with which build tools do."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from posixpath import basename, join, normpath
from typing import Any

from bot.changes.readers import Patterns, Rows, beside
from bot.pulls.trajectories.records import text_of
from bot.pulls.trajectories.shell import Pipeline, ShellCommand, pipelines
from bot.pulls.trajectories.values import SessionStep, StepKind, ToolCall

MOST_PATH = 400
MOST_PATHS = 20  # files one command reads or changes

_MOST_SEARCHED = 4_000  # characters of an output
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.{1,400})$", re.MULTILINE)


class _Verb(Rows):
    """The words by which some programs run tests; `steps.toml` says what each part means."""

    programs: frozenset[str]
    words: frozenset[str]
    first: bool = False
    between: str = ""
    ends: str = ""
    but: frozenset[str] = frozenset()

    def says(self, words: Sequence[str]) -> bool:
        """Whether one of the words behind the program, in small letters, is such a one."""
        plain = [word for word in words if word[0] != "+"]  # Rust's toolchain
        if any(self.but & self._parts(word) for word in plain[:1]):
            return False
        looked = plain[:1] if self.first else [word for word in plain if "=" not in word]
        return any(self.words & self._parts(word) or (self.ends and word.endswith(self.ends)) for word in looked)

    def _parts(self, word: str) -> set[str]:
        return {word, *"".join(" " if sign in self.between else sign for sign in word).split()}


class _Table(Patterns):
    programs: dict[str, frozenset[str]]
    formats: dict[str, tuple[str, ...]]
    verbs: tuple[_Verb, ...]
    tools: dict[str, frozenset[str]]
    told: dict[str, tuple[str, ...]]


_TABLE = beside(__file__, _Table)
line_pattern = _TABLE.pattern
_PROGRAMS, _TOLD = _TABLE.programs, _TABLE.told
_TEST_PROGRAM, _WRITES, _GIT_CHANGES = map(line_pattern, ("test_program", "writes", "git_changes"))
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
    tool, told, asked = call.tool.lower(), call.arguments, call.tool
    sort = _TOOLS.get(tool, "")
    if sort == "edit" and "command" in told:  # view, create, str_replace, undo_edit, and whatever comes
        tool = text_of(told["command"])
        asked, sort = f"{asked} {tool}", "read" if tool == "view" else "edit"
    if sort == "shell":
        yield from steps_of(_line(told), join(call.cwd, text_of(told.get("workdir"))))
    elif sort == "patch":
        yield from patch_edits(text_of(told.get("input") or told.get("patch")), call.cwd)
    elif sort == "edit":
        changes = told.get("changes")
        for file in changes if isinstance(changes, list) else [told]:
            yield SessionStep(StepKind.EDIT, asked, _path(call, file))
    elif sort != "none":
        step = SessionStep(_KINDS.get(sort, StepKind.OTHER), asked)
        part = " ".join(f"{name} {told[name]}" for name in _TOLD["part"] if told.get(name) is not None)
        yield replace(step, path=_path(call, told), part=part) if sort == "read" else step


def _path(call: ToolCall, told: Any) -> str:
    names = (text_of(told.get(name)) for name in _TOLD["path"]) if isinstance(told, Mapping) else ()
    return place(call.cwd, next(filter(None, names), ""))


def _line(told: Mapping[str, Any]) -> str:
    """The command line of a call; an argument vector, or a program in Python, as the line that would give it."""
    command = told.get("command", told.get("cmd"))
    if not isinstance(command, list):
        code = text_of(told.get("code"))
        return text_of(command) or (f"python - <<'END'\n{code}\nEND\n" if code else "")
    words = [text_of(word) for word in command]
    script = len(words) == 3 and words[1].startswith("-") and words[1].endswith("c")
    return words[2] if script else " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def runs_tests(command: ShellCommand) -> bool:
    """Whether a simple command executes tests. Asking a runner for its version or for a list of tests does not."""
    name, operands = command.name, command.operands
    if _PROGRAMS["looks"] & set(command.words[1:]) or (name in ("make", "gmake") and "-n" in command.words):
        return False
    words = " ".join(word[:100] for word in operands[:6]).lower().split()
    if name in _PROGRAMS["tests"] or (name == "node" and "--test" in command.words):
        return True
    if any(name.lower() in row.programs and row.says(words) for row in _TABLE.verbs):
        return True
    interpreter = name.rstrip("0123456789.") in _PROGRAMS["interpreters"]
    if interpreter and operands and not {"-c", "-e", "-"} & set(command.words):
        return runs_tests(ShellCommand((f"./{operands[0]}", *operands[1:])))
    if name in _PROGRAMS["remote"]:
        return any(basename(word) in _PROGRAMS["tests"] for word in operands)
    return "/" in command.words[0] and bool(_TEST_PROGRAM.fullmatch(name))


def place(cwd: str, path: str) -> str:
    """A path as it would be written from the root, or from where the agent stood; empty when it is none."""
    if not path or len(path) > MOST_PATH or any(mark in path for mark in "$*?`\n\0") or path.startswith(("~", "/dev/")):
        return ""
    found = normpath(join(cwd, path))
    return found if found not in (".", "/") else ""


def patch_edits(patch: str, cwd: str) -> Iterator[SessionStep]:
    """Of `apply_patch`: one edit for each file of a patch; one of an unknown file when the patch names none."""
    for path in _PATCHED.findall(patch) or [""]:
        yield SessionStep(StepKind.EDIT, "apply_patch", place(cwd, path.strip()))


def steps_of(line: str, cwd: str) -> list[SessionStep]:
    """What a command line did, without number of the call. A line that only looks around gives one step."""
    found = [step for pipeline in pipelines(line) for step in _by_pipeline(pipeline, cwd)]
    return found or [SessionStep(StepKind.OTHER, line)]


def _by_pipeline(pipeline: Pipeline, cwd: str) -> Iterator[SessionStep]:
    """The head says what a pipeline is for, unless something behind it searches what is read, edits or tests."""
    first, *later = [tuple(_by_command(command, cwd)) for command in pipeline]
    behind = tuple(step for steps in later for step in steps)
    if first and all(step.kind is StepKind.READ for step in first):
        if any(step.kind is StepKind.SEARCH for step in behind):
            first = (replace(first[0], kind=StepKind.SEARCH, path="", part=""),)
        elif later:  # `nl -ba file | sed -n 1,80p` shows what its end shows
            part = " | ".join(" ".join(command.words) for command in pipeline)
            first = tuple(replace(step, part=part) for step in first)
    yield from first
    yield from (step for step in behind if step.kind in (StepKind.TEST, StepKind.EDIT))


def _by_command(command: ShellCommand, cwd: str) -> Iterator[SessionStep]:
    here = join(cwd, command.cwd)
    said = SessionStep(StepKind.OTHER, " ".join(command.words))
    written = [path for path in _places(here, command.writes) if path]
    yield from (replace(said, kind=StepKind.EDIT, path=path) for path in written)
    if not command.words or command.name in _PROGRAMS["silent"]:
        return
    if runs_tests(command):
        yield replace(said, kind=StepKind.TEST)
    elif command.name == "apply_patch":
        yield from patch_edits(command.stdin or next(iter(command.operands), ""), here)
    elif changed := _changed(command, here):
        yield from (replace(said, kind=StepKind.EDIT, path=path) for path in changed)
    elif _named(command) & _PROGRAMS["search"]:
        yield replace(said, kind=StepKind.SEARCH)
    elif command.name in _PROGRAMS["show"] | _PROGRAMS["read"]:
        said = replace(said, kind=StepKind.READ, part="" if command.name in _PROGRAMS["show"] else said.command)
        files = () if written else _files(command)  # `cat > file` writes
        yield from (replace(said, path=path) for path in _places(here, files))
    else:
        changes = _WRITES.search(command.stdin or said.command)
        yield replace(said, kind=StepKind.EDIT) if changes else said


def _places(here: str, operands: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(place(here, operand) for operand in operands[:MOST_PATHS]))


def _changed(command: ShellCommand, here: str) -> list[str]:
    """Files a command changes; an empty path where it cannot be told which."""
    text = " ".join([command.name, *command.words[1:]])
    how = [_TABLE.formats[name] for name in _named(command) if name in _TABLE.formats]
    if any(not options or any(f" {each}" in text for each in options) for options in how):
        return [] if "--check" in text or "--diff" in text else [""]
    match command.name:
        case "sed" | "perl" | "ruby" if re.search(r" (?:-[a-zA-Z]*i|--in-place)", text):
            return _places(here, _files(command)) or [""]
        case "git" if _GIT_CHANGES.match(text):
            return [""]
        case "cp" | "install":
            return _places(here, command.operands[-1:])
    return _places(here, command.operands) if command.name in _PROGRAMS["change"] else []


def _named(command: ShellCommand) -> set[str]:
    """What the tables call it: its name, and that with its verb."""
    return {command.name, " ".join([command.name, *command.words[1:2]])}


def _files(command: ShellCommand) -> tuple[str, ...]:
    """The operands that are files: without a script, and without a number of lines."""
    scripts = [n + 1 for n, word in enumerate(command.words) if word in ("-e", "-f", "--expression", "--file", "-pe")]
    words = [word for n, word in enumerate(command.words) if n and n not in scripts and not word.startswith("-")]
    if command.name in ("head", "tail"):
        return tuple(word for word in words if not word.lstrip("+").isdigit())
    return tuple(words[1:] if command.name in ("sed", "awk", "gawk", "perl", "ruby") and not scripts else words)
