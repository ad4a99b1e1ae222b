"""The values every room shares: labels, evidence, questions and the verdict itself. Frozen, no effects."""

from dataclasses import dataclass
from enum import StrEnum


class Decision(StrEnum):
    """What Bouncer does with a subject. `UNAVAILABLE` is never a silent pass and never a silent block."""

    ACCEPT = "ACCEPT"
    BOUNCE = "BOUNCE"
    UNAVAILABLE = "UNAVAILABLE"


class Cause(StrEnum):
    """Why a pull request's verdict is `UNAVAILABLE`, which says whether it may be merged meanwhile."""

    OUTSIDE = "outside"  # nobody can say, for reasons outside the change
    CHANGE = "change"  # the change brought it about: the base can be judged, and this head cannot
    PERSON = "person"  # a named risk or a contradiction: a person must look


class State(StrEnum):
    """Whether Bouncer still looks at a subject."""

    ACTIVE = "active"
    ACCEPTED = "accepted"  # a maintainer ended it for good
    PAUSED = "paused"  # until a maintainer resumes


class SpecificationLabel(StrEnum):
    """How well an issue says what is wanted (BouncerBench, section III-A), from best to worst."""

    WELL_SPECIFIED = "WELL_SPECIFIED"
    REASONABLY_SPECIFIED = "REASONABLY_SPECIFIED"
    VAGUE = "VAGUE"
    IMPOSSIBLE_TO_SOLVE = "IMPOSSIBLE_TO_SOLVE"


class PatchLabel(StrEnum):
    """How well a patch does what its issue asks (BouncerBench, section III-B), from best to worst."""

    CORRECT_AND_PRECISE = "CORRECT_AND_PRECISE"
    CORRECT_BUT_INCOMPLETE = "CORRECT_BUT_INCOMPLETE"
    BROAD_MISSING_KEY_ASPECTS = "BROAD_MISSING_KEY_ASPECTS"
    INCORRECT = "INCORRECT"


class FixStatus(StrEnum):
    """Whether what a report says still holds at the head."""

    STILL_PRESENT = "STILL_PRESENT"
    PARTIALLY_FIXED = "PARTIALLY_FIXED"  # one input is mended, another still fails
    ALREADY_FIXED = "ALREADY_FIXED"  # seen to fail, and not to fail any more
    POSSIBLY_FIXED = "POSSIBLY_FIXED"  # history says so, running does not
    UNKNOWN = "UNKNOWN"


class IssueKind(StrEnum):
    """What sort of issue it is. A vulnerability gets no questions and no labels, only a pointer to SECURITY.md. From
    `TASK` on nothing is ever asked: those are written by people who know what they mean, for themselves."""

    BUG = "bug"
    FEATURE = "feature"
    QUESTION = "question"
    DOCUMENTATION = "documentation"
    VULNERABILITY = "vulnerability"
    TASK = "task"  # a chore
    TRACKING = "tracking"  # a list of what is to be done
    RELEASE = "release"
    DISCUSSION = "discussion"  # a request for comments
    NOTICE = "notice"  # a bot's


KINDS = {
    IssueKind.BUG: "bug report",
    IssueKind.FEATURE: "feature request",
    IssueKind.QUESTION: "question",
    IssueKind.DOCUMENTATION: "documentation issue",
    IssueKind.VULNERABILITY: "security report",
    IssueKind.TASK: "task",
    IssueKind.TRACKING: "tracking list",
    IssueKind.RELEASE: "release",
    IssueKind.DISCUSSION: "request for comments",
    IssueKind.NOTICE: "bot's notice",
}  # each with its name in English
NEVER_HELD = frozenset({IssueKind.TASK, IssueKind.TRACKING, IssueKind.RELEASE, IssueKind.DISCUSSION, IssueKind.NOTICE})
# What somebody else can work on once it is clear. Of what is never held, nothing is known to be clear.
ACTIONABLE = frozenset({IssueKind.BUG, IssueKind.FEATURE, IssueKind.DOCUMENTATION})


class Item(StrEnum):
    """One thing a reader needs from a report. The comment's checklist and the questions are made of these."""

    OBSERVED = "observed"  # what happens
    EXPECTED = "expected"  # the expected result
    STEPS = "steps"  # steps to reproduce, or a runnable example
    ERROR = "error"  # the error's text or stack trace
    VERSION = "version"  # which version, and where it matters which environment
    GOAL = "goal"  # a feature: what should become possible
    DETAILS = "details"  # names, values or literals the reader would have to guess
    SUBJECT = "subject"  # which part of the project this is about


class Left(StrEnum):
    """By which of its rules the policy leaves a pull request alone."""

    BASE = "base"
    TITLE = "title"
    PATHS = "paths"


