"""An accepted patch is tested as well: what it repairs, what it breaks, and what it takes away from the tests.

A patch that passes all of this is *plausible*, never valid: tests cannot show that nothing is wrong.
"""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.sandbox.protocol import Executor
from bot.verification.programs import changed_files
from bot.verification.testing.compare import compare_runs
from bot.verification.testing.run import run_suite
from bot.verification.values import Program, Suite, TestRun, TestStatus
from bot.verification.weakening import Weakening, is_test_file, weakened


class Standing(StrEnum):
    """How a patch stands after the tests."""

    PLAUSIBLE = "plausible"  # nothing that ran speaks against it
    IMPLAUSIBLE = "implausible"  # something that ran does
    OPEN = "open"  # nothing can be concluded


@dataclass(frozen=True, slots=True)
class PatchFacts:
    """The runs. base: the base's tests on the base. head: the base's tests on the head. own: the head's own
    tests on it.

    reproduction_*: the reproduction of the issue, where there is one. weakened: what the patch takes from the tests.
    """

    base: TestRun
    head: TestRun
    own: TestRun
    reproduction_base: TestRun | None = None
    reproduction_head: TestRun | None = None
    weakened: tuple[Weakening, ...] = ()


@dataclass(frozen=True, slots=True)
class PatchEvidence:
    """What the tests say of a patch. `reasons` in Bouncer's own words, most important first; names come from strangers.

    regressions: tests that pass on the base and not on the head, though the patch left them as they are.
    rewritten: tests whose version of the base fails on the head, and the patch's own version passes.
    repaired: tests that fail on the base and pass on the head.
    """

    standing: Standing
    reasons: tuple[str, ...]
    facts: PatchFacts
    regressions: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()
    seconds: float = 0.0


def check_patch(
    executor: Executor,
    base: Program,
    head: Program,
    suite: Suite,
    reproduction: Suite | None = None,
    *,
    seconds: float = 120.0,
) -> PatchEvidence:
    """Run the tests of base and head, and the reproduction on both, and say how the patch stands.

    The base's version of every test file is laid over the head, so that a patch cannot bring its own verdict.
    """
    started = time.monotonic()
    changed = {path: both for path, both in changed_files(base, head).items() if is_test_file(path)}
    old = {path: before for path, (before, _) in changed.items()}
    new = {path: after for path, (_, after) in changed.items()}
    judged = Program(head.tree, {**head.files, **{path: text for path, text in old.items() if text is not None}})
    with ThreadPoolExecutor(max_workers=2) as pool:

        def run(program: Program, tests: Suite) -> Future[TestRun]:
            return pool.submit(run_suite, executor, program, tests, seconds=seconds / 2)

        before, after, own = run(base, suite), run(judged, suite), run(head, suite)
        shown = (run(base, reproduction), run(judged, reproduction)) if reproduction else None
        facts = PatchFacts(
            base=before.result(),
            head=after.result(),
            own=own.result(),
            reproduction_base=shown[0].result() if shown else None,
            reproduction_head=shown[1].result() if shown else None,
            weakened=weakened(old, new),
        )
    evidence = judge_patch(facts)
    return replace(evidence, seconds=time.monotonic() - started)


def judge_patch(facts: PatchFacts) -> PatchEvidence:
    """How the patch stands. A test that is flaky in any of the runs counts for nobody."""
    kept = compare_runs(facts.base, facts.head)
    flaky = {*kept.flaky, *compare_runs(facts.base, facts.own).flaky}
    lost = {*(result.name for result in kept.regressions), *kept.removed, *kept.skipped} - flaky
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
    unavailable = next((run for run in (facts.base, facts.head, facts.own) if run.unavailable), None)
    if unavailable:
        return [], [unavailable.problem or "The tests could not be run."], []
    if regressions:
        against.append(
            f"{_count(regressions, 'test')} passed before the patch and no longer {_do(regressions, 'pass')}."
        )
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
