"""What was gathered about one head commit of a pull request before anything is decided. Every text in it comes from
strangers."""

from dataclasses import dataclass, field
from enum import StrEnum

from bot.judges.claims import Counterexample
from bot.judges.reviews import PatchReview
from bot.verdicts import Cause, Evidence
from bot.verification.evidence import HeadTrial
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Standing
from bot.verification.values import TestRun


@dataclass(frozen=True, slots=True)
class Pusher:
    """Whoever pushed a commit, or opened the pull request with it, as GitHub's delivery names the sender. number: of
    the pull request it was pushed to."""

    login: str
    is_bot: bool
    head: str
    number: int


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of a pull request that it cannot take back.

    pushers: of its commits, to other pull requests too. signs: the first reasons for which it counted as a coding
    agent's. twin: another pull request that is a coding agent's and stood on the same commit; 0 without one. person:
    the login of the maintainer by whose word it is a person's; empty without a word that stands.
    """

    pushers: tuple[Pusher, ...] = ()
    signs: tuple[str, ...] = ()
    twin: int = 0
    person: str = ""


NOTHING_KNOWN = Past()


class RequestKind(StrEnum):
    """What the change is held against."""

    ISSUE = "issue"
    DESCRIPTION = "description"  # its own, for want of an issue
    UNCLEAR = "unclear"  # an issue that still needs clarification
    NOTHING = "nothing"  # no issue, though the policy wants one


class Substance(StrEnum):
    """What there is to judge."""

    CODE = "code"  # something that runs, steers what runs, or may be read by what does
    TESTS = "tests"  # tests, and documentation at most: they run, and nothing else runs differently
    PAPER = "paper"  # documentation alone: nothing that runs differently
    NO_OP = "no-op"  # behaviour is asked for, code was touched, and means what it meant
    EMPTY = "empty"  # no file at all


RUN = (Substance.CODE, Substance.TESTS)  # what is executed


class StatementKind(StrEnum):
    """What is claimed of the change as a whole; `statements.toml` has the words."""

    ALL_GREEN = "all_green"
    TESTS_ADDED = "tests_added"
    BEHAVIOUR_KEPT = "behaviour_kept"
    COMPATIBLE = "compatible"
    DOCUMENTATION_ONLY = "documentation_only"
    TESTS_ONLY = "tests_only"
    DOCUMENTED = "documented"
    IN_CHANGELOG = "in_changelog"
    NO_DEPENDENCIES = "no_dependencies"
    FASTER = "faster"


class StatementFinding(StrEnum):
    """What became of a claim."""

    SHOWN = "shown"
    CONTRADICTED = "contradicted"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim with the sentence that makes it, a stranger's. where: `title` or `description`. held: what
    became of it."""

    claim: StatementKind
    quote: str
    where: str
    held: StatementFinding = StatementFinding.UNCHECKED


@dataclass(frozen=True, slots=True)
class NeedlessChange:
    """Running at the base shows that what these issues report is fixed there.

    base: full SHA. commit: that fixed the first of them, as far as it is known. shown: what was run, for people to run
    too. leaves_code: the change touches nothing but documentation, tests, and comments and layout of code.
    """

    issues: tuple[int, ...]
    base: str
    commit: str = ""
    shown: str = ""
    leaves_code: bool = False


_NO_RUN = TestRun((), 0.0)
NOTHING_RAN = PatchEvidence(Standing.OPEN, (), PatchFacts(_NO_RUN, _NO_RUN, _NO_RUN))


@dataclass(frozen=True, slots=True)
class PullFacts:
    """Everything `decide_pull` looks at.

    demanded: what others ask behaviour for, as `issue 12`; empty where nobody does. person_if_unproved: what nobody
    asks for and nothing that ran has looked at waits for a person, by the policy.
    unread: why the change could not be read whole, as a sentence; empty when it was. blame: whose doing that is.
    unneeded: set where nothing had to be changed, as running it showed.
    review: `None` when no judge could answer, and `unjudged` says why.
    trial: what came of running it. not_run: counterexamples of a rejection that could not be run, a model's words.
    shown: what speaks against the change, as a file to be run.
    risks: what a person should look at whatever the judge and the tests say. remarks: what is worth knowing and decides
        nothing. All are sentences in Bouncer's own words.
    answered: what a maintainer's answer made of a reviewer's rejection of this commit; `None` without one.
    claims: what it says of itself, as far as the diff and the runs bear it out.
    """

    asked: RequestKind = RequestKind.ISSUE
    substance: Substance = Substance.CODE
    demanded: str = ""
    person_if_unproved: bool = False
    unread: str = ""
    blame: Cause = Cause.OUTSIDE
    unneeded: NeedlessChange | None = None
    review: PatchReview | None = None
    unjudged: str = ""
    trial: HeadTrial = HeadTrial()
    not_run: tuple[Counterexample, ...] = ()
    shown: str = ""
    risks: tuple[str, ...] = ()
    answered: Evidence | None = None
    claims: tuple[Statement, ...] = ()
    remarks: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = field(default=())

    @property
    def patch(self) -> PatchEvidence:
        """What its tests say of it; nothing where none could be run."""
        return self.trial.patch or NOTHING_RAN
