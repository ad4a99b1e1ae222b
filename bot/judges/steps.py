"""Working through a repository step by step: what a step is, and the port for whoever chooses the next one.

A ReAct loop after Passerine (section III-A): a thought and one command, what came of it, and so on. The thought is
dropped, as all thinking is; the command and its output are kept, and are the whole memory of the next step.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.judges.agent.commands import Command
from bot.judges.claims import Claim
from bot.judges.patches import PatchSubject
from bot.judges.protocol import Answered, Named, NoJudgement
from bot.verdicts import Usage

STEPS = 25  # of one attempt, at most (Passerine, section V)


class LoopEnd(StrEnum):
    """How an attempt came to its end."""

    FINISHED = "finished"  # the agent said it was done
    GAVE_UP = "gave up"  # the agent said it could not do it
    RIGHT = "right"  # the agent said that the change is right, so that there is nothing to mend
    STEPS = "steps"  # no more steps were left
    PRUNED = "pruned"  # it went round in circles
    TIME = "time"  # no more seconds were left
    MODEL = "model"  # no answer, or none that could be read


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One command and what came of it. Everything but the number is a model's or a stranger's text, bounded.

    command: one of the loop's commands. argument: on one line. output: as the agent saw it.
    """

    number: int
    command: str
    argument: str
    output: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """What the work is about. All text in it comes from strangers.

    subject: what was asked for and the change that was made. claims: what a reviewer says is wrong with it. earlier:
    what was edited before in vain: how each such attempt ended, its change, and which tests failed with it.
    """

    subject: PatchSubject
    claims: tuple[Claim, ...] = ()
    earlier: tuple[str, ...] = ()


class Stepper(Named, Protocol):
    """Chooses the next command from the task and everything done so far. Never raises."""

    def next(self, task: Task, history: tuple[AgentStep, ...]) -> Answered[Command] | NoJudgement: ...


@dataclass(frozen=True, slots=True)
class Attempt:
    """One trajectory. why: how it ended, as a sentence in Bouncer's words. files: the texts it changed, by path.
    passes: whether all tests pass with them."""

    ended: LoopEnd
    why: str
    steps: tuple[AgentStep, ...]
    files: Mapping[str, str]
    passes: bool = False


@dataclass(frozen=True, slots=True)
class Repair:
    """All attempts. chosen: the index of the one whose files are the fix; `None` without a fix, and `problem` says
    why."""

    attempts: tuple[Attempt, ...] = ()
    chosen: int | None = None
    problem: str = ""
    usage: Usage = Usage()

    @property
    def says_right(self) -> bool:
        """Whether there is no fix because the change is right, as an attempt says."""
        return self.chosen is None and any(each.ended is LoopEnd.RIGHT for each in self.attempts)

    @property
    def files(self) -> Mapping[str, str]:
        """The fix: whole texts by path; empty without one."""
        return {} if self.chosen is None else self.attempts[self.chosen].files
