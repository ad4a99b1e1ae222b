"""What changed from one run of a suite to another. Pure."""

from dataclasses import dataclass, replace

from bot.verification.values import BAD, TestResult, TestRun, TestStatus


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Base against head, each test in one field at most; in the order of the run it is taken from.

    regressions: passed on the base, speak against the head. fixed: the other way round.
    removed: passed on the base and are not in the head's run. skipped: passed on the base, skipped on the head.
    flaky: disagreed with themselves on either side, so nothing follows from them.
    problem: why one of the runs cannot be trusted; then nothing may be concluded from the other fields.
    """

    regressions: tuple[TestResult, ...] = ()
    fixed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    problem: str = ""


def compare_runs(base: TestRun, head: TestRun) -> RunComparison:
    """Compare two runs of the same suite by test name."""
    before = {result.name: result for result in base.results}
    after = {result.name: result for result in head.results}
    flaky = {r.name for r in (*base.results, *head.results) if r.status is TestStatus.FLAKY}
    bad_before = {result.name for result in base.failing} - flaky
    bad_after = {result.name for result in head.failing} - flaky
    good_before, good_after = base.passing.keys() - flaky, head.passing.keys() - flaky
    return RunComparison(
        regressions=tuple(after[name] for name in after if name in good_before & bad_after),
        fixed=tuple(name for name in after if name in bad_before & good_after),
        removed=tuple(name for name in before if name in good_before and name not in after),
        skipped=tuple(name for name in after if name in good_before and after[name].status is TestStatus.SKIPPED),
        flaky=tuple(name for name in {**before, **after} if name in flaky),
        problem="; ".join(
            f"on the {side}: {run.problem}" for side, run in (("base", base), ("head", head)) if run.problem
        ),
    )


def both(first: TestRun, second: TestRun) -> TestRun:
    """The first run, with what the second one disagrees on marked flaky. A problem of either is one of both."""
    again = {result.name: result.status for result in second.results}

    def same(one: TestStatus, other: TestStatus | None) -> bool:
        return one is other or (one in BAD and other in BAD)

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
