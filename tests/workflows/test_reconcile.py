"""What time brings about, on a clock of its own."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.github.channel import TRIES
from bot.github.deliveries import Delivery, HookDelivery
from bot.github.errors import Unauthorized
from bot.github.events import read
from bot.settings import Settings
from bot.storage.directories import DirectoryCache
from bot.storage.heartbeats import KEY, REFUSED, UNSIGNED, WORKER, WorkerSign, WorkerSigns
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Verdict
from bot.workflows.reconcile import Reconcile, is_first_arrival, wants_again
from tests.support.runs import outcomes
from tests.workflows.house import CLEAR, CLEAR_TITLE, VAGUE, VAGUE_TITLE, House

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def attempt(minutes_ago: float, status: int = 502, *, again: bool = False) -> HookDelivery:
    at = (NOW - timedelta(minutes=minutes_ago)).isoformat()
    return HookDelivery(1, "guid", "issues", "opened", at, again, status, 1)


def outage(*minutes_ago: float) -> list[HookDelivery]:
    """A delivery and the attempts that followed, all in vain, oldest first."""
    return [attempt(minutes, again=number > 0) for number, minutes in enumerate(minutes_ago)]


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
        (outage(10, 7), True),
        (outage(10, 5), False),
        (outage(40, 35, 28, 10), False),
        (outage(100, 95, 88, 60), True),
        (outage(1000, 995, 988, 960, 900, 720, 361), True),
        (outage(1000, 995, 988, 960, 900, 720, 359), False),
        (outage(4300, *range(4200, 360, -360), 361), True),
        ([attempt(60, again=True)], False),
    ],
)
def test_which_deliveries_are_asked_for_again(attempts: list[HookDelivery], again: bool) -> None:
    assert wants_again(attempts, NOW) is again


@pytest.mark.parametrize(
    ("attempts", "once"),
    [
        ([attempt(60, status=202)], True),
        ([attempt(60)], False),
        ([attempt(1, status=202)], False),
        ([attempt(60, status=202), attempt(30, status=202, again=True)], False),
        ([attempt(30, status=202, again=True)], False),
    ],
)
def test_what_arrived_is_asked_for_once_at_most(attempts: list[HookDelivery], once: bool) -> None:
    assert is_first_arrival(attempts, NOW) is once


def test_a_day_without_a_reachable_server_loses_nothing(house: House) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.wait_for_webhooks()
    guid = house.github.deliveries[-1].guid
    for _ in range(24 * 2):
        house.clock.advance(minutes=30)
        house.worker.reconcile.tick()
        house.github.wait_for_webhooks()
    tries = [item for item in house.github.deliveries if item.guid == guid]
    assert 5 <= len(tries) <= 12, "again and again, and ever more rarely"
    house.settle()
    assert house.held(repo, number)


@pytest.mark.parametrize("status", [422, 404, 403, 500])
def test_a_delivery_that_github_refuses_to_repeat_keeps_no_other_back(house: House, status: int) -> None:
    repo = house.repository()
    house.clock.advance(hours=2)  # what others lost is too old for this look
    before = len(house.github.deliveries)
    for _ in range(3):
        house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.wait_for_webhooks()
    lost = [item.guid for item in house.github.deliveries[before:]]
    house.github.fail(status, times=TRIES if status == 500 else 1, route="/attempts")
    for wanted in (lost[1:], lost):  # the oldest is the first, is refused, and is asked for again
        house.clock.advance(minutes=10)
        before = len(house.github.deliveries)
        assert house.worker.reconcile.redeliver(house.clock(), timedelta(hours=1)) == len(wanted)
        assert [item.guid for item in house.github.deliveries[before:]] == wanted
        house.github.wait_for_webhooks()


def test_trouble_with_the_log_puts_its_reading_off_for_minutes_only(house: House) -> None:
    repo = house.repository()
    house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.wait_for_webhooks()
    guid = house.github.deliveries[-1].guid
    house.clock.advance(hours=4)  # so long ago that the whole log tells of it alone, which is due
    house.github.fail(422, times=2, route="/hook/deliveries")
    house.worker.housekeep()
    house.github.traffic.clear()
    assert guid in asked_again(house)


@pytest.mark.parametrize("refuses", ["the delivery", "the key"])
def test_a_refusal_is_looked_up_within_seconds(house: House, refuses: str) -> None:
    repo = house.repository()
    signs, what = WorkerSigns(house.database), REFUSED if refuses == "the delivery" else KEY

    def seconds_later(seconds: int) -> int:
        house.clock.advance(seconds=seconds)
        house.worker.housekeep()
        sign = signs.get(what)
        return sign.count if sign else 0

    house.settle()
    assert seconds_later(11) == 0
    if what == REFUSED:
        house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
        house.github.wait_for_webhooks()
        house.github.deliveries[-1].status_code = 401
        signs.save(WorkerSign(UNSIGNED, house.clock()))
    else:
        house.github.fail(401, times=2, route="/app/installations")
        with pytest.raises(Unauthorized):
            house.services.github.installations()
        house.github.fail(401, times=2, route="/app/hook/deliveries")
    assert seconds_later(20) == 1
    assert seconds_later(400) == (1 if what == REFUSED else 0), "the key is taken again"


def test_a_wrong_secret_shows_in_githubs_log_and_ends_with_the_next_that_arrives(house: House) -> None:
    """What the landing page reads: no stranger writes in that log."""
    repo = house.repository()
    signs = WorkerSigns(house.database)

    def refused() -> int:
        house.clock.advance(minutes=6)
        house.worker.housekeep()
        house.github.wait_for_webhooks()
        sign = signs.get(REFUSED)
        return sign.count if sign is not None else -1

    def arrives(status: int) -> None:
        house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
        house.github.wait_for_webhooks()
        house.github.deliveries[-1].status_code = status

    arrives(202)
    assert refused() == 0
    for _ in range(2):
        arrives(401)
    assert refused() == 2
    house.clock.advance(hours=2)
    assert refused() >= 2, "nothing came meanwhile"
    arrives(502)
    assert refused() >= 2, "it was down: that says nothing of the secret"
    arrives(202)
    assert refused() == 0
    house.settle()


def test_a_worker_gives_a_sign_of_life(house: House) -> None:
    house.repository()
    sign = WorkerSigns(house.database).get(WORKER)
    assert sign is not None and timedelta(0) <= house.clock() - sign.at < timedelta(days=365)


def answered(house: House, since: int) -> list[str]:
    """GitHub's log says that the deliveries since then arrived, but the inbox knows nothing of them."""
    house.github.wait_for_webhooks()
    lost = house.github.deliveries[since:]
    for item in lost:
        item.status_code = 202
    return [item.guid for item in lost]


