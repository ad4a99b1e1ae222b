"""A model's review of a patch: modes, what comes of them, and the port."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.judges.agent.code_tools import CodeCall, CodeReader
from bot.judges.agent.edits import Edit
from bot.judges.claims import Claim
from bot.judges.code import SpecTest
from bot.judges.patches import PatchSubject
from bot.judges.protocol import Named, NoJudgement
from bot.verdicts import Evidence, PatchLabel, Usage


class ReviewMode(StrEnum):
    """What the first question asks for; its values include those of the policy's `pulls.review`.

    The first three differ in that alone (overcorrection paper, section 3.4); the more is asked for, the more correct
    code is rejected (section 5.1). `LABEL` is BouncerBench's question (its section III-A2 and III-B).
    """

    DIRECT = "direct"  # the verdict
    EXPLAIN = "explain"  # the verdict, then its rationale
    FULL = "full"  # the verdict, its rationale, a fix
    LABEL = "label"  # reasoning, then one of four labels
    AGENTIC = "agentic"  # the verdict, at the end of a walk through the code


class Consistency(StrEnum):
    """Whether a rationale says what its verdict says (overcorrection paper, section 4.3); its two directions of
    contradiction are told apart."""

    CONSISTENT = "consistent"
    UNCLEAR = "unclear"
    NO_BUT_POSITIVE = "NO_but_positive"
    YES_BUT_NEGATIVE = "YES_but_negative"


@dataclass(frozen=True, slots=True)
class PatchReview:
    """One review. An inconsistent one counts as none (section 6.1 counts `unclear` as inconsistent too).

    label: the model's own in mode `label`, else what the verdict and its claims amount to.
    probability: a prior, see `probability_of_wrong`.
    rationale: the model's words, untrusted; empty in mode `direct`.
    claims: after a rejection, confirmed ones first. fix: in mode `full`, to be executed, never a verdict.
    consistency: `None` when there is no rationale to check: a direct yes.
    calls: what was looked up in the code. evidence: hidden characters found, what could not be looked up.
    """

    label: PatchLabel
    rejects: bool
    probability: float
    judge: str
    mode: ReviewMode
    rationale: str = ""
    claims: tuple[Claim, ...] = ()
    fix: tuple[Edit, ...] = ()
    consistency: Consistency | None = None
    calls: tuple[CodeCall, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    usage: Usage = Usage()

    @property
    def consistent(self) -> bool:
        """Whether it counts."""
        return self.consistency in (None, Consistency.CONSISTENT)

    @property
    def counts(self) -> bool:
        """Whether it rejects the patch, and its own reasons do not contradict that."""
        return self.rejects and self.consistent

    @property
    def grounded(self) -> bool:
        """Whether it names a confirmed violation: a rejection without one bounces nothing."""
        return any(claim.confirmed for claim in self.claims)

    @property
    def main(self) -> Claim | None:
        """The claim to lead with."""
        return self.claims[0] if self.claims else None

    @property
    def symptom(self) -> str:
        """What goes wrong, first in every comment. Untrusted; empty after a yes."""
        return self.main.symptom if self.main else ""

    @property
    def guess(self) -> str:
        """Why it may go wrong, to be shown as a guess: reviewers name causes wrongly far more often than symptoms
        (section 6.2, Table 3). Untrusted."""
        return self.main.guess if self.main else ""

    @property
    def quote(self) -> str:
        """The requirement said to be violated, verbatim from the issue; empty without one. Untrusted."""
        return self.main.quote if self.main else ""

    @property
    def runnable(self) -> tuple[SpecTest, ...]:
        """The counterexamples that can be run."""
        return tuple(claim.test for claim in self.claims if claim.test)


class PatchJudge(Named, Protocol):
    """Labels patches, and says no more."""

    def judge(self, subject: PatchSubject) -> PatchReview | NoJudgement: ...


class PatchReviewer(Named, Protocol):
    """Reviews patches. Never raises. code: the repository with the patch in it, where it may be looked at.

    looks: whether it looks at the code, where it is given; for one that does not, nothing need be fetched.
    """

    @property
    def looks(self) -> bool: ...

    def review(self, subject: PatchSubject, code: CodeReader | None = None) -> PatchReview | NoJudgement: ...
