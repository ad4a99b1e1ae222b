"""A rejection is put to the test: a fix for the change is asked for, and both are executed side by side.

After the overcorrection paper, section 7.1, with one difference: where the reviewer offered no fix, a small agent makes
one. Either is a hypothesis. The filter says what becomes of the rejection; this is the order of the work, and its time.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.changes.write import unified
from bot.judges.agent.edits import Edit, EditError, apply
from bot.judges.patches import NamedRejection, PatchSubject, RejectionNamer
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchReview
from bot.judges.steps import Repair, Stepper, Task
from bot.verdicts import Decision
from bot.verification.cases import FilterFacts, decide
from bot.verification.patch_evidence import ExampleRuns
from bot.verification.programs import changed_files, content
from bot.verification.repair.loop import repair
from bot.verification.stage import Stage
from bot.verification.standing import HeadTrial
from bot.verification.values import Program
from bot.verification.verified import Verified

RUNS = 4  # all of it takes at most so many times as long as one run of the tests may take
FOR_MENDING = 2  # of these, for making the fix

# What becomes of a rejection with this fix, within so many seconds: `verify_fix` with all it needs.
Filter = Callable[[Program, float], Verified]


@dataclass(frozen=True, slots=True)
class RejectedChange:
    """What was judged, and the review that rejects it and does not contradict itself."""

    subject: PatchSubject
    review: PatchReview


@dataclass(frozen=True, slots=True)
class TriedFix:
    """What became of one rejection. verified: `None` when there was nobody to make a fix. repair: the agent's attempts,
    where it made any. fix: where the rejection holds since the fix is right, the fix as a diff on top of the change;
    empty where it cannot be shown as one. named: what sort of rejection it was, once execution has refuted it.
    """

    verified: Verified | None = None
    repair: Repair | None = None
    fix: str = ""
    named: NamedRejection | None = None


@dataclass(frozen=True, slots=True)
class Executed:
    """A change that ran: by itself, beside a fix where it was rejected, and with the examples of its issue.
    without_model: there was none to be asked."""

    stood: HeadTrial = HeadTrial()
    tried: TriedFix = TriedFix()
    examples: ExampleRuns = ExampleRuns()
    without_model: bool = False

    def of_tree(self, tree: str) -> "Executed":
        """The same; tree: git's id of the files that ran."""
        return replace(self, stood=replace(self.stood, digests=replace(self.stood.digests, tree=tree)))


def put_to_the_test(
    stage: Stage,
    rejected: RejectedChange,
    verify: Filter,
    *,
    stepper: Stepper | None = None,
    attempts: int = 1,
    namer: RejectionNamer | None = None,
) -> TriedFix:
    """Make a fix and execute it beside the change. Never raises for what models say and programs do.

    The review's own fix is tried where it offers one that fits, else that of the agent, for which `stepper` chooses the
    steps. All of it ends within `RUNS` times what one run of the tests may take.
    """
    end = time.monotonic() + RUNS * stage.seconds
    subject, review = rejected.subject, rejected.review
    made, fix = None, _offered(stage, review.fix)
    if fix is None and stepper is not None:
        made = _mended(stage, Task(subject, review.claims), stepper, attempts)
        fix = _with(stage.head, {path: text.encode() for path, text in made.files.items()}) if made.files else None
    if fix is None:
        # Nothing could be run against the rejection: it is neither lifted nor confirmed.
        if made is None:
            return TriedFix()
        nothing = FilterFacts(no_fix=made.problem or "No fix was made.", fix_agent_agrees=made.says_right)
        return TriedFix(decide(nothing), made)
    verified = verify(fix, end - time.monotonic())
    named = namer.named(subject.issue, said(review)) if namer and verified.decision is Decision.ACCEPT else None
    return TriedFix(
        verified,
        made,
        unified(changed_files(stage.head, fix)) if verified.fix_is_right else "",
        None if isinstance(named, NoJudgement) else named,
    )


def rejection(subject: PatchSubject, review: PatchReview | None) -> RejectedChange | None:
    """What there is to put to the test; nothing where the review accepts, or contradicts itself."""
    return RejectedChange(subject, review) if review and review.rejects and review.consistent else None


def said(review: PatchReview) -> str:
    """A review in words: its rationale, and what it claims."""
    claims = (
        f"{claim.symptom} {claim.counterexample.what if claim.counterexample else ''} {claim.guess}"
        for claim in review.claims
    )
    return "\n".join(filter(None, (review.rationale, *claims)))


def _offered(stage: Stage, edits: tuple[Edit, ...]) -> Program | None:
    """The change with the reviewer's own fix; `None` where there is none that fits."""
    try:
        changed = apply(edits, lambda path: content(stage.head, path))
    except EditError:
        return None
    return _with(stage.head, changed) if changed else None


def _with(head: Program, changed: dict[str, bytes]) -> Program:
    return replace(head, files={**head.files, **changed})


def _mended(stage: Stage, task: Task, stepper: Stepper, attempts: int) -> Repair:
    return repair(
        stage.executor,
        stage.original,
        stage.suite,
        task,
        stepper,
        attempts=attempts,
        seconds=FOR_MENDING * stage.seconds,
        run_seconds=stage.seconds,
    )
