"""Reviews as bots write them: what is said where, what is counted, and whose they are."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from bot.judges.openai.spend import MemorySpend
from bot.policy import PullRules
from bot.policy_choices import ReviewRules, Strictness
from bot.policy_file import PATH
from bot.settings import Settings
from bot.storage.judgements import ClaimTally
from bot.verdicts import Decision, Topic
from bot.verification.evidence import Case, Verified
from bot.workflows.services import reviewers
from tests.workflows.house import House, Told

AGENT, COPILOT, RABBIT = "agent[bot]", "copilot-pull-request-reviewer[bot]", "coderabbitai[bot]"
SOURCE = "def half(n):\n    return n // 2\n\n\ndef double(n):\n    return n + n\n"
HALVES = {"path": "half.py", "line": 2, "body": "It drops the rest.\n```suggestion\n    return n / 2\n```"}
NITPICK = {"path": "half.py", "line": 6, "body": "[nitpick] Multiply.\n```suggestion\n    return 2 * n\n```"}
NO_FIX = {"path": "half.py", "line": 1, "body": "Say what it is for."}


@pytest.fixture
def told(house: House) -> Iterator[Told]:
    yield house.verifier
    house.verifier.verified, house.verifier.meanwhile = Told().verified, lambda: None
    house.verifier.wanted.clear()


def propose(house: House, policy: str = "") -> tuple[str, int]:
    repo = house.repository(policy)
    number = house.propose(repo, "Add half()", {"half.py": SOURCE}, body="Halves.", by=AGENT)
    return repo, number


def review(house: House, repo: str, number: int, *remarks: dict[str, Any], **other: Any) -> None:
    given = {"by": COPILOT, "state": "commented", "body": "## Pull request overview"} | other
    house.github.review(repo, number, given.pop("body"), remarks=remarks, **given)
    house.settle()


def summary(house: House, repo: str) -> str:
    return house.github.checks(repo)[-1].summary


@pytest.mark.parametrize("state", ["commented", "approved", "changes_requested"])
def test_a_review_of_any_state_is_put_to_the_test(house: House, told: Told, state: str) -> None:
    repo, number = propose(house)
    told.verified = Verified(Decision.ACCEPT, Case.OVER_REPAIR, ("The fix fails one of the tests.",))
    review(house, repo, number, HALVES, state=state)
    assert len(told.wanted) == 1
    rejects = state == "changes_requested"
    title = "The rejection does not hold: the suggested" if rejects else "The suggested"
    assert f"### {title} fix breaks what works" in house.told(repo, number)
    assert house.spoken(repo, number) == "", "no comment below the pull request"
    assert "1 wrong, since the fix breaks what works." in summary(house, repo)


def test_what_execution_does_not_decide_is_a_line_in_the_check(house: House, told: Told) -> None:
    repo, number = propose(house)
    told.verified = Verified(Decision.UNAVAILABLE, Case.UNDECIDED, ("They differ.",))
    review(house, repo, number, HALVES, NO_FIX)
    assert house.told(repo, number) == ""
    said = summary(house, repo)
    assert f"\n\n**What `{COPILOT}` suggests:** 1 unsettled, 1 without a change to run." in said
    assert "- `half.py:2`: They differ. [Page](" in said


@pytest.mark.parametrize(("remark", "answered"), [(HALVES, True), (NITPICK, False)])
def test_that_nothing_changes_refutes_no_remark_on_style(
    house: House, told: Told, remark: dict[str, Any], answered: bool
) -> None:
    repo, number = propose(house)
    review(house, repo, number, remark)
    assert ("The suggested fix changes no behaviour" in house.told(repo, number)) is answered
    assert "1 without a difference that was seen." in summary(house, repo)


def test_a_flood_is_answered_ten_times_and_the_rest_stands_in_the_check(house: House, told: Told) -> None:
    repo, number = propose(house)
    told.verified = Verified(Decision.ACCEPT, Case.OVER_REPAIR, ("The fix fails.",))
    marks = ["_Trivial_"] * 30 + ["![critical](x.svg)"] * 20
    review(house, repo, number, *({**HALVES, "body": f"{mark}\n\n{HALVES['body']}"} for mark in marks))
    assert len(house.github.replies(repo, number)) == 10
    answered = {each.reply_to for each in house.github.replies(repo, number)}
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    worst = {each.id for each in pull.reviews[0].remarks if "critical" in each.body}
    assert answered <= worst
    assert "50 wrong" in summary(house, repo)
    assert summary(house, repo).count("- `half.py:2`: The fix fails.") == 20
    assert len(house.services.ledger.entries(house.github.repo(repo).id, number)) == 2, "one verdict a review"


def test_the_policy_says_which_reviews(house: House, told: Told) -> None:
    repo, number = propose(house, "verify: {reviews: requested_changes}\n")
    review(house, repo, number, HALVES)
    assert told.wanted == []
    review(house, repo, number, HALVES, state="changes_requested")
    assert len(told.wanted) == 1
    house.github.push(repo, {PATH: "verify: {reviews: true}\n"})
    house.settle()
    review(house, repo, number, HALVES)
    assert len(told.wanted) == 2


def test_a_reviewer_has_a_share_of_the_day_which_takes_nothing_from_the_pull_request(house: House, told: Told) -> None:
    """Else any bot could have a pull request not judged by reviewing it often."""
    repo, number = propose(house, "budgets: {per_repository: 4}\n")
    for _ in range(3):
        review(house, repo, number, HALVES)
    assert len(told.wanted) == 2
    assert "- not run: `half.py:2`" in summary(house, repo)
    house.verifier.checked.clear()
    house.github.push_to_pull(repo, number, {"half.py": SOURCE + "\n"}, by=AGENT)
    house.settle()
    assert len(house.verifier.checked) == 1


def test_suggestions_for_an_older_commit_are_said_to_be(house: House, told: Told) -> None:
    repo, number = propose(house)
    house.github.review(repo, number, "", remarks=[HALVES, NITPICK], state="commented", by=RABBIT)
    house.github.push_to_pull(repo, number, {"half.py": SOURCE + "\n"}, by=AGENT)
    house.settle()
    assert told.wanted == []
    assert f"**What `{RABBIT}` suggests for an older commit:** 2 not fitting this commit." in summary(house, repo)
    assert house.told(repo, number) == ""


def test_a_closed_thread_is_no_line_any_more_until_it_is_opened_again(house: House, told: Told) -> None:
    repo, number = propose(house)
    told.verified = Verified(Decision.UNAVAILABLE, Case.UNDECIDED, ("They differ.",))
    review(house, repo, number, HALVES)
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    remark = pull.reviews[0].remarks[0].id
    for resolved in (True, False):
        house.github.resolve(repo, number, remark, resolved=resolved)
        house.settle()
        assert ("They differ." in summary(house, repo)) is not resolved
    house.github.delete_remark(repo, number, remark, by=COPILOT)
    house.settle()
    assert "They differ." not in summary(house, repo)
    assert len(told.wanted) == 1


def test_what_a_bot_says_otherwise_is_tried_again_and_a_persons_edit_is_not(house: House, told: Told) -> None:
    repo, number = propose(house)
    review(house, repo, number, HALVES)
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    remark = pull.reviews[0].remarks[0].id
    house.github.edit_remark(repo, number, remark, HALVES["body"].replace("/ 2", "* 0.5"), by="maintainer")
    house.settle()
    assert len(told.wanted) == 1
    house.github.edit_remark(repo, number, remark, HALVES["body"].replace("/ 2", "* 0.5"), by=COPILOT)
    house.settle()
    assert told.claims[0].fixes[0][0].text == "    return n * 0.5\n"
    assert len(house.github.replies(repo, number)) == 1


def test_an_answer_in_a_thread_is_no_claim(house: House, told: Told) -> None:
    repo, number = propose(house)
    review(house, repo, number, NO_FIX)
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    house.github.reply(repo, number, pull.reviews[0].remarks[0].id, str(HALVES["body"]), by=COPILOT)
    house.settle()
    assert told.wanted == []


def test_observe_counts_and_says_nothing(house: House, told: Told) -> None:
    repo, number = propose(house, "mode: observe\n")
    review(house, repo, number, HALVES, NITPICK, NO_FIX)
    assert house.writes(repo) == []
    counted = house.services.rejections.tallies(house.clock() - timedelta(days=1))
    assert set(counted) >= {
        ClaimTally(COPILOT, Topic.UNSTATED, ran=1, held=0, refuted=0, same=1, unrun=1),
        ClaimTally(COPILOT, Topic.STYLE, ran=1, held=0, refuted=0, same=1, unrun=0),
    }


def test_a_model_is_asked_as_the_policy_says() -> None:
    model = Settings(judge="openai", model_base_url="http://127.0.0.1:9/v1", model="some-model")
    choose = reviewers(model, MemorySpend())
    assert [choose(PullRules(review=mode)).name for mode in ReviewRules] == [
        "some-model with patch-verdict/1",
        "some-model with patch-explain/1",
        "some-model with patch-full/1",
        "some-model with review-step/1",
    ]
    assert choose(PullRules()) is choose(PullRules(drafts=True))
    assert choose(PullRules()).looks


def test_the_offline_judge_keeps_the_promise_of_the_policy() -> None:
    choose = reviewers(Settings(judge="offline"), MemorySpend())
    assert choose(PullRules(strictness=Strictness.LENIENT)) is not choose(PullRules(strictness=Strictness.STRICT))
    assert not choose(PullRules()).looks
