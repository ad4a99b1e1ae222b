"""What is counted of judged changes."""

from bot.policy_choices import WhenUnproved
from lab.benchmarks.real_pulls import waits_for_a_person
from tests.support.cases import cases


@cases
def test_an_ordinary_change_waits_for_a_person(conclusion: str, rule: str, say: bool, person: bool) -> None:
    answer = {"conclusion": conclusion, "rule": rule}
    told = [waits_for_a_person(answer, policy) for policy in (WhenUnproved.SAY, WhenUnproved.PERSON)]
    assert told == [say, person]
