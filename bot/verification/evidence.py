"""What a verdict on a claim stands on: who says that a change is wrong, what ran, and what judges say who were asked
without being told; and the filter's answer. One table; docs/internals/verification.md prints it. Pure."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.judges.code import BlindAnswer, SpecTest
from bot.judges.patches import NamedRejection
from bot.judges.steps import Repair
from bot.verdicts import Cause, Decision
from bot.verification.fix_guided.questions import from_answer
from bot.verification.patch_evidence import ExampleRuns, Hole, PatchEvidence, Settled, Standing
from bot.verification.programs import content
from bot.verification.values import Difference, Differential, Program, Side, Strength, TestRun


class Claimant(StrEnum):
    """Who says that a change is wrong."""

    BASE_TESTS = "the base's tests"
    ANSWER = "a maintainer's answer"
    EXAMPLE = "an example of the issue"
    FIX = "the reviewer's fix"
    MODEL_TEST = "a model's test"
    COUNTEREXAMPLE = "the judge's counterexample"
    REVIEWER = "the reviewer's word"


class Ran(StrEnum):
    """What came of running it."""

    FAILS = "the change fails"  # and so does the fix, or there is none
    REPAIRED = "the change fails, the fix passes"
    BROKEN = "the change passes, the fix fails"
    DIFFER = "both pass and behave differently"
    ALIKE = "both pass and behave alike"
    PASSES = "the change passes"
    DOUBTED = "the change passes, which shows little"
    WITHDRAWN = "shown what fails, the reviewer gives in"
    NO_FIX_NEEDED = "the fix agent says: the change is right"
    NOTHING = "nothing"


class Jury(StrEnum):
    """What judges say who see the issue and an input, and neither the claim nor a program."""

    SAME = "the same, with a clause"  # as the claim has it
    CHANGE = "what the change does, with a clause"
    SILENT = "nothing, or not asked"


class GateAnswer(StrEnum):
    """What the gate makes of it, by itself; the hardest first."""

    BOUNCE = "bounced"
    PERSON = "a person looks"
    NEUTRAL = "neutral"
    NOTHING = "holds nothing"


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """Who claims, what ran and what judges said, each any of these; rejection: `ACCEPT` lifts it, `BOUNCE` upholds it,
    `UNAVAILABLE` leaves it open."""

    claimants: tuple[Claimant, ...]
    ran: tuple[Ran, ...]
    jury: tuple[Jury, ...]
    rejection: Decision
    gate: GateAnswer


_FAILS = (Ran.FAILS, Ran.REPAIRED)
_TESTS = (Claimant.BASE_TESTS, Claimant.ANSWER)
_MODELS = (Claimant.MODEL_TEST, Claimant.COUNTEREXAMPLE)
_ANY = tuple(Jury)
_UNSETTLED = (Jury.CHANGE, Jury.SILENT)
HOLDS, LIFTED, OPEN = Decision.BOUNCE, Decision.ACCEPT, Decision.UNAVAILABLE

# Of all that was found the row that stands first decides. What blocks stands before what does not, so whoever takes
# evidence away never makes a verdict harder.
ROWS: tuple[EvidenceRow, ...] = (
    EvidenceRow(_TESTS, _FAILS, _ANY, HOLDS, GateAnswer.BOUNCE),
    EvidenceRow((Claimant.FIX,), (Ran.DIFFER,), (Jury.SAME,), HOLDS, GateAnswer.BOUNCE),
    EvidenceRow(_MODELS, _FAILS, (Jury.SAME,), HOLDS, GateAnswer.BOUNCE),
    EvidenceRow((Claimant.EXAMPLE,), (Ran.REPAIRED,), _ANY, HOLDS, GateAnswer.PERSON),
    EvidenceRow((Claimant.EXAMPLE,), (Ran.FAILS,), _ANY, OPEN, GateAnswer.PERSON),
    EvidenceRow((Claimant.ANSWER,), (Ran.BROKEN,), _ANY, LIFTED, GateAnswer.NOTHING),
    EvidenceRow((Claimant.FIX,), (Ran.DIFFER,), (Jury.CHANGE,), LIFTED, GateAnswer.NOTHING),
    EvidenceRow((*_TESTS, Claimant.FIX), (Ran.DOUBTED,), _ANY, OPEN, GateAnswer.NEUTRAL),
    EvidenceRow((Claimant.BASE_TESTS, Claimant.EXAMPLE), (Ran.BROKEN,), _ANY, LIFTED, GateAnswer.NOTHING),
    EvidenceRow((Claimant.REVIEWER,), (Ran.WITHDRAWN,), _ANY, LIFTED, GateAnswer.NOTHING),
    EvidenceRow((Claimant.MODEL_TEST,), (*_FAILS, Ran.BROKEN), _UNSETTLED, OPEN, GateAnswer.NEUTRAL),
    EvidenceRow((Claimant.FIX,), (Ran.DIFFER,), (Jury.SILENT,), OPEN, GateAnswer.NEUTRAL),
    EvidenceRow((Claimant.FIX,), (Ran.ALIKE,), _ANY, LIFTED, GateAnswer.NOTHING),
    EvidenceRow((Claimant.COUNTEREXAMPLE,), _FAILS, _UNSETTLED, OPEN, GateAnswer.NEUTRAL),
    EvidenceRow((Claimant.COUNTEREXAMPLE,), (Ran.PASSES,), _ANY, LIFTED, GateAnswer.NOTHING),
    EvidenceRow((Claimant.REVIEWER,), (Ran.NO_FIX_NEEDED,), _ANY, OPEN, GateAnswer.NOTHING),
    EvidenceRow((Claimant.REVIEWER,), (Ran.NOTHING,), _ANY, OPEN, GateAnswer.NEUTRAL),
)


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """What came of one claim."""

    claimant: Claimant
    ran: Ran
    jury: Jury = Jury.SILENT

    @property
    def row(self) -> EvidenceRow:
        """Where the table has it."""
        return next(
            row for row in ROWS if self.claimant in row.claimants and self.ran in row.ran and self.jury in row.jury
        )

    @property
    def rank(self) -> int:
        """The outcome with the least decides."""
        return ROWS.index(self.row)


class Case(StrEnum):
    """What the two runs amount to (overcorrection paper, section 7.1; it lacks `undecided`, `unseen` and `no_fix`)."""

    EQUIVALENT = "equivalent"
    BOTH_FAIL = "both_fail"
    OVER_REPAIR = "over_repair"
    REPAIR_SUCCESS = "repair_success"
    UNDECIDED = "undecided"
    UNSEEN = "unseen"  # both pass, and too little ran to say that they behave alike
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
    heard: what blind judges said of inputs, whatever became of it.
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
    heard: tuple[BlindAnswer, ...] = ()

    @property
    def fix_is_right(self) -> bool:
        """Whether the rejection holds because the fix does what the change should have done."""
        by_difference = self.difference is not None and self.difference.favours is Side.FIX
        return self.decision is Decision.BOUNCE and (self.case is Case.REPAIR_SUCCESS or by_difference)

    def beside(self, patch: PatchEvidence) -> "Verified":
        """The answer to a rejection that was to be lifted, with what tests say of the change itself.

        A regression or a test of its own that fails keeps the change back, whatever the reviewer's fix was worth. A
        test of the base's and its new version that demand different things leave the matter open, and so do tests of
        its own that fail as the base's do, or where no test looks.
        """
        said, outcome = patch.reasons, self.outcome
        if patch.regressions or patch.own_failing:
            outcome = ClaimEvidence(Claimant.BASE_TESTS, Ran.FAILS)
        elif (
            patch.standing is Standing.IMPLAUSIBLE
            or any(each.settled is not Settled.NEW for each in patch.contradictions)
            or (patch.only_tested or patch.alike)
        ):
            outcome = ClaimEvidence(Claimant.BASE_TESTS, Ran.DOUBTED)
        elif patch.standing is Standing.PLAUSIBLE:
            said = (*said, "So the change is plausible, which is all that tests can show.")
        worse = outcome is not self.outcome
        reasons = (*said, *self.reasons) if worse else (*self.reasons, *said)
        decision = outcome.row.rejection if outcome else self.decision
        return replace(self, decision=decision, outcome=outcome, reasons=reasons, patch=patch)

    def to_keep(self) -> "Verified":
        """The same, with the number of the repository's tests that passed; what maintainers answered is told apart."""
        original, fix = (run and run.to_keep(from_answer) for run in (self.original, self.fix))
        return replace(self, original=original, fix=fix)