def asked_again(house: House) -> list[str]:
    house.clock.advance(minutes=10)
    before = len(house.github.deliveries)
    house.worker.housekeep()
    house.github.wait_for_webhooks()
    return [item.guid for item in house.github.deliveries[before:]]


def test_what_an_older_backup_does_not_know_is_asked_for_once(house: House) -> None:
    repo, number = house.begin()
    before = len(house.github.deliveries)
    house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.comment(repo, number, "It crashes.")
    lost = answered(house, before)
    assert set(lost) <= set(asked_again(house))
    answered(house, before)
    assert not set(lost) & set(asked_again(house)), "whoever ignores it once will ignore it again"
    house.settle()


def test_what_may_have_been_ignored_is_no_sign_of_a_loss(house: House) -> None:
    repo, number = house.begin()
    before = len(house.github.deliveries)
    house.github.comment(repo, number, "It crashes.")
    quiet = answered(house, before)
    assert not set(quiet) & set(asked_again(house))
    house.settle()


def test_an_account_that_is_not_served_is_no_sign_of_a_loss(house: House) -> None:
    repo = house.repository(installed=False)
    house.github.install(repo.partition("/")[0], [repo])
    house.github.wait_for_webhooks()
    house._fed = before = len(house.github.deliveries)
    house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    refused = answered(house, before)
    house._fed = len(house.github.deliveries)
    house.clock.advance(minutes=10)
    for serves_all in (False, True):
        served = house.settings.model_copy(update={"allowed_accounts": "" if serves_all else "somebody-else"})
        served.__dict__.pop("account_names", None)  # the copy has what was made of the accounts before
        reconcile = Reconcile(house.services, house.engine, served)
        sent = len(house.github.deliveries)
        reconcile.redeliver(house.clock(), timedelta(hours=1))
        house.github.wait_for_webhooks()
        assert (set(refused) <= {item.guid for item in house.github.deliveries[sent:]}) is serves_all
    house.settle()


def test_what_a_run_wrote_after_the_uninstallation_is_forgotten(house: House) -> None:
    repo = house.repository()
    held = house.open(repo)
    stray = SubjectRecord(repo_id=10**9, number=1, installation_id=10**9, repository="gone/gone")
    house.services.subjects.save(stray)
    house.tick(hours=2)
    assert house.services.subjects.get(stray.repo_id, stray.number) is None
    assert house.remembered(repo, held) is not None


def test_a_delivery_that_is_known_is_not_asked_for_again(house: House) -> None:
    house.repository()
    house.settle()
    house.github.wait_for_webhooks()
    before = len(house.github.deliveries)
    house.clock.advance(minutes=10)
    house.worker.housekeep()
    known = house.services.inbox.claims_among(item.guid for item in house.github.deliveries[:before])
    again = {item.guid for item in house.github.deliveries[before:]}
    assert not again & known


