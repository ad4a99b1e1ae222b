"""The filter's answer to one rejection, as a value."""

from dataclasses import dataclass, replace
from enum import StrEnum

from bot.verdicts import Decision
from bot.verification.evidence import ClaimEvidence
from bot.verification.patch_evidence import PatchEvidence
from bot.verification.questions import from_answer
from bot.verification.values import Difference, Differential, Side, Strength, TestRun


class Case(StrEnum):
    """What the two runs amount to (overcorrection paper, section 7.1, and two it lacks: `undecided`, `no_fix`)."""

    EQUIVALENT = "equivalent"
    BOTH_FAIL = "both_fail"
    OVER_REPAIR = "over_repair"
    REPAIR_SUCCESS = "repair_success"
    UNDECIDED = "undecided"
    NO_FIX = "no_fix"


@dataclass(frozen=True, slots=True)
class Verified:
    """The filter's answer to one rejection.

    decision: what becomes of the rejection: `ACCEPT` lifts it, `BOUNCE` keeps it, `UNAVAILABLE` leaves it open.
    case: `None` when nothing could run.
    reasons: plain sentences in Bouncer's own words, most important first.
    outcome: what decided, by the table of evidence; `None` when nothing was weighed.
    difference: the distinguishing input, when there is one.
    rounds: how often the reviewer was asked again.
    patch: what tests say of the change that led to the original, where the base it started from is known.
    shown: what speaks against the original, or the input on which the two differ, as a file to be pasted and run; empty
        where the repository's own tests say it, or it cannot be written so.
    """

    decision: Decision
    case: Case | None
    reasons: tuple[str, ...]
    original: TestRun | None = None
    fix: TestRun | None = None
    augmented_original: TestRun | None = None
    augmented_fix: TestRun | None = None
    differential: Differential | None = None
    difference: Difference | None = None
    strength: Strength | None = None
    patch: PatchEvidence | None = None
    executor: str = ""
    limits_enforced: tuple[str, ...] = ()
    rounds: int = 0
    seconds: float = 0.0
    shown: str = ""
    outcome: ClaimEvidence | None = None

    @property
    def fix_is_right(self) -> bool:
        """Whether the rejection holds because the fix does what the change should have done."""
        by_difference = self.difference is not None and self.difference.favours is Side.FIX
        return self.decision is Decision.BOUNCE and (self.case is Case.REPAIR_SUCCESS or by_difference)

    def to_keep(self) -> "Verified":
        """The same, with the number of the repository's tests that passed; what maintainers answered is told apart."""
        original, fix = (run and run.to_keep(from_answer) for run in (self.original, self.fix))
        return replace(self, original=original, fix=fix)
