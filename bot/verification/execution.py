"""A change is executed: by itself, and beside a fix where it was rejected. For the gate and the command line alike."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from bot.judges.code import SpecTest
from bot.judges.factory import Models
from bot.policy import Policy, Verify
from bot.verification.blind import NOBODY, BlindJury
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.filter import LEAST, RejectedProgram, verify_fix
from bot.verification.patch_evidence import ExampleRuns, PatchEvidence
from bot.verification.questions import Ruling
from bot.verification.rejected import Executed, Filter, RejectedChange, put_to_the_test
from bot.verification.stage import Conflict, Stage
from bot.verification.standing import stand_on
from bot.verification.steering import as_before
from bot.verification.testing.run import run_suite
from bot.verification.values import Program
from bot.verification.verified import Verified


@dataclass(frozen=True, slots=True)
class Terms:
    """What a change is held against. policy: the base's. specification: what was asked for, from strangers; empty when
    nobody but the author said it. examples: its own, as calls. review: what the reviewer wrote. claims: its
    counterexamples, where it stated any that can be run. answers: what maintainers answered under this specification.
    """

    policy: Policy
    specification: str = ""
    examples: tuple[SpecTest, ...] = ()
    review: str = ""
    claims: tuple[SpecTest, ...] = ()
    answers: tuple[Ruling, ...] = ()


def executed(
    stage: Stage | EnvironmentProblem | Conflict | str,
    terms: Terms,
    models: Models | None,
    rejected: RejectedChange | None = None,
    *,
    examples: Callable[[Stage], ExampleRuns] = lambda stage: ExampleRuns(),
) -> Executed:
    """How the change on the stage stands, what becomes of its rejection, and of what its issue shows; or why there is
    no stage. Never raises for what models say and programs do. examples: runs those of the issue."""
    shown = examples(stage) if isinstance(stage, Stage) else ExampleRuns()
    verify = terms.policy.verify
    stood = stand_on(
        stage,
        specification=terms.specification,
        claims=terms.claims,
        jury=jury_of(models, verify),
        seconds=verify.timeout,
    )
    without = models is None and isinstance(stage, Stage)
    if rejected is None or not isinstance(stage, Stage):
        return Executed(stood, examples=shown, without_model=without)
    tried = put_to_the_test(
        stage,
        rejected,
        filter_on(stage, terms, models, stood.patch),
        stepper=models.stepper if models else None,
        attempts=terms.policy.pulls.attempts,
        namer=models.namer if models else None,
    )
    return Executed(stood, tried, shown, without)


def filter_on(stage: Stage, terms: Terms, models: Models | None, patch: PatchEvidence | None = None) -> Filter:
    """The filter for fixes of the stage's change. patch: what its trial says, where there was one."""
    verify, base = terms.policy.verify, stage.base

    @cache
    def red() -> frozenset[str]:
        ran = patch.facts.base if patch else run_suite(stage.executor, base.program, base.suite, seconds=stage.seconds)
        return frozenset(each.name for each in ran.failing)

    given = RejectedProgram(
        stage.executor,
        stage.original,
        stage.suite,
        specification=terms.specification,
        examples=terms.examples,
        review=terms.review,
        test_writer=models.writer if models else None,
        jury=jury_of(models, verify),
        reviewer=models.reviewer if models else None,
        answers=terms.answers,
        base=base,
        patch=patch,
        red=red,
        rounds=verify.rounds,
    )

    def run(fix: Program, seconds: float) -> Verified:
        steady = as_before(fix, base.program, stage.suite)
        return verify_fix(replace(given, seconds=max(min(stage.seconds, seconds), LEAST)), steady)

    return run


def jury_of(models: Models | None, verify: Verify) -> BlindJury:
    """Who is asked blind; nobody without a model."""
    return BlindJury(models.blind, verify.blind_judges) if models else NOBODY
