"""Once a coding agent's, a pull request stays one, until a maintainer says that it is a person's."""

from dataclasses import replace
from typing import Any

import pytest

from bot.github.deliveries import Delivery
from bot.github.events import read
from bot.storage.pull_authors import PersonWord
from tests.support.lengths import EVERY_TRICK
from tests.workflows.house import House, Told
from tests.workflows.test_gate import AGENT, BREAKS, CODE, ENFORCE, check, propose, told

__all__ = ["told"]

SIGNATURE = "🤖 Generated with [Claude Code](https://claude.com/claude-code)"
DEVIN = "devin-ai-integration[bot]"
PERSON = "/bouncer person I wrote it."


def words(house: House, repo: str, number: int) -> tuple[PersonWord, ...]:
    return house.services.makers.words(house.github.repo(repo).id, number)


def pushed(house: House, repo: str, number: int, *, by: str, text: str = "x = 1\n", settle: bool = True) -> None:
    house.clock.advance(seconds=2)  # GitHub tells times by the second
    house.github.push_to_pull(repo, number, {"half.py": text}, by=by)
    if settle:
        house.settle()


def said(house: House, repo: str, number: int, body: str = PERSON, *, by: str = "maintainer") -> None:
    house.clock.advance(seconds=2)
    house.say(repo, number, body, by=by)


def hand(house: House, *deliveries: Any, **changes: Any) -> None:
    """What the worker is given instead of what was emitted since the last time, in this order."""
    for item in deliveries:
        delivery = read(item.event, item.payload)
        assert isinstance(delivery, Delivery)
        house.services.inbox.claim(item.guid, replace(delivery, **changes), now=house.clock())
    house.lose()
    house.settle()


def through_an_app(house: House, repo: str, number: int, body: str, *, by: str = "maintainer") -> None:
    """A comment that an App writes for somebody."""
    house.github.comment(repo, number, body, by=by)
    (item,) = house.github.deliveries[house._fed :]
    delivery = read(item.event, item.payload)
    assert isinstance(delivery, Delivery) and delivery.comment is not None
    hand(house, item, comment=replace(delivery.comment, app_id=99))


def test_nothing_takes_it_back_but_a_maintainers_word(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house, f"{ENFORCE}pulls: {{rounds: 9}}\n", by="contributor", body=SIGNATURE)
    assert check(house, repo)[0] == "failure"
    house.edit(repo, number, body="All mine.", by="contributor")
    pushed(house, repo, number, by="contributor")
    assert check(house, repo)[0] == "failure"
    for who, reason in (("contributor", " Mine."), ("triager", " Theirs."), ("maintainer", "")):
        said(house, repo, number, f"/bouncer person{reason}", by=who)
        assert (check(house, repo)[0], words(house, repo, number)) == ("failure", ())
    said(house, repo, number)
    assert check(house, repo) == ("success", "Not judged: maintainer says that a person wrote it")
    assert house.issue(repo, number).labels == ()
    pushed(house, repo, number, by="contributor", text="x = 2\n")
    assert check(house, repo)[0] == "success", "it is a person's, and a person pushed"
    pushed(house, repo, number, by=DEVIN, text="x = 3\n")
    assert check(house, repo)[0] == "failure"
    (kept,) = words(house, repo, number)
    assert (kept.who, kept.permission, kept.reason) == ("maintainer", "maintain", "I wrote it.")
    assert kept.ended_by == f"a push of {DEVIN}"
    house.say(repo, number, "/bouncer explain", by="contributor")
    own = [comment.body for comment in house.issue(repo, number).comments if comment.by_bouncer]
    assert "says that this pull request is a person's" in own[-1] and "That ended with a push of `devin" in own[-1]


@pytest.mark.parametrize("by", ["contributor", "github-actions[bot]"])
@pytest.mark.parametrize("sign", [SIGNATURE, "Adds it.\n\n<!-- gh-aw-workflow-id: halves -->", "<!-- acme-run: 7 -->"])
def test_a_sign_that_is_gone_before_anybody_looked(house: House, told: Told, sign: str, by: str) -> None:
    repo = house.repository(f"{ENFORCE}pulls: {{agents: {{markers: ['acme-run: …']}}}}\n")
    number = house.github.open_pull(repo, "Add half()", {"half.py": CODE}, body=sign, by=by)
    house.edit(repo, number, body="All mine.", by=by)
    assert "stays one" in house.github.checks(repo)[0].summary
    assert len(told.checked) > 0


