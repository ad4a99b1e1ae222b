"""Read-only tools with which a reviewer looks at the code: six, capped, every call kept. They cannot write or run.

A model's arguments are data: names of files and plain texts, never patterns, options or paths outside the tree. What
the tools show is a stranger's text.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from bot.judges.answer import one_line
from bot.judges.fence import apparent, encodable

LINES = 200  # of a file, one call shows at most
MAX_ARGUMENTS = 2_000  # characters


class UnreadableCode(Exception):
    """There is nothing to show. The message is a plain phrase in Bouncer's own words."""


def path_inside(path: str) -> str:
    """The path as a tree names it, `""` for its root. Raises `UnreadableCode` for what is no path inside a tree."""
    where = path.removesuffix("/")
    if where in ("", "."):
        return ""
    if not is_inside(where):
        raise UnreadableCode("that is not a path inside the repository")
    return where


def is_inside(path: str) -> bool:
    """Whether it is the path of something in a tree, and of nothing that git keeps for itself."""
    parts = path.split("/")
    plain = "\0" not in path and not {"", ".", "..", ".git"} & set(parts)
    return plain and all(len(part.encode(errors="replace")) <= 255 for part in parts)


class CodeReader(Protocol):
    """One commit's files and history. Paths are relative to its root; `""` is the root itself.

    Each gives lines of text, bounded, or raises `Unreadable`; whatever it is given, it leads to nothing else.
    """

    def list(self, path: str) -> tuple[str, ...]:
        """Names in a directory, those of directories with a `/` at the end."""
        ...

    def read(self, path: str, first: int, last: int) -> tuple[str, ...]:
        """These lines of a file, counted from 1, each with its number."""
        ...

    def search(self, text: str, path: str) -> tuple[str, ...]:
        """`path:line:text` of lines that hold this very text, below a path."""
        ...

    def definition(self, name: str) -> tuple[str, ...]:
        """`path:line:text` of lines that seem to define this name."""
        ...

    def blame(self, path: str, first: int, last: int) -> tuple[str, ...]:
        """The same lines with the commit, author and date of each."""
        ...

    def history(self, path: str) -> tuple[str, ...]:
        """The last commits that changed a path: commit, date, author, subject."""
        ...


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """calls: of tools. characters: of one output; total: of all together. tokens: of the whole conversation."""

    calls: int = 16
    characters: int = 6_000
    total: int = 24_000
    tokens: int = 100_000


LIMITS = CodeLimits()


@dataclass(frozen=True, slots=True)
class CodeCall:
    """One call as it was made. tool, arguments: the model's words, on one line. output: a stranger's text, as it was
    shown. refused: why there was nothing to show, else empty."""

    tool: str
    arguments: str
    output: str = ""
    refused: str = ""

    def __str__(self) -> str:
        """For a prompt."""
        return f"{self.tool} {self.arguments}\n{self.output or f'({self.refused})'}"


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Path(_Arguments):
    path: StrictStr = ""


class _Lines(_Arguments):
    path: StrictStr
    first: StrictInt = Field(1, ge=1, le=10_000_000)
    last: StrictInt = Field(0, ge=0, le=10_000_000)

    @property
    def end(self) -> int:
        return last_line(self.first, self.last)


class _Text(_Arguments):
    text: StrictStr = Field(min_length=2, max_length=200)
    path: StrictStr = ""


class _Name(_Arguments):
    name: StrictStr = Field(pattern=r"^[A-Za-z_]\w{0,99}$")


@dataclass(frozen=True, slots=True)
class _Tool:
    arguments: type[_Arguments]
    about: str
    call: Callable[[CodeReader, Any], tuple[str, ...]]


