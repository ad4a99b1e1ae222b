"""What the repair loop leaves behind: every step of every attempt, and the fix it came to."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bot.verdicts import Usage


class Ended(StrEnum):
    """How an attempt came to its end."""

    FINISHED = "finished"  # the agent said it was done
    GAVE_UP = "gave up"  # the agent said it could not do it
    STEPS = "steps"  # no more steps were left
    PRUNED = "pruned"  # it went round in circles
    TIME = "time"  # no more seconds were left
    MODEL = "model"  # no answer, or none that could be read


@dataclass(frozen=True, slots=True)
class Step:
    """One command and what came of it. Everything but the number is a model's or a stranger's text, bounded.

    command: one of the loop's commands. argument: on one line. output: as the agent saw it.
    """

    number: int
    command: str
    argument: str
    output: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One trajectory. why: how it ended, as a sentence in Bouncer's words. files: the texts it changed, by path."""

    ended: Ended
    why: str
    steps: tuple[Step, ...]
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Repair:
    """All attempts. chosen: the index of the one whose files are the fix; `None` without a fix, and `problem` says
    why."""

    attempts: tuple[Attempt, ...] = ()
    chosen: int | None = None
    problem: str = ""
    usage: Usage = Usage()

    @property
    def files(self) -> Mapping[str, str]:
        """The fix: whole texts by path; empty without one."""
        return {} if self.chosen is None else self.attempts[self.chosen].files
