"""A test that disagrees with itself says nothing of the program."""

from dataclasses import replace

from bot.sandbox.protocol import Executor
from bot.verification.testing.run import DEFAULT_SECONDS, run_suite
from bot.verification.values import Program, Suite, TestRun, TestStatus


def run_steadily(executor: Executor, program: Program, suite: Suite, *, seconds: float = DEFAULT_SECONDS) -> TestRun:
    """Run the suite twice, the second time in the opposite order with other hash seeds. Never raises.

    seconds: for both runs together.
    """
    first = run_suite(executor, program, suite, seconds=seconds / 2)
    if first.problem:
        return first
    second = run_suite(executor, program, suite, seconds=max(seconds - first.seconds, seconds / 2), reverse=True)
    return both(first, second)


def both(first: TestRun, second: TestRun) -> TestRun:
    """The first run, with what the second one disagrees on marked flaky. A problem of either is one of both."""
    again = {result.name: result.status for result in second.results}
    bad = {TestStatus.FAILED, TestStatus.ERROR, TestStatus.TIMEOUT}

    def same(one: TestStatus, other: TestStatus | None) -> bool:
        return one is other or (one in bad and other in bad)

    results = [
        result
        if second.problem or same(result.status, again.get(result.name))
        else replace(
            result,
            status=TestStatus.FLAKY,
            message=f"{result.status.value} first, then {again.get(result.name, 'not there')} in another order",
        )
        for result in first.results
    ]
    return replace(
        first,
        results=tuple(results),
        seconds=round(first.seconds + second.seconds, 3),
        problem=first.problem or second.problem,
        unavailable=first.unavailable or second.unavailable,
    )
