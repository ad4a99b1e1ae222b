"""Tests that were hidden from a change's author, on one commit, in the sandbox."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from bot.already_fixed.revisions import RevisionSource, tree
from bot.policy import Verify
from bot.sandbox.protocol import Executor
from bot.settings import Settings
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import prepare
from bot.verification.testing.run import run_suite
from bot.verification.values import Program, TestResult, TestStatus

SECONDS = 600.0
FIXED, NOT_FIXED, NOTHING = "fixed", "not fixed", "nothing"


def says(results: Collection[TestResult]) -> str:
    """`fixed` where all of them pass, `not fixed` where one does not, `nothing` without any."""
    if not results:
        return NOTHING
    return FIXED if all(result.status is TestStatus.PASSED for result in results) else NOT_FIXED


def hidden_tests(
    directory: Path,
    sha: str,
    owner: str,
    policy: Verify,
    files: Mapping[str, bytes],
    tests: Sequence[str],
    executor: Executor,
    settings: Settings,
) -> tuple[TestResult, ...]:
    """What they said; none where nothing could be run.

    directory: git's. owner: whose environments may be shared. files: laid over the commit's. tests: as pytest names
    them; without any, all of the commit's.
    """
    with tree(RevisionSource(directory, sha), sha) as place:
        prepared = prepare(executor, Program(place, {}), None, policy, settings, owner=owner)
        if isinstance(prepared, EnvironmentProblem):
            return ()
        with prepared:
            suite = prepared.suite(prepared.base, files, tuple(tests))
            run = run_suite(executor, prepared.base.program, suite, seconds=SECONDS)
    return () if run.problem else run.results