@dataclass(frozen=True, slots=True)
class TrialDigests:
    """Each is empty where it is not known.

    tree: git's own id of the files that ran, the change merged into its base. tests: of the base's files that judged.
    environment: of the recipe for what was installed for the base; environment_of_head: for the change, where it is set
    up on its own. A recipe is what decides what is installed (lines of setup, manifests and lock files by content,
    interpreter, executor, image, index), and not the installed files themselves.
    """

    tree: str = ""
    tests: str = ""
    environment: str = ""
    environment_of_head: str = ""


@dataclass(frozen=True, slots=True)
class HeadTrial:
    """How a head commit stands when it runs: by itself, beside a fix where it was rejected, and with the examples of
    its issue.

    patch: `None` when nothing could be executed, and `problem` says why. claimed: a reviewer's counterexamples, run on
    the change; `None` when there was none that could be. tried: their calls, as the reviewer wrote them. upheld: those
    that fail and of which blind judges demand the same. heard: what these judges said.
    shown: the upheld counterexamples, as a file to be pasted and run.
    conflict: the files on which it clashes with its base branch; then nothing was run. blame: whose doing it is that
    nothing could be. digests: of what was run. judging: the base's files that judged, until they are a digest.

    verified: what became of a rejection; `None` when there was none, or nobody to make a fix. repair: the agent's
    attempts at one, where it made any. fix: where the rejection holds since the fix is right, the fix as a diff on top
    of the change; empty where it cannot be shown as one. named: what sort of rejection it was, once execution has
    refuted it. examples: what those of the issues it answers showed. without_model: there was none to be asked.
    opened: documents of the change that the tests open; names are strangers'. holes: what fixes that others offer show.
    """

    patch: PatchEvidence | None = None
    claimed: TestRun | None = None
    tried: tuple[str, ...] = ()
    upheld: tuple[SpecTest, ...] = ()
    heard: tuple[BlindAnswer, ...] = ()
    problem: str = ""
    shown: str = ""
    conflict: tuple[str, ...] = ()
    blame: Cause = Cause.OUTSIDE
    digests: TrialDigests = TrialDigests()
    judging: frozenset[str] = frozenset()
    verified: Verified | None = None
    repair: Repair | None = None
    fix: str = ""
    named: NamedRejection | None = None
    examples: ExampleRuns = ExampleRuns()
    without_model: bool = False
    opened: tuple[str, ...] = ()
    holes: tuple[Hole, ...] = ()

    def of_tree(self, tree: str) -> "HeadTrial":
        """The same; tree: git's id of the files that ran."""
        return replace(self, digests=replace(self.digests, tree=tree))

    def without_fix(self) -> "HeadTrial":
        """The same, as if no fix had been tried."""
        return replace(self, verified=None, repair=None, fix="", named=None)


def tests_digest(program: Program, judging: Iterable[str]) -> str:
    """SHA-256 over the lines that `sha256sum` prints of these files of the program, in the order of their paths; empty
    without any."""
    found = ((path, content(program, path)) for path in sorted(judging))
    lines = [f"{hashlib.sha256(text).hexdigest()}  {path}\n" for path, text in found if text is not None]
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest() if lines else ""
