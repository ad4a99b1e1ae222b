"""An accepted patch is tested as well: what it repairs, what it breaks, and what it takes away from the tests.

A patch that passes all of this is *plausible*, never valid: tests cannot show that nothing is wrong.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from bot.sandbox.protocol import Executor
from bot.verdicts import Decision
from bot.verification.programs import changed_files
from bot.verification.testing.compare import RunComparison, compare_runs
from bot.verification.testing.run import run_suite
from bot.verification.testing.steady import both
from bot.verification.values import (
    Base,
    PatchEvidence,
    PatchFacts,
    Program,
    Standing,
    Suite,
    TestRun,
    TestStatus,
    Verified,
)
from bot.verification.weakening import is_test_file, weakened


def check_patch(
    executor: Executor,
    base: Base,
    head: Program,
    suite: Suite,
    reproduction: Suite | None = None,
    *,
    seconds: float = 120.0,
) -> PatchEvidence:
    """Run the base's tests on base and head, and the reproduction on both, and say how the patch stands.

    suite: the head's own tests and its environment; they run where a test of the base's no longer passes. The base's
    version of every test file is laid over the head, so that a patch cannot bring its own verdict.
    """
    started = time.monotonic()
    changed = {path: both for path, both in changed_files(base.program, head).items() if is_test_file(path)}
    old = {path: before for path, (before, _) in changed.items()}
    new = {path: after for path, (_, after) in changed.items()}
    judged = Program(head.tree, {**head.files, **{path: text for path, text in old.items() if text is not None}})
    of_base = replace(base.suite, environment=suite.environment)

    def run(program: Program, tests: Suite, *, reverse: bool = False) -> TestRun:
        left = max(started + seconds - time.monotonic(), 1.0)
        return run_suite(executor, program, tests, seconds=left, reverse=reverse)

    with ThreadPoolExecutor(max_workers=2) as pool:
        pair = pool.submit(run, base.program, base.suite), pool.submit(run, judged, of_base)
        before, after = (each.result() for each in pair)
        own = after
        if _lost(compare_runs(before, after)):
            again = (
                pool.submit(run, base.program, base.suite, reverse=True),
                pool.submit(run, judged, of_base, reverse=True),
            )
            before, after = both(before, again[0].result()), both(after, again[1].result())
            own = run(head, suite) if changed else after
        shown: list[TestRun | None] = [None, None]
        if reproduction:
            others = replace(reproduction, environment=base.suite.environment)
            runs = pool.submit(run, base.program, others), pool.submit(run, judged, reproduction)
            shown = [each.result() for each in runs]
    evidence = judge_patch(PatchFacts(before, after, own, shown[0], shown[1], weakened(old, new)))
    return replace(evidence, seconds=time.monotonic() - started)


def backed(verified: Verified, evidence: PatchEvidence) -> Verified:
    """The answer to a rejection that was to be lifted, with what tests say of the patch itself.

    A regression keeps the patch back, whatever the reviewer's fix was worth; a reproduction that fails on both leaves
    the matter open, since no program at hand shows that it can be met.
    """
    said = tuple(evidence.reasons)
    decision = verified.decision
    if evidence.regressions:
        decision = Decision.BOUNCE
    elif evidence.standing is Standing.IMPLAUSIBLE:
        decision = Decision.UNAVAILABLE
    elif evidence.standing is Standing.PLAUSIBLE:
        said = (*said, "So the patch is plausible, which is all that tests can show.")
    worse = decision is not verified.decision
    reasons = (*said, *verified.reasons) if worse else (*verified.reasons, *said)
    return replace(verified, decision=decision, reasons=reasons, patch=evidence)


def _lost(kept: RunComparison) -> set[str]:
    """Tests that passed and no longer do. Where a run broke off, only what really failed in it."""
    failed = {result.name for result in kept.regressions}
    return failed if kept.problem else {*failed, *kept.removed, *kept.skipped}


def _unavailable(facts: PatchFacts) -> TestRun | None:
    return next((run for run in (facts.base, facts.head, facts.own) if run.unavailable), None)


def judge_patch(facts: PatchFacts) -> PatchEvidence:
    """How the patch stands. A test that is flaky in any of the runs counts for nobody, and so does one that did not
    come to run.
    """
    kept = compare_runs(facts.base, facts.head)
    flaky = {*kept.flaky, *compare_runs(facts.base, facts.own).flaky}
    lost = set() if _unavailable(facts) else _lost(kept) - flaky
    rewritten = lost & {result.name for result in facts.own.results if result.status is TestStatus.PASSED}
    regressions = lost - rewritten
    repaired = set(kept.fixed) - flaky
    against, open_, for_ = _reasons(facts, len(regressions), len(rewritten), len(repaired))
    standing = Standing.IMPLAUSIBLE if against else Standing.OPEN if open_ else Standing.PLAUSIBLE
    less = [f"It takes something away from {_count(len(facts.weakened), 'test')}."] if facts.weakened else []
    return PatchEvidence(
        standing,
        (*against, *open_, *less, *for_),
        facts,
        tuple(sorted(regressions)),
        tuple(sorted(rewritten)),
        tuple(sorted(repaired)),
    )


def _reasons(
    facts: PatchFacts, regressions: int, rewritten: int, repaired: int
) -> tuple[list[str], list[str], list[str]]:
    """What speaks against the patch, what keeps it open, and what speaks for it."""
    against, open_, for_ = [], [], []
    if unavailable := _unavailable(facts):
        return [], [unavailable.problem or "The tests could not be run."], []
    if regressions:
        against.append(
            f"{_count(regressions, 'test')} passed before the patch and no longer {_do(regressions, 'pass')}."
        )
    elif facts.base.problem or facts.head.problem:
        open_.append("The tests did not come to their end, before the patch or with it.")
    elif any(result.status is TestStatus.PASSED for result in facts.base.results):
        for_.append("Every test that passed before the patch still passes.")
    else:
        open_.append("No test passes before the patch, so none can show what it breaks.")
    if rewritten:
        open_.append(f"{_count(rewritten, 'test')} {_do(rewritten, 'pass')} only in the version that the patch brings.")
    before, after = facts.reproduction_base, facts.reproduction_head
    if before and after:
        if before.unavailable or after.unavailable:
            open_.append("The reproduction of the issue could not be run.")
        elif not before.failing:
            open_.append("The reproduction does not fail before the patch, so it does not show the issue.")
        elif not after.passed:
            against.append("The reproduction of the issue still fails with the patch.")
        else:
            for_.append("The reproduction of the issue fails before the patch and passes with it.")
    if repaired:
        for_.append(f"{_count(repaired, 'test')} failed before the patch and {_do(repaired, 'pass')} with it.")
    return against, open_, for_


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _do(number: int, verb: str) -> str:
    return f"{verb}es" if number == 1 else verb