def test_commits_that_are_rewritten_under_another_address_change_nothing(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, files = house.repository(ENFORCE), {"half.py": CODE}
    signed = "Add half()\n\nCo-authored-by: Oz <oz-agent@warp.dev>"
    number = house.propose(repo, "Add half()", files, message=signed, by="contributor")
    house.github.push_to_pull(repo, number, {"half.py": f"{CODE}# mine\n"}, by="contributor", onto="main")
    house.settle()
    assert check(house, repo)[0] == "failure"
    assert "stays one: Its only commit names Warp" in house.github.checks(repo)[-1].summary


@pytest.mark.parametrize("by", ["maintainer", *([AGENT] if EVERY_TRICK else [])])
def test_a_label_counts_whenever_it_is_put_on(house: House, told: Told, by: str) -> None:
    repo, number = propose(house, by="contributor")
    assert told.checked == []
    house.github.add_label(repo, number, "AI-generated", by=by)
    house.github.remove_label(repo, number, "ai-generated", by="contributor")
    house.settle()
    times = len(told.checked)
    assert times > 0
    house.github.add_label(repo, number, "ai-generated", by=by)
    house.settle()
    assert len(told.checked) == times, "it is known"


def test_an_agents_push_makes_it_the_agents(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house, by="contributor")
    assert check(house, repo)[0] == "success"
    pushed(house, repo, number, by=DEVIN)
    assert check(house, repo)[0] == "failure"
    pushed(house, repo, number, by="contributor", text=CODE)
    assert check(house, repo)[0] == "failure"
    again = house.propose(repo, "Mine", {"more.py": CODE}, branch=f"change-{number}", by="contributor")
    assert check(house, repo, again)[0] == "failure", "a person's pull request from the agent's branch"


@pytest.mark.parametrize("late", ["the push", "the word"])
def test_the_order_of_arrival_changes_nothing(house: House, told: Told, late: str) -> None:
    told.stood = BREAKS
    repo, number = propose(house, by="contributor", body=SIGNATURE)
    house.clock.advance(seconds=2)
    house.github.comment(repo, number, PERSON, by="maintainer")
    pushed(house, repo, number, by=DEVIN, settle=False)
    arrived = house.github.deliveries[house._fed :]
    comment = [item for item in arrived if item.event == "issue_comment"]
    push = [item for item in arrived if item.action == "synchronize"]
    hand(house, *(comment + push if late == "the push" else push + comment))
    assert check(house, repo)[0] == "failure"
    assert [word for word in words(house, repo, number) if word.ended_at is None] == []


def test_the_word_is_taken_back_and_is_not_about_a_commit_of_which_nobody_knows_who_pushed_it(
    house: House, told: Told
) -> None:
    told.stood = BREAKS
    repo, number = propose(house, by="contributor", body=SIGNATURE)
    said(house, repo, number)
    assert check(house, repo)[0] == "success"
    said(house, repo, number, "/bouncer override-cancel")
    assert check(house, repo)[0] == "failure"
    assert words(house, repo, number)[0].ended_by == "maintainer"
    said(house, repo, number)
    assert check(house, repo)[0] == "success"
    pushed(house, repo, number, by=DEVIN, settle=False)
    house.lose()
    house.edit(repo, number, title="Halve", by="contributor")
    assert check(house, repo)[0] == "failure"


def test_only_a_persons_own_word_counts(house: House, told: Told) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    house.github.repo(repo).collaborators["openhands-agent"] = "admin"

    def answers() -> str:
        return "\n".join(comment.body for comment in house.issue(repo, number).bouncer_comments)

    for word in ("recheck", "person Fine.", "override Fine."):
        through_an_app(house, repo, number, f"/bouncer {word}")
        assert "GitHub App" in answers()
        said(house, repo, number, f"/bouncer {word}", by="openhands-agent")
        assert "account of OpenHands" in answers()
        assert (len(told.checked), check(house, repo)[0], words(house, repo, number)) == (1, "failure", ())
    said(house, repo, number, "/bouncer override Fine.")
    assert check(house, repo)[0] == "success"


def test_an_issue_is_accepted_by_a_persons_own_hand(house: House) -> None:
    repo, number = house.begin()
    through_an_app(house, repo, number, "/bouncer accept")
    assert house.held(repo, number)
    assert "GitHub App" in house.answer(repo, number)
    house.github.repo(repo).collaborators["openhands-agent"] = "admin"
    house.say(repo, number, "/bouncer accept", by="openhands-agent")
    assert house.held(repo, number)
    house.say(repo, number, "/bouncer accept", by="maintainer")
    assert not house.held(repo, number)
