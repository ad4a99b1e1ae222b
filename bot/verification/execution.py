"""A change is executed: by itself, and beside a fix where it was rejected. For the gate and the command line alike.

A rejection is put to the test after the overcorrection paper, section 7.1, with one difference: where the reviewer
offered no fix, a small agent makes one. Either is a hypothesis; the filter says what becomes of the rejection.
"""

import time
from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from functools import cache, partial

from bot.changes.kinds import is_test_by_path, steers_pytest
from bot.changes.write import unified
from bot.judges.agent.edits import Edit, EditError, apply
from bot.judges.code import SpecTest
from bot.judges.factory import Models
from bot.judges.patches import PatchSubject, RejectionNamer
from bot.judges.protocol import NoJudgement
from bot.judges.reviews import PatchReview
from bot.judges.steps import Stepper, Task
from bot.policy import Policy, Verify
from bot.verdicts import Decision
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.evidence import HeadTrial, Verified
from bot.verification.files.bodies import Bodies, is_another
from bot.verification.files.steering import as_before
from bot.verification.fix_guided.cases import FilterFacts, decide
from bot.verification.fix_guided.filter import LEAST, RejectedProgram, verify_fix
from bot.verification.fix_guided.questions import Ruling
from bot.verification.fix_guided.specified import NOBODY, BlindJury
from bot.verification.patch_evidence import ExampleRuns, OfferedRuns, PatchEvidence
from bot.verification.programs import changed_files, content
from bot.verification.repair.loop import repair
from bot.verification.stage import Conflict, Stage
from bot.verification.standing import stand_on
from bot.verification.testing.run import run_suite
from bot.verification.trial.times import OFFERED
from bot.verification.values import Program

RUNS = 4  # all of it takes at most so many times as long as one run of the tests may take
FOR_MENDING = 2  # of these, for making the fix

# What becomes of a rejection with this fix, within so many seconds: `verify_fix` with all it needs.
Filter = Callable[[Program, float], Verified]
# What fixes that others offer show of the stage's head within so many seconds; `None` where these do not suffice.
Holes = Callable[[Stage, float], OfferedRuns]


@dataclass(frozen=True, slots=True)
class RejectedChange:
    """What was judged, and the review that rejects it and does not contradict itself."""

    subject: PatchSubject
    review: PatchReview


def put_to_the_test(
    stage: Stage,
    rejected: RejectedChange,
    verify: Filter,
    stood: HeadTrial,
    *,
    stepper: Stepper | None = None,
    attempts: int = 1,
    namer: RejectionNamer | None = None,
) -> HeadTrial:
    """Make a fix and execute it beside the change, which stood like that by itself. Never raises for what models say
    and programs do.

    The review's own fix is tried where it offers one that fits, else that of the agent, for which `stepper` chooses the
    steps. All of it ends within `RUNS` times what one run of the tests may take.
    """
    end = time.monotonic() + RUNS * stage.seconds
    subject, review = rejected.subject, rejected.review
    made, fix = None, _offered(stage, review.fix)
    if fix is None and stepper is not None:
        made = repair(
            *(stage.executor, stage.original, stage.suite, Task(subject, review.claims), stepper),
            attempts=attempts,
            seconds=FOR_MENDING * stage.seconds,
            run_seconds=stage.seconds,
        )
        fix = _with(stage.head, {path: text.encode() for path, text in made.files.items()}) if made.files else None
    if fix is None:
        # Nothing could be run against the rejection: it is neither lifted nor confirmed.
        if made is None:
            return stood
        nothing = FilterFacts(no_fix=made.problem or "No fix was made.", fix_agent_agrees=made.says_right)
        return replace(stood, verified=decide(nothing), repair=made)
    verified = verify(fix, end - time.monotonic())
    named = namer.named(subject.issue, said(review)) if namer and verified.decision is Decision.ACCEPT else None
    return replace(
        stood,
        verified=verified,
        repair=made,
        fix=unified(changed_files(stage.head, fix)) if verified.fix_is_right else "",
        named=None if isinstance(named, NoJudgement) else named,
    )


def rejection(subject: PatchSubject, review: PatchReview | None) -> RejectedChange | None:
    """What there is to put to the test; nothing where the review accepts, or contradicts itself."""
    return RejectedChange(subject, review) if review and review.counts else None


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


