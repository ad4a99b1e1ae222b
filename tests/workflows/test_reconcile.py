"""What time brings about, on a clock of its own."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.github.values import HookDelivery
from bot.workflows.reconcile import MOST_ATTEMPTS, wants_again
from tests.workflows.house import CLEAR, CLEAR_TITLE, VAGUE, VAGUE_TITLE, House

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def attempt(minutes_ago: float, status: int = 502, event: str = "issues") -> HookDelivery:
    at = (NOW - timedelta(minutes=minutes_ago)).isoformat()
    return HookDelivery(1, "guid", event, "opened", at, False, status, 1, 1)


@pytest.mark.parametrize(
    ("attempts", "again"),
    [
        ([attempt(60)], True),
        ([attempt(60, status=0)], True),
        ([attempt(60, status=401)], True),
        ([attempt(60, status=202)], False),
        ([attempt(60), attempt(30, status=202)], False),
        ([attempt(1)], False),
        ([attempt(60), attempt(1)], False),
        ([attempt(60)] * (MOST_ATTEMPTS - 1), True),
        ([attempt(60)] * MOST_ATTEMPTS, False),
        ([attempt(60, event="star")], False),
    ],
)
def test_which_deliveries_are_asked_for_again(attempts: list[HookDelivery], again: bool) -> None:
    assert wants_again(attempts, NOW) is again


def test_a_delivery_that_never_arrived_is_asked_for_again(house: House) -> None:
    repo = house.repository()
    house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.wait_for_webhooks()
    lost = house.github.deliveries[-1]
    assert lost.status_code == 502
    house.clock.advance(minutes=10)
    house.worker.housekeep()
    assert [item.guid for item in house.github.deliveries if item.redelivery][-1] == lost.guid


def test_a_delivery_that_is_known_is_not_asked_for_again(house: House) -> None:
    house.repository()
    house.settle()
    house.github.wait_for_webhooks()
    before = len(house.github.deliveries)
    house.clock.advance(minutes=10)
    house.worker.housekeep()
    known = house.services.inbox.known(item.guid for item in house.github.deliveries[:before])
    again = {item.guid for item in house.github.deliveries[before:]}
    assert not again & known


def test_silence_is_left_alone_by_default(house: House) -> None:
    repo = house.repository()
    number = house.open(repo)
    before = len(house.writes(repo))
    house.tick(days=40)
    assert len(house.writes(repo)) == before
    assert house.issue(repo, number).state == "open"


def test_a_reminder_and_then_closing_when_the_policy_says_so(house: House) -> None:
    repo = house.repository("issues:\n  no_response:\n    remind_after_days: 7\n    close_after_days: 14\n")
    number = house.open(repo)
    house.tick(days=6)
    assert len(house.issue(repo, number).comments) == 1
    house.tick(days=1, minutes=5)
    assert len(house.issue(repo, number).comments) == 2
    house.tick(days=2)
    assert len(house.issue(repo, number).comments) == 2, "one reminder"
    house.tick(days=5)
    assert house.issue(repo, number).state == "closed"
    assert house.issue(repo, number).state_reason == "not_planned"


def test_an_answer_begins_the_silence_anew(house: House) -> None:
    repo = house.repository("issues:\n  no_response:\n    remind_after_days: 7\n")
    number = house.open(repo)
    house.tick(days=5)
    house.say(repo, number, "I will look for it.")
    house.tick(days=5)
    assert len(house.issue(repo, number).comments) == 2
    house.tick(days=3)
    assert len(house.issue(repo, number).comments) == 3


def test_old_runs_and_deliveries_are_forgotten(house: House) -> None:
    repo = house.repository()
    number = house.open(repo, CLEAR, title=CLEAR_TITLE)
    prefix = f"issue:{house.github.repo(repo).id}:{number}:"
    guid = house.github.deliveries[-1].guid
    # The engine's own times are real ones, so only the clock's distance from them counts.
    assert house.engine.prune(datetime.now(UTC) - timedelta(days=7)) == 0
    assert house.engine.outcomes(prefix)
    assert guid in house.services.inbox.known([guid])
    house.tick(days=8)
    assert not house.engine.outcomes(prefix)
    assert guid not in house.services.inbox.known([guid])
