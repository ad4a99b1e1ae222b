"""The loop itself: choose a command, do it, show what came of it, until there is an end (Passerine, section III-A).

An attempt that goes round in circles is ended, by Passerine's smells (section IV) as rules. None of the smells alone
ends it, since each is in many runs that pass (its table V: a file read again without a change to it in up to 54%, three
searches in a row in up to 33%, three edits of one file in a row in up to 32%). What ends it is a smell that comes back.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Protocol

from bot.judges.agent.code_tools import LINES, UnreadableCode, as_text, last_line
from bot.judges.agent.commands import Cat, CodeSearch, Command, Finish
from bot.judges.protocol import NoJudgement
from bot.judges.steps import AgentStep, LoopEnd, Stepper, Task
from bot.verdicts import Usage

OUTPUT = 6_000  # characters of one command's output that are kept
_DONE = (LoopEnd.FINISHED, "It said that it was done.")
_FINISHED = {"failure": (LoopEnd.GAVE_UP, "It gave up."), "right": (LoopEnd.RIGHT, "It says that the change is right.")}


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of one command. Strangers' text."""

    output: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class StepTrail:
    """One attempt. why: how it ended, as a plain sentence. outcome: what `finish` said; empty without one.

    unavailable: with `Ended.MODEL`, what the stepper said, with what the whole attempt cost.
    """

    ended: LoopEnd
    why: str
    steps: tuple[AgentStep, ...]
    usage: Usage
    outcome: str = ""
    unavailable: NoJudgement | None = None


def walk(
    stepper: Stepper, task: Task, act: Callable[[Command], Observation], *, steps: int, in_time: Callable[[], bool]
) -> StepTrail:
    """One attempt from its start to its end. act: does every command but `finish`. in_time: whether to go on."""
    taken: list[AgentStep] = []
    usage = Usage()

    def ended(how: LoopEnd, why: str, outcome: str = "") -> StepTrail:
        return StepTrail(how, why, tuple(taken), usage, outcome)

    while True:
        if why := why_pruned(taken):
            return ended(LoopEnd.PRUNED, why)
        if len(taken) == steps:
            return ended(LoopEnd.STEPS, f"It was not done after {steps} steps.")
        if not in_time():
            return ended(LoopEnd.TIME, "There was no time left.")
        chosen = stepper.next(task, tuple(taken))
        usage += chosen.usage
        if isinstance(chosen, NoJudgement):
            problem = replace(chosen, usage=usage)
            return replace(ended(LoopEnd.MODEL, chosen.reason), unavailable=problem)
        command = chosen.answer
        seen = Observation("") if isinstance(command, Finish) else act(command)
        taken.append(AgentStep(len(taken) + 1, command.name, str(command), seen.output, seen.failed))
        if isinstance(command, Finish):
            return ended(*_FINISHED.get(command.outcome, _DONE), command.outcome)


class Readable(Protocol):
    """What the commands that only look need of a `CodeReader`."""

    def read(self, path: str, first: int, last: int) -> tuple[str, ...]: ...

    def search(self, text: str, path: str) -> tuple[str, ...]: ...


def look(code: Readable, command: Cat | CodeSearch) -> Observation:
    """What a command that only looks shows."""
    try:
        if isinstance(command, CodeSearch):
            return shown(code.search(command.text, command.path) or ("Nothing was found.",))
        lines = code.read(command.path, command.first, last_line(command.first, command.last))
        more = (f"[... at most {LINES} lines are shown at once ...]",) if len(lines) == LINES else ()
        return shown((*lines, *more))
    except UnreadableCode as problem:
        return refused(str(problem))


def shown(lines: tuple[str, ...]) -> Observation:
    """Lines as they are shown and kept."""
    return Observation(as_text(lines, OUTPUT))


def refused(why: str) -> Observation:
    """A command that did nothing, and why, as a phrase in Bouncer's words."""
    return Observation(f"Refused: {why}.", failed=True)


IN_A_ROW = 3  # searches, edits of one file
SAME = 3  # times the very same command


def why_pruned(steps: Sequence[AgentStep]) -> str:
    """Why there is no point in going on, as a plain sentence; empty when there may be."""
    if _most_repeated(steps) >= SAME:
        return f"It gave the same command {SAME} times without a change in between."
    if _rows(step.command == "code_search" for step in steps) >= 2:
        return f"Twice it searched {IN_A_ROW} times in a row."
    if any(_rows(_edited(step) == path for step in steps) >= 2 for path in {_edited(step) for step in steps} - {""}):
        return f"Twice it edited one file {IN_A_ROW} times in a row without trying it."
    return ""


def _most_repeated(steps: Sequence[AgentStep]) -> int:
    """How often the last command was given since something was changed."""
    count = 0
    for step in reversed(steps):
        if step.command == "edit" and not step.failed:
            break
        count += (step.command, step.argument) == (steps[-1].command, steps[-1].argument)
    return count


def _rows(holds: Iterable[bool]) -> int:
    """How often something comes three times in a row; six times in a row is twice."""
    return sum(len(list(run)) // IN_A_ROW for value, run in groupby(holds) if value)


def _edited(step: AgentStep) -> str:
    return step.argument.rpartition(" ")[0] if step.command == "edit" else ""
