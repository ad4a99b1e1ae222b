"""What came of looking for the fix of a report, whole: what the comment, the brief and the gate are made of. Frozen."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from bot.already_fixed.values import Fixed, Place, Reproduction, Seen
from bot.verdicts import FixStatus

_PROVES_NOTHING = (Seen.CANNOT_RUN, Seen.FLAKY)


@dataclass(frozen=True, slots=True)
class FixFinding:
    """What came of looking for the fix of a report.

    text: names the title and the body that were read. head: full SHA of the commit that was searched and run. commits:
    where a commit's page lies, up to its SHA. regression: the report says that it came back after a fix. places: what
    its stack traces and the candidates touch. lacking: the branch that the report is about, where the fix is not on it.
    """

    text: str
    head: str
    fixed: Fixed
    commits: str = ""
    regression: bool = False
    places: tuple[Place, ...] = ()
    lacking: str = ""

    @property
    def executed(self) -> bool:
        """Whether it is fixed, and running showed it."""
        return self.fixed.status is FixStatus.ALREADY_FIXED

    @property
    def speaks(self) -> bool:
        """Whether anything is worth a word on the issue: something ran, or `guess` has history named."""
        fixed = self.fixed
        if fixed.status is FixStatus.POSSIBLY_FIXED:
            return fixed.fix is not None or any(trial.failed_before for trial in fixed.trials)
        return fixed.status in (FixStatus.ALREADY_FIXED, FixStatus.PARTIALLY_FIXED)

    @property
    def says_fixed(self) -> bool:
        """Whether the report is one of something fixed, for certain or perhaps; what came back is none."""
        return self.speaks and self.fixed.status is not FixStatus.PARTIALLY_FIXED and not self.regression

    @property
    def settled(self) -> bool:
        """Whether nothing is left to be done: running showed that it is fixed, on the branch too that the report is
        about."""
        return self.executed and self.says_fixed and not self.lacking

    @property
    def reproductions(self) -> tuple[Reproduction, ...]:
        """Those that count: what proves something before what does not."""
        ran = (trial for trial in self.fixed.trials if trial.head and trial.head.seen not in _PROVES_NOTHING)
        return tuple(trial.reproduction for trial in sorted(ran, key=lambda trial: not trial.proves))


FOUND: TypeAdapter[FixFinding] = TypeAdapter(FixFinding)  # as it is stored
