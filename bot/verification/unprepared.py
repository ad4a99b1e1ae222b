"""What becomes of a rejection whose program could not be set up. Pure."""

from bot.verification.cases import FilterFacts, decide
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.values import TestResult, TestRun, TestStatus, Verified


def unprepared(problem: EnvironmentProblem) -> Verified:
    """Nothing could run. The line of setup that failed stands as what failed, with the end of what it printed."""
    said = (TestResult(problem.command, TestStatus.ERROR, problem.output),) if problem.command else ()
    nothing = TestRun((), 0.0, problem.reason, unavailable=True)
    return decide(FilterFacts(original=TestRun(said, 0.0, problem.reason, unavailable=True), fix=nothing))
