from bot.verification.testing.compare import both, compare_runs
from bot.verification.values import TestResult, TestRun, TestStatus

PASSED, FAILED, ERROR = TestStatus.PASSED, TestStatus.FAILED, TestStatus.ERROR
SKIPPED, FLAKY, TIMEOUT = TestStatus.SKIPPED, TestStatus.FLAKY, TestStatus.TIMEOUT


def run(problem: str = "", **statuses: TestStatus) -> TestRun:
    return TestRun(tuple(TestResult(name, status) for name, status in statuses.items()), 1.0, problem)


def test_each_test_is_compared_by_its_name() -> None:
    base = run(
        same=PASSED, broke=PASSED, slow=PASSED, mended=FAILED, still=ERROR, gone=PASSED, hushed=PASSED, shaky=PASSED
    )
    head = run(
        same=PASSED, broke=FAILED, slow=TIMEOUT, mended=PASSED, still=FAILED, new=ERROR, hushed=SKIPPED, shaky=FLAKY
    )
    compared = compare_runs(base, head)
    assert [result.name for result in compared.regressions] == ["broke", "slow"]
    assert compared.fixed == ("mended",)
    assert compared.removed == ("gone",)
    assert compared.skipped == ("hushed",)
    assert compared.flaky == ("shaky",)
    assert compared.problem == ""


def test_a_run_that_cannot_be_trusted_is_named() -> None:
    compared = compare_runs(run(a=PASSED), run("ended after 1 of 2 tests", a=PASSED))
    assert compared.problem == "on the head: ended after 1 of 2 tests"


def test_a_test_that_disagrees_with_itself_is_flaky_and_neither_passes_nor_fails() -> None:
    joined = both(
        run(sure=PASSED, shaky=PASSED, sad=FAILED, worse=FAILED, lost=PASSED),
        run(sure=PASSED, shaky=FAILED, sad=PASSED, worse=TIMEOUT),
    )
    statuses = {result.name: result.status for result in joined.results}
    assert statuses == {"sure": PASSED, "shaky": FLAKY, "sad": FLAKY, "worse": FAILED, "lost": FLAKY}
    assert [result.name for result in joined.failing] == ["worse"]
    assert joined.results[1].message == "passed first, then failed in another order"
    assert joined.seconds == 2.0


def test_flaky_tests_alone_do_not_pass() -> None:
    assert not both(run(a=PASSED), run(a=FAILED)).passed


def test_a_problem_of_the_second_run_is_one_of_both() -> None:
    joined = both(run(a=PASSED), run("the report is forged: x"))
    assert joined.problem == "the report is forged: x"
    assert joined.results[0].status is PASSED
