"""Neither a stack of pull requests nor the checks of other Apps make many calls of one event."""

from lab.benchmarks.amplification import an_hour
from tests.workflows.house import House

MOST_A_HEAD = 9  # so 25 pull requests may be rebased eight times an hour within 2,000 calls


def test_a_stack_that_is_rebased_stays_within_its_calls(house: House) -> None:
    counted = an_hour(house, pulls=3, checks=2, restacks=2)
    assert counted.foreign > 3 * 3 * 2, "there were checks"
    assert counted.stored == 0, "the web process drops them"
    heads = 3 * 3
    assert 0 < counted.calls.total() <= MOST_A_HEAD * heads, counted.calls
    route = "/repos/{owner}/{repo}/contents/{path}"
    moments = 3  # at each of which the repository's own policy is asked for afresh
    assert counted.calls["GET", route] <= heads + moments, "the policy of a commit is read once"
