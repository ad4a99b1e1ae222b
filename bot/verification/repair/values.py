"""What the repair loop leaves behind: every step of every attempt, and the fix it came to."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.judges.steps import AgentStep, LoopEnd
from bot.verdicts import Usage

__all__ = ["AgentStep", "Attempt", "LoopEnd", "Repair"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One trajectory. why: how it ended, as a sentence in Bouncer's words. files: the texts it changed, by path."""

    ended: LoopEnd
    why: str
    steps: tuple[AgentStep, ...]
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
