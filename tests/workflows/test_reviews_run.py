"""A review of a bot, the whole way: worker, fake GitHub, environment, sandbox and filter are real."""

from collections.abc import Iterator

import pytest

from bot.verdicts import ClaimOutcome
from tests.support.databases import Databases
from tests.support.github import KEY
from tests.workflows.house import House
from tests.workflows.test_reviews import AGENT, COPILOT, HALVES, NITPICK, NO_FIX, SOURCE

TEST = "from half import double\n\n\ndef test_it():\n    assert (double(2), double(5)) == (4, 10)\n"
ASKED = "half(3) gives 1. It should be:\n\n>>> half(3)\n1.5\n"
WORDS = {"path": "half.py", "line": 5, "body": "Say so.\n```suggestion\ndef double(n):  # twice\n```"}
WRONG = {"path": "half.py", "line": 6, "body": "Too little.\n```suggestion\n    return n + n + 1\n```"}


@pytest.fixture(scope="module")
def kitchen(databases: Databases) -> Iterator[House]:
    """Where everything runs."""
    house = House(databases.migrated(), KEY, {"judge": "offline"})
    yield house
    house.close()


def test_right_and_wrong_claims_of_one_review_are_told_apart_by_running_them(kitchen: House) -> None:
    house = kitchen
    policy = "issues: {enabled: false}\nverify:\n  setup: []\n  test: pytest\n"
    repo = house.repository(policy)
    house.github.push(repo, {"half.py": "def double(n):\n    return n + n\n", "test_half.py": TEST})
    issue = house.github.open_issue(repo, "half() drops the rest", ASKED)
    body = f"Fixes #{issue}"
    number = house.github.open_pull(repo, "Add half()", {"half.py": SOURCE}, body=body, by=AGENT)
    house.settle(180)
    house.github.review(
        repo, number, "", remarks=[HALVES, WRONG, NITPICK, NO_FIX, WORDS], state="commented", by=COPILOT
    )
    house.settle(180)
    found = house.services.rejections.newest(house.github.repo(repo).id, number)
    said = {each.remark: each.sentence for each in found}
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    outcomes = {each.remark: each.outcome for each in found}
    assert [outcomes[each.id] for each in pull.reviews[0].remarks] == [
        ClaimOutcome.HELD,
        ClaimOutcome.REFUTED,
        ClaimOutcome.SAME,
        ClaimOutcome.NO_CHANGE,
        ClaimOutcome.SAME,
    ], said
    answers = {each.reply_to: each.body for each in house.github.replies(repo, number)}
    halves, wrong, *_ = (each.id for each in pull.reviews[0].remarks)
    assert set(answers) == {halves, wrong}
    assert "The change fails, and the suggested fix passes" in answers[halves]
    assert "The suggested fix breaks what works" in answers[wrong]
