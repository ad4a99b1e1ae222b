"""The table of what ran, and what its rows say."""

from dataclasses import replace

from bot.verification.trial.outcomes import Row, both, failures, lost, table
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.support.cases import cases

FINDINGS = ("disagrees", "repaired", "own_failing", "unsteady")


def run(problem: str = "", **statuses: str) -> TestRun:
    results = tuple(TestResult(name, TestStatus(status)) for name, status in statuses.items())
    return TestRun(results, 1.0, problem)


@cases
def test_what_a_row_says(row: Row, says: frozenset[str]) -> None:
    found = {"lost"} if row.lost() else set[str]()
    assert found | {each for each in FINDINGS if getattr(row, each)} == says


@cases
def test_what_ends_otherwise_by_the_changes_own_settings(row: Row, unlike: bool) -> None:
    assert row.unlike is unlike


@cases
def test_what_two_runs_lose(base: dict[str, str], head: dict[str, str], gone: frozenset[str]) -> None:
    before, after = run(**base), run(**head)
    assert lost(before, after) == gone
    # Of a run that broke off only what really failed counts.
    failed = gone & {each.name for each in after.failing}
    assert lost(before, replace(after, problem="It broke off.")) == set(failures(before, after)) == failed


def test_a_row_has_what_each_run_says_of_its_test() -> None:
    rows = table(base=run(a="passed", b="failed"), head=run(b="passed"), as_pushed=None)
    assert rows == {"a": Row(base=TestStatus.PASSED), "b": Row(base=TestStatus.FAILED, head=TestStatus.PASSED)}


def test_a_test_that_disagrees_with_itself_is_flaky_and_neither_passes_nor_fails() -> None:
    joined = both(
        run(sure="passed", shaky="passed", sad="failed", worse="failed", lost="passed"),
        run(sure="passed", shaky="failed", sad="passed", worse="timeout"),
    )
    statuses = {result.name: result.status.value for result in joined.results}
    assert statuses == {"sure": "passed", "shaky": "flaky", "sad": "flaky", "worse": "failed", "lost": "flaky"}
    assert [result.name for result in joined.failing] == ["worse"]
    assert joined.results[1].message == "passed first, then failed in another order"
    assert joined.seconds == 2.0
    assert not both(run(a="passed"), run(a="failed")).passed


def test_a_problem_of_the_second_run_is_one_of_both() -> None:
    joined = both(run(a="passed"), run("the report is forged: x"))
    assert joined.problem == "the report is forged: x"
    assert joined.results[0].status is TestStatus.PASSED