class Effect(StrEnum):
    """How a piece of evidence counts."""

    CLEAR = "clear"  # speaks for acting on the report
    MISSING = "missing"  # speaks against
    NEUTRAL = "neutral"  # said for the reader, does not count
    HIDDEN = "hidden"  # text a human reader would not see; removed before judging and reported


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observed fact.

    check: stable identifier of what was looked for, e.g. `expected_behaviour`.
    found: one plain sentence in Bouncer's own words; holds no text from strangers.
    quote: a verbatim excerpt (at most 200 characters) from a stranger; escape it before showing it.
    where: `title`, `body`, `reply 2`, or an address Bouncer itself made.
    """

    check: str
    effect: Effect
    found: str
    quote: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One line of the comment's checklist: ticked when `clear`. section: the heading that the policy wants filled,
    fact: what else it asks for, where the line is about one; the item is then what comes nearest to it."""

    item: Item
    clear: bool
    quote: str = ""
    section: str = ""
    fact: str = ""

    @property
    def own(self) -> str:
        """The policy's own name for it, where it asks for it."""
        return self.section or self.fact


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the reporter. text: a model's own words, in the report's language; empty where Bouncer asks.

    keys: of the fixed sentences that ask the same, which every language has. english: of the sentence that takes up an
    English phrase, in their place there; about: what it is filled in with. Escape text, quote and about: they are a
    model's or the report's. markdown: the text is the policy's own, and no stranger's.
    """

    item: Item
    text: str = ""
    quote: str = ""
    keys: tuple[str, ...] = ()
    english: str = ""
    about: str = ""
    markdown: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What a judgement cost. `money` in the currency of the configured token prices."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.money + other.money,
        )


class BasisKind(StrEnum):
    """Where what is known of a judge was measured."""

    SHIPPED = "shipped"  # recorded answers of this model's family
    POOLED = "pooled"  # recorded answers of other models, for one that is not known
    WEIGHTS = "weights"  # the public issues that the offline weights were fitted on
    SERVER = "server"  # a calibration of this server
    REPOSITORY = "repository"  # a calibration of this repository


class BasisCut(StrEnum):
    """Where the cut comes from."""

    SHIPPED = "shipped"  # it comes with Bouncer
    CHOSEN = "chosen"  # by the labels of a calibration
    STRICTER = "stricter"  # acts showed that the one before broke its promise


@dataclass(frozen=True, slots=True)
class Basis:
    """What a verdict's probability and its promise stand on. issues: answers or issues. promise: at most this share of
    the clear issues is held by mistake. made_on: the day of a calibration, as YYYY-MM-DD. from_acts: it is made of what
    maintainers did."""

    kind: BasisKind
    issues: int
    promise: float
    made_on: str = ""
    from_acts: bool = False
    cut: BasisCut = BasisCut.SHIPPED


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision as a value; the comment, the command line's JSON and later the check and page render this.

    probability: calibrated probability (0 to 1) that the subject should be bounced; `None` when nothing was judged.
    judge: who judged, with its version, e.g. `offline/1` or `gpt-4.1 with issue-specification/2`.
    reasons: plain sentences in Bouncer's own words, most important first.
    cause: of a pull request's `UNAVAILABLE`; `None` for every other verdict.
    uncovered: what nothing that ran speaks for, as plain sentences.
    reasoning: what a model wrote before its label of an issue; a model's words, made of a stranger's text.
    ground: the name of the rule that decided; its sentence is `rendering`'s. Empty where execution alone decided about
    a review bot's rejection, which brings `reasons` along instead. said: why, in the judge's own words, where it has
    some.
    basis: of an issue's label, what its probability stands on; `None` for rules.
    language: its questions are put in it, as the comment is; a code.
    within_reach: of a clear issue, that coding agents often resolve such ones; a guess, made where the policy asks.
    """

    decision: Decision
    label: SpecificationLabel | PatchLabel | None
    probability: float | None
    judge: str
    kind: IssueKind | None
    reasons: tuple[str, ...] = ()
    checklist: tuple[ChecklistItem, ...] = ()
    questions: tuple[Question, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    cause: Cause | None = None
    uncovered: tuple[str, ...] = ()
    reasoning: str = ""
    ground: str = ""
    said: str = ""
    basis: Basis | None = None
    within_reach: bool = False
    language: str = "en"

    @property
    def asks(self) -> bool:
        """Whether an issue's reporter is asked something though Bouncer does not hold it."""
        return self.decision is Decision.ACCEPT and bool(self.questions)

    @property
    def missing(self) -> tuple[Item, ...]:
        """The checklist's unticked items, in order."""
        return tuple(line.item for line in self.checklist if not line.clear)


class Topic(StrEnum):
    """What a review says its claim is about."""

    SECURITY = "security"
    BUG = "bug"
    PERFORMANCE = "performance"
    STYLE = "style"
    UNSTATED = "unstated"


class ClaimOutcome(StrEnum):
    """What became of one claim, in the order in which people want to hear of it."""

    HELD = "held"  # the change fails, and what is suggested repairs it
    REFUTED = "refuted"  # what is suggested breaks what works
    SAME = "same"  # what is suggested changes no behaviour that was seen
    OPEN = "open"  # it ran, and that settles nothing
    STALE = "stale"  # what is suggested does not fit the commit
    UNRUN = "unrun"  # nothing could run
    LATE = "late"  # there was no time left
    NO_CHANGE = "no change"  # it suggests nothing that could be run

    @property
    def decides(self) -> bool:
        """Whether execution decided about it."""
        return self in (ClaimOutcome.HELD, ClaimOutcome.REFUTED, ClaimOutcome.SAME)

    @property
    def ran(self) -> bool:
        return self.decides or self is ClaimOutcome.OPEN
