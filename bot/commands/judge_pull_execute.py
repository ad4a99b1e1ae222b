"""How `bouncer judge pull` executes a change: by itself, and beside a fix for it where it was rejected."""

from bot.commands.judge_pull_input import Proposed
from bot.commands.runner import runner
from bot.judges.factory import make_code_judges, make_namer, make_stepper
from bot.judges.patches import PatchSubject
from bot.judges.reviews import PatchReview
from bot.judges.spend import Spend
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities
from bot.settings import Settings
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.filter import FilterLimits, verify_fix
from bot.verification.rejected import Executed, Filter, Rejected, put_to_the_test, said
from bot.verification.stage import Stage, staged
from bot.verification.standing import Stood, stand_on
from bot.verification.values import Program, Suite, Verified


def execute(
    proposed: Proposed, subject: PatchSubject, review: PatchReview | None, settings: Settings, spend: Spend
) -> Executed:
    """As the gate does. Never raises for what models say and programs do."""
    executor = choose(settings, runner(settings))
    if isinstance(executor, Capabilities):
        return Executed(Stood(problem=f"Nothing may run here: {executor.problem}"))
    before, after, verify = proposed.before, proposed.after, proposed.policy.verify
    with staged(executor, before, after, verify, settings, owner=proposed.owner) as stage:
        return _executed(stage, proposed, subject, review, settings, spend)


def _executed(
    stage: Stage | EnvironmentProblem,
    proposed: Proposed,
    subject: PatchSubject,
    review: PatchReview | None,
    settings: Settings,
    spend: Spend,
) -> Executed:
    stood = stand_on(
        stage,
        specification=proposed.wanted.specification,
        claims=review.runnable if review else (),
        seconds=proposed.policy.verify.timeout,
    )
    if isinstance(stage, EnvironmentProblem) or review is None or not (review.rejects and review.consistent):
        return Executed(stood)
    tried = put_to_the_test(
        stage,
        Rejected(subject, review),
        _filter(stage, proposed, review, settings, spend),
        stepper=make_stepper(settings, spend),
        attempts=proposed.policy.pulls.attempts,
        namer=make_namer(settings, spend),
    )
    return Executed(stood, tried)


def _filter(stage: Stage, proposed: Proposed, review: PatchReview, settings: Settings, spend: Spend) -> Filter:
    judges, policy = make_code_judges(settings, spend), proposed.policy.verify

    def run(fix: Program, suite: Suite, seconds: float) -> Verified:
        return verify_fix(
            stage.executor,
            stage.original,
            fix,
            suite,
            specification=proposed.wanted.specification,
            review=said(review),
            test_writer=judges.writer if judges else None,
            blind=judges.blind if judges else None,
            reviewer=judges.reviewer if judges else None,
            base=stage.base,
            limits=FilterLimits(overall=seconds, rounds=policy.rounds, blind_judges=policy.blind_judges),
        )

    return run