@dataclass(frozen=True, slots=True)
class Terms:
    """What a change is held against. policy: the base's. specification: what was asked for, from strangers; empty when
    nobody but the author said it. examples: its own, as calls. review: what a reviewer wrote. answers: what maintainers
    answered under this specification.
    """

    policy: Policy
    specification: str = ""
    examples: tuple[SpecTest, ...] = ()
    review: str = ""
    answers: tuple[Ruling, ...] = ()


def executed(
    stage: Stage | EnvironmentProblem | Conflict | str,
    terms: Terms,
    models: Models | None,
    rejected: RejectedChange | None = None,
    *,
    examples: Callable[[Stage], ExampleRuns] = lambda stage: ExampleRuns(),
    holes: Holes | None = None,
) -> HeadTrial:
    """How the change on the stage stands, what becomes of its rejection, and of what its issue shows; or why there is
    no stage. Never raises for what models say and programs do. examples: runs those of the issue. holes: runs fixes
    that others offer, where there are any; never in the time of what judges by itself."""
    shown = examples(stage) if isinstance(stage, Stage) else ExampleRuns()
    verify, begun = terms.policy.verify, time.monotonic()
    stood = stand_on(
        stage,
        specification=terms.specification,
        claims=rejected.review.runnable if rejected else (),
        jury=jury_of(models, verify),
        seconds=verify.timeout,
    )
    stood = replace(stood, examples=shown, without_model=models is None and isinstance(stage, Stage))
    if holes and isinstance(stage, Stage) and shown.misses:
        stood = _with_holes(stage, stood, holes, verify.timeout - (time.monotonic() - begun))
    if rejected is None or not isinstance(stage, Stage):
        return stood
    return put_to_the_test(
        stage,
        rejected,
        filter_on(stage, replace(terms, review=said(rejected.review)), models, stood.patch),
        stood,
        stepper=models.stepper if models else None,
        attempts=terms.policy.pulls.attempts,
        namer=models.namer if models else None,
    )


def _with_holes(stage: Stage, stood: HeadTrial, holes: Holes, seconds: float) -> HeadTrial:
    """With what the fixes of others show in their share of what is left."""
    found, patch = holes(stage, OFFERED.share * seconds), stood.patch
    if found.late and patch:
        patch = replace(patch, unfinished=(*patch.unfinished, OFFERED.told))
    return replace(stood, holes=found.holes, patch=patch)


def filter_on(stage: Stage, terms: Terms, models: Models | None, patch: PatchEvidence | None = None) -> Filter:
    """The filter for fixes of the stage's change. patch: what its trial says, where there was one."""
    verify, base = terms.policy.verify, stage.base

    @cache
    def red() -> frozenset[str]:
        ran = patch.facts.base if patch else run_suite(stage.executor, base.program, base.suite, seconds=stage.seconds)
        return frozenset(each.name for each in ran.failing)

    def own(tests: Set[str]) -> frozenset[str]:
        old, new = (Bodies(partial(_text_of_tests, each)) for each in (base.program, stage.head))
        return frozenset(test for test in tests if is_another(old, new, test))

    given = RejectedProgram(
        stage.executor,
        stage.original,
        stage.suite,
        specification=terms.specification,
        examples=terms.examples,
        review=terms.review,
        test_writers=models.writers if models else (),
        jury=jury_of(models, verify),
        reviewer=models.reviewer if models else None,
        answers=terms.answers,
        base=base,
        patch=patch,
        red=red,
        own=own,
        rounds=verify.rounds,
    )

    def run(fix: Program, seconds: float) -> Verified:
        steady = as_before(fix, base.program, stage.suite)
        return verify_fix(replace(given, seconds=max(min(stage.seconds, seconds), LEAST)), steady)

    return run


def _text_of_tests(program: Program, path: str) -> bytes | None:
    """A file that tests are made of: what they call of the product is no part of them."""
    return content(program, path) if is_test_by_path(path) or steers_pytest(path) else None


def jury_of(models: Models | None, verify: Verify) -> BlindJury:
    """Who is asked blind; nobody without a model."""
    return BlindJury(models.blind[: verify.blind_judges]) if models else NOBODY