_TOOLS: Mapping[str, _Tool] = {
    "list": _Tool(_Path, "Names in a directory.", lambda code, said: code.list(said.path)),
    "read": _Tool(
        _Lines,
        f"Lines of a file, from `first` to `last`, at most {LINES}.",
        lambda code, said: code.read(said.path, said.first, said.end),
    ),
    "search": _Tool(
        _Text,
        "Lines that hold a text exactly as given; no pattern. Below `path` when one is given.",
        lambda code, said: code.search(said.text, said.path),
    ),
    "definition": _Tool(
        _Name, "Where a function, class or constant is defined.", lambda code, said: code.definition(said.name)
    ),
    "blame": _Tool(
        _Lines,
        "Which commit last changed lines of a file.",
        lambda code, said: code.blame(said.path, said.first, said.end),
    ),
    "history": _Tool(_Path, "The last commits that changed a path.", lambda code, said: code.history(said.path)),
}

_PARAMETERS = {
    "path": {"type": "string", "description": "Relative to the root of the repository."},
    "first": {"type": "integer"},
    "last": {"type": "integer"},
    "text": {"type": "string"},
    "name": {"type": "string"},
}


def functions() -> tuple[dict[str, Any], ...]:
    """The tools as an OpenAI-compatible endpoint takes them."""
    return tuple(_function(name, tool) for name, tool in _TOOLS.items())


def _function(name: str, tool: _Tool) -> dict[str, Any]:
    fields = tool.arguments.model_fields
    parameters = {
        "type": "object",
        "additionalProperties": False,
        "required": [field for field, about in fields.items() if about.is_required()],
        "properties": {field: _PARAMETERS[field] for field in fields},
    }
    return {"name": name, "description": tool.about, "parameters": parameters}


class CodeTools:
    """One review's use of the tools. Not for several threads."""

    def __init__(self, reader: CodeReader, limits: CodeLimits = LIMITS) -> None:
        self._reader = reader
        self._limits = limits
        self._calls: list[CodeCall] = []
        self._shown = 0

    @property
    def calls(self) -> tuple[CodeCall, ...]:
        """All calls so far, refused ones too."""
        return tuple(self._calls)

    @property
    def spent(self) -> bool:
        """Whether a cap is reached."""
        return len(self._calls) >= self._limits.calls or self._shown >= self._limits.total

    def call(self, tool: str, arguments: str) -> CodeCall:
        """Make and keep one call. Never raises: what cannot be shown says why."""
        made = self._made(one_line(tool)[:40], one_line(encodable(arguments))[:MAX_ARGUMENTS], arguments)
        self._calls.append(made)
        self._shown += len(made.output)
        return made

    def _made(self, tool: str, shown: str, arguments: str) -> CodeCall:
        if self.spent:
            return CodeCall(tool, shown, refused="no more calls are left")
        if tool not in _TOOLS:
            return CodeCall(tool, shown, refused="there is no such tool")
        if any((call.tool, call.arguments) == (tool, shown) for call in self._calls):
            return CodeCall(tool, shown, refused="that was asked before, and the code has not changed")
        try:
            said = _TOOLS[tool].arguments.model_validate(_object(arguments))
            lines = _TOOLS[tool].call(self._reader, said)
        except ValidationError:
            return CodeCall(tool, shown, refused="those are not the arguments it takes")
        except UnreadableCode as problem:
            return CodeCall(tool, shown, refused=str(problem))
        return CodeCall(tool, shown, self._cut(lines)) if lines else CodeCall(tool, shown, refused="nothing was found")

    def _cut(self, lines: tuple[str, ...]) -> str:
        return as_text(lines, min(self._limits.characters, self._limits.total - self._shown))


def as_text(lines: tuple[str, ...], most: int) -> str:
    """Lines as they are shown: each stays one, hidden characters are written out, all together are bounded."""
    text = "\n".join(apparent(encodable(line).replace("\n", " ")) for line in lines)
    return text if len(text) <= most else text[:most] + "\n[... more was left out ...]"


def last_line(first: int, last: int) -> int:
    """The last line to show: as asked, within the cap."""
    most = first + LINES - 1
    return min(last, most) if last >= first else most


def _object(arguments: str) -> Any:
    """What the JSON holds; something no tool takes where it is none."""
    if len(arguments) > MAX_ARGUMENTS:
        return None
    try:
        return json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError):
        return None
