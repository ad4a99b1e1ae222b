"""What a judged issue or pull request costs in GitHub API calls is what `lab.benchmarks.api_calls` promises."""

import pytest

from lab.benchmarks.api_calls import CASES, PULL_CASES, Case, count
from tests.workflows.house import House


@pytest.mark.parametrize("case", (*CASES, *PULL_CASES), ids=lambda case: case.name)
def test_calls_stay_few(house: House, case: Case) -> None:
    calls = count(house, case)
    assert calls, "something was counted"
    assert len(calls) <= case.most, calls
    searches = [call for call in house.github.traffic.exchanges if call.route == "/search/issues"]
    assert len(searches) <= 1, "it is counted apart, by GitHub too"
