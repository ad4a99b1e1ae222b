"""An agent's record as frozen values. All text in it comes from strangers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

WHOLE = (1, 10**9)  # the lines of a read that shows all of a file


class AgentFormat(StrEnum):
    """Whose record it is."""

    SWE_AGENT = "SWE-agent"
    OPENHANDS = "OpenHands"
    CLAUDE_CODE = "Claude Code"
    CODEX = "Codex"


class StepKind(StrEnum):
    """What a tool call was for."""

    SEARCH = "search"
    READ = "read"
    EDIT = "edit"  # also taking a change back, moving and deleting
    TEST = "test"  # a test runner, or a file of tests run directly
    RUN = "run"  # any other program
    FINISH = "finish"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call as an agent's format records it, before it is told what it was for.

    tool: the tool's name. arguments: its input. cwd: the directory it ran in, empty where the record does not say.
    output: what came back. failed: whether the record says that it failed, `None` where it says nothing.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    cwd: str = ""
    output: str = ""
    failed: bool | None = None


@dataclass(frozen=True, slots=True)
class SessionStep:
    """One thing a tool call did. A call may do several: a shell line with several commands, a patch of several files.

    call: number of the call in the record, from 0. command: the tool's name, or the simple command without what
    merely wraps it (`cd x &&`, `timeout`, variables). path: the file read or changed, empty where it cannot be told;
    an edit without path may have changed any file. output: what the whole call returned, shortened in its middle.
    failed: see `Call`. lines: of a read, first and last line asked for (`WHOLE` for all), `None` where that cannot be
    told. removed, added: of an edit, the text it takes away and puts there, `None` where the record does not hold it.
    whole: an edit that writes a file from its first line to its last. inline: a program given with the command
    itself (`python -c`, a here-document).
    """

    kind: StepKind
    command: str
    path: str = ""
    output: str = ""
    failed: bool | None = None
    call: int = 0
    lines: tuple[int, int] | None = None
    removed: str | None = None
    added: str | None = None
    whole: bool = False
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A whole record. agent_format: `None` when it is none that Bouncer knows. problem: why not all of it was read,
    in Bouncer's own words; then `steps` holds what was."""

    agent_format: AgentFormat | None
    steps: tuple[SessionStep, ...] = ()
    problem: str = ""


class BehaviourKind(StrEnum):
    """The ten behavioural categories of FixedBench, appendix D, in its order."""

    CHECK_GIT_HISTORY = "check_git_history"
    REALIZES_BUG_ALREADY_FIXED = "realizes_bug_already_fixed"
    REPRODUCED_IN_HISTORIC_CODEBASE = "reproduced_in_historic_codebase"
    REPRODUCED_BEFORE_EDIT = "reproduced_before_edit"
    REPRODUCED_AFTER_EDIT = "reproduced_after_edit"
    ADD_DEFENSE_IN_DEPTH = "add_defense_in_depth"
    ADD_TEST = "add_test"
    UNRELATED_FIX = "unrelated_fix"
    NO_OP_EDIT = "no_op_edit"
    BACKTRACKS_ON_FIX = "backtracks_on_fix"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One category. seen: `None` where tool calls and outputs alone do not tell. why: one plain sentence in Bouncer's
    own words. step: position in `Trajectory.steps` of what shows it, `None` where nothing does."""

    kind: BehaviourKind
    seen: bool | None
    why: str
    step: int | None = None
