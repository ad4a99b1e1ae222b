"""The commands of the step-by-step loops, and how they are read from a model's answer. Pure.

Passerine's five (section III-B), its build tool being the tests that there are. A model's words reach nothing but
these values: no shell, no pattern, no option.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field, StrictInt, StrictStr

from bot.judges.answer import BadAnswer, one_line, read_as
from bot.judges.fence import apparent, encodable

MAX_PATH = 500  # characters
MAX_QUERY = 200
MAX_TEXT = 20_000  # of one edit
MAX_TESTS = 20
MAX_ARGUMENT = 800  # of what is shown of a command


@dataclass(frozen=True, slots=True)
class Cat:
    """Show lines of a file, counted from 1. last: 0 for as many as are shown at once."""

    path: str
    first: int = 1
    last: int = 0

    name: ClassVar[str] = "cat"

    def __str__(self) -> str:
        return _shown(f"{self.path} {self.first}-{self.last or ''}" if (self.first, self.last) != (1, 0) else self.path)


@dataclass(frozen=True, slots=True)
class CodeSearch:
    """Find lines that hold this very text, below a path where one is given."""

    text: str
    path: str = ""

    name: ClassVar[str] = "code_search"

    def __str__(self) -> str:
        return _shown(f"{self.text} in {self.path}" if self.path else self.text)


@dataclass(frozen=True, slots=True)
class EditLines:
    """Put `text` in the place of the lines from `first` to `last`, both included.

    `last` one less than `first`: put it before line `first`. An empty text takes the lines away.
    """

    path: str
    first: int
    last: int
    text: str

    name: ClassVar[str] = "edit"

    def __str__(self) -> str:
        return _shown(f"{self.path} {self.first}-{self.last}")


@dataclass(frozen=True, slots=True)
class RunTests:
    """Run these tests, by file or pytest's node id; without any, the whole suite."""

    tests: tuple[str, ...] = ()

    name: ClassVar[str] = "test"

    def __str__(self) -> str:
        return _shown(" ".join(self.tests))


@dataclass(frozen=True, slots=True)
class Finish:
    """End the work with one of the outcomes that the loop knows."""

    outcome: str

    name: ClassVar[str] = "finish"

    def __str__(self) -> str:
        return self.outcome


Command = Cat | CodeSearch | EditLines | RunTests | Finish


@dataclass(frozen=True, slots=True)
class Repertoire:
    """What one loop understands. prompt: its template's name."""

    prompt: str
    commands: tuple[str, ...]
    outcomes: tuple[str, ...]


REPAIR = Repertoire("repair-step", ("cat", "code_search", "edit", "test", "finish"), ("success", "failure", "right"))
REVIEW = Repertoire("review-step", ("cat", "code_search", "finish"), ("yes", "no"))

_Line = Annotated[StrictInt, Field(ge=0, le=10_000_000)]
_Path = Annotated[StrictStr, Field(max_length=MAX_PATH)]


class _Said(BaseModel):
    command: StrictStr
    path: _Path = ""
    first: _Line = 0
    last: _Line = 0
    text: Annotated[StrictStr, Field(max_length=MAX_TEXT)] = ""
    tests: Annotated[list[_Path], Field(max_length=MAX_TESTS)] = []
    outcome: StrictStr = ""


_READ: dict[str, Callable[[_Said], Command]] = {
    "cat": lambda said: Cat(encodable(said.path), max(said.first, 1), said.last),
    "code_search": lambda said: CodeSearch(encodable(said.text)[:MAX_QUERY], encodable(said.path)),
    "edit": lambda said: EditLines(encodable(said.path), said.first, said.last, encodable(said.text)),
    "test": lambda said: RunTests(tuple(map(encodable, said.tests))),
    "finish": lambda said: Finish(said.outcome),
}


def read_command(repertoire: Repertoire, text: str) -> Command:
    """The one command of an answer; its thought is dropped. Raises BadAnswer."""
    said = read_as(_Said, text)
    if said.command not in repertoire.commands:
        raise BadAnswer(f"command is none of {', '.join(repertoire.commands)}")
    if said.command == "finish" and said.outcome not in repertoire.outcomes:
        raise BadAnswer(f"outcome is none of {', '.join(repertoire.outcomes)}")
    return _READ[said.command](said)


def _shown(text: str) -> str:
    return one_line(apparent(text))[:MAX_ARGUMENT]
