"""An agent's record as values. All text in it comes from strangers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class StepKind(StrEnum):
    """What a tool call was for."""

    SEARCH = "search"
    READ = "read"
    EDIT = "edit"  # also taking a change back, moving and deleting
    TEST = "test"  # a test runner, or a file of tests run directly
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What one object of a record tells of a tool call: the call, its answer, or both.

    tool: the tool's name, empty for what is no call. arguments: its input. cwd: the directory it ran in, or in which
    those after it run; empty where nothing is said. output: what came back. failed: the record says that it failed.
    key: what the call and its answer have in common, `None` where nothing answers. typed: into SWE-agent's shell.
    """

    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    cwd: str = ""
    output: str = ""
    failed: bool = False
    key: str | int | None = None
    typed: bool = False


@dataclass(frozen=True, slots=True)
class SessionStep:
    """One thing a tool call did. A call may do several: a shell line with several commands, a patch of several files.

    call: number of the call in the record, from 0. command: the tool's name, or the simple command without what
    merely wraps it (`cd x &&`, `timeout`, variables). path: the file read or changed, empty where it cannot be told;
    an edit without path may have changed any file. part: of a read, what it asks for in its own words, empty
    for all of the file.
    """

    kind: StepKind
    command: str
    path: str = ""
    failed: bool = False
    call: int = 0
    part: str = ""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A whole record. problem: why not all of it was read, in Bouncer's own words; then `steps` holds what was."""

    steps: tuple[SessionStep, ...] = ()
    problem: str = ""
