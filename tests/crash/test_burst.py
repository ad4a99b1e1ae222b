"""Storms of kills, random faults, very many deliveries at once: short slices of what `make chaos` does at length."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from fake_github.webhooks import SentDelivery
from tests.crash.chaos import FAULTS, Chaos
from tests.crash.fleet import REPOSITORY, Fleet, storm
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH
from tests.support.postgres import server_to_stop
from tests.support.sqlite import url_in
from tests.support.waiting import eventually
from tests.workflows.house import CLEAR, CLEAR_TITLE, VAGUE, VAGUE_TITLE

pytestmark = pytest.mark.crash

ISSUES, EDITS = (100, 99) if EVERY_DEATH else (5, 19)
COPIES = 100
SENDERS = 16


@pytest.fixture
def closed(database_url: str, tmp_path: Path) -> Fleet:
    return Fleet(database_url, tmp_path)


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_a_burst_and_a_hundred_copies_lead_to_the_newest_state(closed: Fleet) -> None:
    """In any order, since many arrive at once."""
    with closed as fleet:
        fleet.start("serve")
        fleet.wait_for_web()
        fleet.github.install("acme", [REPOSITORY])
        for number in range(ISSUES):
            held = number % 2 == 0
            issue = fleet.github.open_issue(REPOSITORY, VAGUE_TITLE, VAGUE)
            for edit in range(EDITS):
                clear = not held and edit == EDITS - 1
                body = CLEAR if clear else f"{VAGUE} {edit}"
                fleet.github.edit_issue(REPOSITORY, issue, title=CLEAR_TITLE if clear else VAGUE_TITLE, body=body)
            fleet.expected[issue] = held
        fleet.github.wait_for_webhooks(120)
        burst = fleet.github.deliveries
        fleet.github.app.webhook_url = f"http://127.0.0.1:{fleet.port}/webhook"
        assert send(fleet, burst) == {"queued"}
        assert send(fleet, burst[-1:] * COPIES) == {"duplicate"}
        fleet.start_quick_worker()
        eventually((fleet.directory / "kept").exists, seconds=300)  # it has read GitHub's log, which is long by now
        fleet.settle(600)
        toll = fleet.toll()
    assert toll.clean(), toll
    assert len(burst) > ISSUES * (EDITS + 1)


def send(fleet: Fleet, deliveries: list[SentDelivery]) -> set[str]:
    """Many side by side; the words that the answers begin with."""

    def post(item: SentDelivery) -> str:
        item.status_code, item.status, item.answer = fleet.github.webhooks._post(item)
        return item.answer.partition(":")[0]

    with ThreadPoolExecutor(SENDERS) as pool:
        return set(pool.map(post, deliveries))


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_three_days_without_a_server_and_then_the_sweep(closed: Fleet) -> None:
    """People went on; what GitHub's log still has is asked for, and each issue is judged as it is by now."""
    with closed as fleet:
        fleet.github.install("acme", [REPOSITORY])
        for hour in range(0, 70, 7):
            clear = hour % 2 == 0
            issue = fleet.github.open_issue(REPOSITORY, VAGUE_TITLE, VAGUE)
            fleet.pass_time(hours=7)
            if clear:
                fleet.github.edit_issue(REPOSITORY, issue, title=CLEAR_TITLE, body=CLEAR)
            fleet.expected[issue] = not clear
        fleet.github.wait_for_webhooks()
        fleet.start("serve")
        fleet.wait_for_web()
        fleet.github.app.webhook_url = f"http://127.0.0.1:{fleet.port}/webhook"
        fleet.start_quick_worker()
        lost = {item.guid for item in fleet.github.deliveries}
        fleet.pass_time(minutes=5)
        eventually(lambda: lost <= fleet.inbox.claims_among(lost), seconds=120)
        fleet.settle()
        toll = fleet.toll()
    assert toll.clean(), toll
    assert toll.acknowledged == toll.deliveries


DELIVERIES, KILLS = (500, 20) if EVERY_DEATH else (30, 2)


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_nothing_is_lost_and_nothing_written_twice(database_url: str, tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path) as fleet:
        toll = storm(fleet, Random(7), DELIVERIES, KILLS)
    assert toll.clean(), toll
    assert toll.kills == 2 * KILLS
    assert toll.acknowledged == toll.deliveries >= DELIVERIES


SEED = 1
ENOUGH = 300 if EVERY_DEATH else len(FAULTS)


@pytest.mark.database
@pytest.mark.parametrize("kind", BOTH if EVERY_DEATH else ONE)
def test_nothing_is_lost_doubled_wrong_or_left_hanging(kind: str, tmp_path: Path) -> None:
    with server_to_stop() as (server, process):
        if kind == "postgres":
            process.start()
        url = server.create() if kind == "postgres" else url_in(tmp_path)
        with Fleet(url, tmp_path) as fleet:
            chaos = Chaos(fleet, Random(SEED), process if kind == "postgres" else None)
            found = chaos.live(lambda so_far: so_far.injected.total() >= ENOUGH)
    assert found.clean(), found
    assert set(found.injected) == set(FAULTS)
