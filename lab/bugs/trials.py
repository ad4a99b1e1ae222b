"""Whether a fix's own tests show its bug: they fail before it, pass after it, and end the same way each time.

As Passerine's sections II-D and III-C have it: the tests that the patch changes run on the code before the patch and on
that after it, here several times and in several orders.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bot.changes.kinds import is_test_module
from bot.verification.files.code_of_tests import defines_tests
from bot.verification.programs import content
from bot.verification.stage import Stage
from bot.verification.testing.run import run_suite
from bot.verification.testing.sources import file_of
from bot.verification.trial.outcomes import both, failures, table
from bot.verification.trial.own import suite_of
from bot.verification.values import Order, Program, Suite, TestRun
from lab.bugs.candidates import BugCandidate, LeftOut

ROUNDS = 3  # runs on either side: as they come, in the opposite order, in an order drawn by chance
_SEED = 7


@dataclass(frozen=True, slots=True)
class BugTests:
    """What the tests say of a fix. left_out: why it is not kept, `None` where it is. fail_to_pass, pass_to_pass: names
    of tests, sorted. problem: why they cannot be run; strangers' words may stand in it. ours: that is this
    machine's fault, and says nothing of the repository."""

    left_out: LeftOut | None
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    problem: str = ""
    ours: bool = False


def try_tests(stage: Stage, tests: Sequence[str]) -> BugTests:
    """Run the tests at these paths, as the fix has them, on both sides. Never raises for what programs do."""
    before, after = sides(stage, tests)
    run = partial(run_suite, stage.executor, seconds=stage.seconds)
    runs = run(*before), run(*after)
    found = judge_tests(*runs)
    if found.left_out in (LeftOut.NOT_RUN, LeftOut.NONE_TURNS):
        return found
    for order in (Order(reverse=True), Order(seed=_SEED)):
        runs = both(runs[0], run(*before, order=order)), both(runs[1], run(*after, order=order))
    return judge_tests(*runs)


def sides(stage: Stage, tests: Sequence[str]) -> tuple[tuple[Program, Suite], tuple[Program, Suite]]:
    """Program and suite before the patch, with the tests laid over it, and after it."""
    there = {path: content(stage.head, path) for path in tests}
    laid = {path: text for path, text in there.items() if text is not None}
    suite = stage.suite
    if suite.command is None:
        own = tuple(path for path, text in laid.items() if is_test_module(path) and defines_tests(path, text))
        suite = suite_of(own, stage.head, suite) if own else suite
    gone = {path: None for path, text in there.items() if text is None}
    base = stage.base.program
    before = replace(suite, files={**laid, **suite.files}, environment=stage.base.suite.environment)
    return (replace(base, files={**base.files, **gone}), before), (stage.head, suite)


def judge_tests(before: TestRun, after: TestRun) -> BugTests:
    """What the runs on either side say. A test whose file cannot be read before the patch fails there."""
    for run in (before, after):
        if run.problem:
            return BugTests(LeftOut.NOT_RUN, problem=run.problem, ours=run.unavailable)
    if any(row.disagrees for row in table(base=before, head=after).values()):
        return BugTests(LeftOut.FLAKY)
    if failures(before, after):
        return BugTests(LeftOut.FAILS_AFTER)
    red = {result.name for result in before.failing}
    passing = list(after.passing)
    turned = {name for name in passing if name in red or file_of(name) in red}
    if not turned:
        return BugTests(LeftOut.NONE_TURNS)
    known = _passing(before)
    return BugTests(None, tuple(sorted(turned)), tuple(sorted(set(passing) & known)))


def _passing(run: TestRun) -> set[str]:
    return set(run.passing)


def bug_row(repository: str, bug: BugCandidate, tests: BugTests) -> dict[str, Any]:
    """repository: `owner/name`. `as_opened` says whether the text is known to be that of the opening; the first line of
    `problem_statement` is the title."""
    issue = bug.issue
    return {
        "instance_id": f"{repository.replace('/', '__')}-{issue.number}",
        "repo": repository,
        "base_commit": bug.base,
        "created_at": issue.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "problem_statement": f"{issue.title}\n{issue.body}",
        "as_opened": issue.text_known,
        "patch": bug.patch,
        "test_patch": bug.test_patch,
        "FAIL_TO_PASS": list(tests.fail_to_pass),
        "PASS_TO_PASS": list(tests.pass_to_pass),
    }