def test_silence_is_left_alone_by_default(house: House) -> None:
    repo, number = house.begin()
    before = len(house.writes(repo))
    house.tick(days=40)
    assert len(house.writes(repo)) == before
    assert house.issue(repo, number).state == "open"


def test_a_reminder_and_then_closing_when_the_policy_says_so(house: House) -> None:
    repo, number = house.begin("issues:\n  no_response:\n    remind_after_days: 7\n    close_after_days: 14\n")
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
    repo, number = house.begin("issues:\n  no_response:\n    remind_after_days: 7\n")
    house.tick(days=5)
    house.say(repo, number, "I will look for it.")
    house.tick(days=5)
    assert len(house.issue(repo, number).comments) == 2
    house.tick(days=3)
    assert len(house.issue(repo, number).comments) == 3


def test_old_runs_and_deliveries_are_forgotten(house: House) -> None:
    repo, number = house.begin(None, CLEAR, title=CLEAR_TITLE)
    prefix = f"issue:{house.github.repo(repo).id}:{number}:"
    guid = house.github.deliveries[-1].guid
    # The engine's own times are real ones, so only the clock's distance from them counts.
    assert house.engine.prune(datetime.now(UTC) - timedelta(days=7)) == 0
    assert outcomes(prefix)
    assert guid in house.services.inbox.claims_among([guid])
    claim, claimed = ("then", "issue:help"), house.services.commands.claim
    assert claimed(number, *claim, claimant="first", now=house.clock())
    house.tick(days=3)
    assert not claimed(number, *claim, claimant="second", now=house.clock()), "GitHub sends it again for three days"
    house.tick(days=5)
    assert not outcomes(prefix)
    assert guid not in house.services.inbox.claims_among([guid])
    assert claimed(number, *claim, claimant="second", now=house.clock())


def test_nothing_is_forgotten_that_a_waiting_delivery_may_have_brought_about(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its batch may have been cut off when half of it was handed on; then all of it is handed on once more."""
    house.repository()
    now, asked = house.clock(), list[datetime]()
    reconcile = Reconcile(house.services, house.engine, house.settings)
    monkeypatch.setattr(house.engine, "prune", lambda before: asked.append(before) or 0)
    sent = house.github.deliveries[-1]
    delivery = read(sent.event, sent.payload)
    assert isinstance(delivery, Delivery)
    came = now - timedelta(days=30)
    house.services.inbox.claim("waits", delivery, now=came)
    reconcile.prune(now)
    house.services.inbox.mark_routed(each.seq for each in house.services.inbox.oldest_queued(100))
    reconcile.prune(now)
    assert asked == [came, now - timedelta(days=house.settings.keep_deliveries_days)]


def test_the_worker_removes_what_was_kept_as_long_as_the_settings_say(house: House, tmp_path: Path) -> None:
    """Pages, records and caches, each by its own setting; none where that says for ever."""
    repo = house.repository()
    held, number = house.open(repo), house.open(repo, title=CLEAR_TITLE, body=CLEAR)
    repo_id = house.github.repo(repo).id
    cache = DirectoryCache(tmp_path / "ways", 10**9)
    entry = cache.get("one", lambda into: None).parent / "entry.json"
    os.utime(entry, (time.time() - 10 * 86_400,) * 2)
    given = {"cache_dir": tmp_path, "keep_pages_days": 0, "keep_records_days": 0, "keep_caches_days": 0}

    def keep(**kept: int) -> None:
        settings = house.settings.model_copy(update=given | kept)
        Reconcile(house.services, house.engine, settings).remove_old(house.clock() + timedelta(days=20))

    def verdict(issue: int) -> Verdict | None:
        subject = house.services.subjects.get(repo_id, issue)
        return subject and subject.verdict

    keep()
    keep(keep_pages_days=21, keep_records_days=21, keep_caches_days=11)
    assert verdict(number)
    assert house.services.ledger.entries(repo_id, number)
    assert entry.exists()
    keep(keep_caches_days=9)
    assert not entry.exists()
    keep(keep_pages_days=19)
    assert (verdict(number), bool(verdict(held))) == (None, True)
    assert house.services.ledger.entries(repo_id, number)
    keep(keep_records_days=19)
    assert not house.services.ledger.entries(repo_id, number)


@pytest.mark.parametrize(
    ("pages", "records", "kept"), [(365, 0, 365), (365, 400, 365), (365, 30, 30), (0, 30, 30), (0, 0, 0)]
)
def test_a_page_is_not_kept_longer_than_its_verdict(pages: int, records: int, kept: int) -> None:
    """Whether an issue was looked at since is known from the records alone."""
    assert Settings(keep_pages_days=pages, keep_records_days=records).pages_days == kept
