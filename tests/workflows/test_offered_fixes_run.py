"""Fixes that others offer beside an agent's pull request, the whole way: all but GitHub is real."""

from collections.abc import Iterator

import pytest

from bot.pulls.result import restored
from bot.verification.patch_evidence import Hole
from tests.support.databases import Databases
from tests.support.github import KEY
from tests.workflows.house import House
from tests.workflows.test_gate import AGENT, check
from tests.workflows.test_offered_fixes import RABBIT, RIGHT, RIVAL, SUGGESTION, TILL, WRONG, asked, propose

POLICY = "mode: enforce\nissues: {enabled: false}\nverify:\n  setup: []\n  test: pytest\n"


@pytest.fixture(scope="module")
def kitchen(databases: Databases) -> Iterator[House]:
    """Where everything runs."""
    house = House(databases.migrated(), KEY, {"judge": "offline"})
    yield house
    house.close()


def told_of(house: House, repo: str, number: int) -> tuple[Hole, ...]:
    gate = house.services.gates.get(house.github.repo(repo).id, number)
    assert gate is not None
    return restored(gate.judged).facts.trial.holes


def judged(house: House, head: str, offer: str, *, rival: bool) -> tuple[str, int]:
    """An agent's pull request beside a rival, or a bot's suggestion that comes after it."""
    repo, issue = asked(house, POLICY)
    if rival:
        propose(house, repo, issue, offer, RIVAL)
    number = propose(house, repo, issue, head, AGENT)
    if not rival:
        line = offer.rstrip().rpartition("\n")[2]
        house.github.review(
            repo,
            number,
            "",
            remarks=[{**SUGGESTION, "body": f"Wrong.\n```suggestion\n{line}\n```"}],
            state="commented",
            by=RABBIT,
        )
        house.settle(240)
    return repo, number


@pytest.mark.parametrize("rival", [True, False], ids=["a rival", "a suggestion"])
def test_an_example_that_only_the_offered_fix_meets_goes_to_a_person(kitchen: House, rival: bool) -> None:
    repo, number = judged(kitchen, WRONG, RIGHT, rival=rival)
    conclusion, title = check(kitchen, repo, number)
    assert conclusion == "action_required" and "does not hold with this change" in title, title
    found = told_of(kitchen, repo, number)
    assert [(each.call, each.given, each.wanted) for each in found] == [
        ("slug('A b')", "'a b'", "'a-b'"),
        ("slug('C d e')", "'c d e'", "'c-d-e'"),
    ]
    assert all(each.url.startswith(f"{kitchen.settings.github_web_url}/{repo}/pull/") for each in found)


@pytest.mark.parametrize("rival", [True, False], ids=["a rival", "a suggestion"])
@pytest.mark.parametrize(
    "offer",
    [WRONG, f"{TILL}\n\ndef slug(text):\n    return {{'A b': 'a b'}}[text]\n", TILL + "\n\n\nimport os; os._exit(0)\n"],
    ids=["wrong", "against the issue", "ends every run"],
)
def test_no_fix_of_a_stranger_holds_a_right_change(kitchen: House, offer: str, rival: bool) -> None:
    repo, number = judged(kitchen, RIGHT, offer, rival=rival)
    assert told_of(kitchen, repo, number) == ()
    assert check(kitchen, repo, number)[0] == "success"


def test_a_twin_does_not_speak_for_a_change(kitchen: House) -> None:
    """The same verdict as alone, whatever agrees with it."""
    repo, issue = asked(kitchen, POLICY)
    alone = propose(kitchen, repo, issue, WRONG, AGENT)
    before = check(kitchen, repo, alone)
    kitchen.github.open_pull(repo, "Add slug() too", {"till.py": f"{WRONG}# twin\n"}, body=f"Fixes #{issue}", by="twin")
    kitchen.settle(240)
    kitchen.say(repo, alone, "/bouncer recheck", by="maintainer")
    kitchen.settle(240)
    assert check(kitchen, repo, alone) == before
