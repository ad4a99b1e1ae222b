"""The loop itself: choose a command, do it, show what came of it, until there is an end (Passerine, section III-A)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from bot.judges.agent.code_tools import LINES, UnreadableCode
from bot.judges.agent.commands import Cat, CodeSearch, Command, Finish
from bot.judges.agent.pruning import why_pruned
from bot.judges.fence import encodable
from bot.judges.protocol import NoJudgement
from bot.judges.steps import AgentStep, LoopEnd, Stepper, Task
from bot.judges.unseen import apparent
from bot.verdicts import Usage

OUTPUT = 6_000  # characters of one command's output that are kept


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
        command = chosen.command
        seen = Observation("") if isinstance(command, Finish) else act(command)
        taken.append(AgentStep(len(taken) + 1, command.name, str(command), seen.output, seen.failed))
        if isinstance(command, Finish):
            gave_up = command.outcome == "failure"
            how, why = (LoopEnd.GAVE_UP, "It gave up.") if gave_up else (LoopEnd.FINISHED, "It said that it was done.")
            return ended(how, why, command.outcome)


class Readable(Protocol):
    """What the commands that only look need of a `CodeReader`."""

    def read(self, path: str, first: int, last: int) -> tuple[str, ...]: ...

    def search(self, text: str, path: str) -> tuple[str, ...]: ...


def look(code: Readable, command: Cat | CodeSearch) -> Observation:
    """What a command that only looks shows."""
    try:
        if isinstance(command, CodeSearch):
            return shown(code.search(command.text, command.path) or ("Nothing was found.",))
        most = command.first + LINES - 1
        last = min(command.last, most) if command.last >= command.first else most
        lines = code.read(command.path, command.first, last)
        more = (f"[... at most {LINES} lines are shown at once ...]",) if len(lines) == LINES else ()
        return shown((*lines, *more))
    except UnreadableCode as problem:
        return refused(str(problem))


def shown(lines: tuple[str, ...]) -> Observation:
    """Lines as they are shown and kept: each stays one, hidden characters are written out, all together bounded."""
    text = "\n".join(apparent(encodable(line).replace("\n", " ")) for line in lines)
    return Observation(text if len(text) <= OUTPUT else text[:OUTPUT] + "\n[... more was left out ...]")


def refused(why: str) -> Observation:
    """A command that did nothing, and why, as a phrase in Bouncer's words."""
    return Observation(f"Refused: {why}.", failed=True)
