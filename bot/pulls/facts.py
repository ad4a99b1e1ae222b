"""What was gathered about one head commit of a pull request, before anything is decided."""

from dataclasses import dataclass, field
from enum import StrEnum

from bot.verdicts import Evidence, PatchLabel, Usage
from bot.verification.values import PatchEvidence, Strength, Verified


class Asked(StrEnum):
    """What the change is held against."""

    ISSUE = "issue"
    DESCRIPTION = "description"  # its own, for want of an issue
    UNCLEAR = "unclear"  # an issue that still needs clarification
    NOTHING = "nothing"  # no issue, though the policy wants one


class Substance(StrEnum):
    """What there is to judge."""

    CODE = "code"  # something that runs, or steers what runs
    PAPER = "paper"  # documentation or tests alone: nothing that runs differently
    NO_OP = "no-op"  # code was touched, and means what it meant
    EMPTY = "empty"  # no file at all


@dataclass(frozen=True, slots=True)
class Review:
    """One judge's opinion. Never enough to bounce by itself.

    rejects: whether it says no. consistent: its rationale says what its verdict says. grounded: it quotes the
    requirement that is violated and gives a counterexample that could be tried. symptom: what goes wrong, in the
    judge's words; guess: why, if it named a cause. Both are untrusted text.
    """

    label: PatchLabel
    rejects: bool
    probability: float
    judge: str
    consistent: bool = True
    grounded: bool = False
    quote: str = ""
    symptom: str = ""
    guess: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class PullFacts:
    """Everything `decide_pull` looks at.

    unread: why the change could not be read whole, as a sentence; empty when it was.
    review: `None` when no judge could answer, and `unjudged` says why.
    filtered: what became of a rejection that came with a fix; patch: what tests say of the change itself. Either is
        `None` when it was not called for, or could not be run, and `unexecuted` says why.
    risks: what a person should look at whatever the judge and the tests say, as sentences in Bouncer's own words.
    """

    asked: Asked = Asked.ISSUE
    substance: Substance = Substance.CODE
    unread: str = ""
    review: Review | None = None
    unjudged: str = ""
    filtered: Verified | None = None
    patch: PatchEvidence | None = None
    strength: Strength | None = None
    unexecuted: str = ""
    risks: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = field(default=())
