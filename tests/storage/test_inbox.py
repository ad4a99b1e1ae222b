"""The inbox: each delivery once, in the order of arrival, for as long as GitHub may send it again."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter
from sqlalchemy import event, text, update
from sqlalchemy.exc import OperationalError

from bot.github.deliveries import Delivery
from bot.github.values import Comment, Commits, Issue, Repository
from bot.settings import SettingsError, load
from bot.storage.database import Database
from bot.storage.inbox import Inbox
from bot.storage.inbox import inbox as table
from bot.storage.migrate import migrate
from tests.support.postgres import Server
from tests.support.waiting import eventually

NOW = datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)

DELIVERY = Delivery(
    event="issue_comment",
    action="edited",
    installation_id=7,
    sender="reporter",
    sender_is_bot=False,
    repository=Repository(2**40, "acme/widgets"),
    issue=Issue(
        number=3,
        title="It fails \u202e\u200b",
        body="NUL \x00 and \U0001f600",
        author="reporter",
        author_is_bot=False,
        association="none",
        state="open",
        locked=False,
        labels=("bug", "needs-clarification"),
        comments=1,
        created_at="2026-03-04T05:06:07Z",
        updated_at="2026-03-04T05:06:07Z",
        html_url="https://github.com/acme/widgets/issues/3",
    ),
    comment=Comment(2**50, "reporter", False, "none", "b", "c", "u", "h", app_id=None),
    previous_body="",
    commits=Commits("a" * 40, "b" * 40, "main", None, None),
    repositories=(Repository(1, "acme/widgets"),),
)


@pytest.fixture
def inbox(database: Database) -> Inbox:
    return Inbox(database)


def test_a_delivery_comes_out_as_it_went_in(inbox: Inbox) -> None:
    assert inbox.claim("guid", DELIVERY, now=NOW)
    (queued,) = inbox.oldest_queued(10)
    assert (queued.guid, queued.delivery, queued.received_at) == ("guid", DELIVERY, NOW)


def test_a_guid_is_claimed_once(inbox: Inbox) -> None:
    assert inbox.claim("guid", DELIVERY)
    assert not inbox.claim("guid", DELIVERY)
    inbox.mark_routed(queued.seq for queued in inbox.oldest_queued(10))
    assert not inbox.claim("guid", DELIVERY)
    assert inbox.depth() == 0


def test_many_who_claim_one_guid_at_once_claim_it_once(inbox: Inbox) -> None:
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda number: inbox.claim(f"guid-{number % 5}", DELIVERY), range(40)))
    assert sum(claims) == 5
    assert inbox.depth() == 5


def test_pending_is_in_the_order_of_arrival_and_bounded(inbox: Inbox) -> None:
    for number in range(5):
        inbox.claim(f"guid-{number}", DELIVERY)
    first = inbox.oldest_queued(2)
    assert [queued.guid for queued in first] == ["guid-0", "guid-1"]
    inbox.mark_routed([first[1].seq])
    rest = inbox.oldest_queued(10)
    assert [queued.guid for queued in rest] == ["guid-0", "guid-2", "guid-3", "guid-4"]
    seqs = [queued.seq for queued in rest]
    assert seqs == sorted(set(seqs))


def test_a_seq_is_never_used_twice(inbox: Inbox) -> None:
    inbox.claim("guid-1", DELIVERY, now=NOW)
    inbox.claim("guid-2", DELIVERY, now=NOW)
    newest = inbox.oldest_queued(10)[-1].seq
    inbox.mark_routed(queued.seq for queued in inbox.oldest_queued(10))
    assert inbox.prune(NOW + timedelta(days=1)) == 2
    inbox.claim("guid-3", DELIVERY)
    assert inbox.oldest_queued(10)[0].seq > newest


def test_marking_nothing_or_twice_is_harmless(inbox: Inbox) -> None:
    inbox.claim("guid", DELIVERY)
    seqs = [queued.seq for queued in inbox.oldest_queued(10)]
    inbox.mark_routed([])
    assert inbox.depth() == 1
    inbox.mark_routed(seqs)
    inbox.mark_routed(seqs)
    assert (inbox.depth(), inbox.oldest_queued(10)) == (0, ())


def test_oldest_is_the_one_that_waits_longest(inbox: Inbox) -> None:
    assert inbox.oldest() is None
    inbox.claim("guid-1", DELIVERY, now=NOW)
    inbox.claim("guid-2", DELIVERY, now=NOW + timedelta(seconds=5))
    assert inbox.oldest() == NOW
    inbox.mark_routed([inbox.oldest_queued(1)[0].seq])
    assert inbox.oldest() == NOW + timedelta(seconds=5)


def test_known_tells_claimed_guids_from_others(inbox: Inbox) -> None:
    for number in range(3):
        inbox.claim(f"guid-{number}", DELIVERY)
    inbox.mark_routed([inbox.oldest_queued(1)[0].seq])
    many = [f"guid-{number}" for number in range(2000)]
    assert inbox.claims_among(many) == {"guid-0", "guid-1", "guid-2"}
    assert inbox.claims_among([]) == frozenset()


KEEP = timedelta(days=7)


def test_only_old_routed_deliveries_are_forgotten(inbox: Inbox) -> None:
    inbox.claim("old and routed", DELIVERY, now=NOW - KEEP - timedelta(seconds=1))
    inbox.claim("new and routed", DELIVERY, now=NOW - KEEP + timedelta(seconds=1))
    inbox.mark_routed(queued.seq for queued in inbox.oldest_queued(10))
    inbox.claim("old and waiting", DELIVERY, now=NOW - KEEP - timedelta(days=9))
    assert inbox.prune(NOW - KEEP) == 1
    assert inbox.claims_among(["old and routed", "new and routed", "old and waiting"]) == {
        "new and routed",
        "old and waiting",
    }


def test_a_guid_is_remembered_for_longer_than_github_redelivers() -> None:
    with pytest.raises(SettingsError, match="BOUNCER_KEEP_DELIVERIES_DAYS"):
        load(keep_deliveries_days=3)
    assert load(keep_deliveries_days=4).keep_deliveries_days == 4


def test_a_time_without_a_zone_is_refused(inbox: Inbox) -> None:
    with pytest.raises(Exception, match="time zone"):
        inbox.claim("guid", DELIVERY, now=NOW.replace(tzinfo=None))


@given(st.text(), st.text())
def test_any_text_survives_storage(title: str, body: str) -> None:
    adapter = TypeAdapter(Delivery)
    issue = Issue(1, title, body, "a", False, "none", "open", False, (body,), 0, "", "", "")
    delivery = Delivery("issues", "opened", 1, "a", False, issue=issue)
    assert adapter.validate_json(adapter.dump_json(delivery)) == delivery


def test_a_delivery_of_another_version_is_still_read() -> None:
    """A field a newer or older version adds or lacks does not stop what is in the inbox from being routed."""
    adapter = TypeAdapter(Delivery)
    old = '{"event":"issues","action":"opened","installation_id":1,"sender":"a","sender_is_bot":false,"more":1}'
    assert adapter.validate_json(old) == Delivery("issues", "opened", 1, "a", False)


def test_a_claim_is_one_statement_in_one_transaction(inbox: Inbox, database: Database) -> None:
    statements: list[str] = []
    event.listen(database.inbox, "before_cursor_execute", lambda *given: statements.append(given[2]))
    event.listen(database.inbox, "commit", lambda connection: statements.append("COMMIT"))
    inbox.claim("guid", DELIVERY)
    assert len(statements) == 2
    assert statements[0].startswith("INSERT INTO inbox")
    assert statements[1] == "COMMIT"


@pytest.mark.parametrize("guids", [7, 1])
def test_threads_that_claim_together_share_a_statement_and_a_commit(
    inbox: Inbox, database: Database, guids: int
) -> None:
    """Also where GitHub sends one delivery many times at once: one of them is the new one."""
    commits: list[object] = []
    inserts: list[str] = []
    event.listen(database.inbox, "before_cursor_execute", lambda *given: inserts.append(given[2]))

    @event.listens_for(database.inbox, "commit")
    def first_is_slow(connection: object) -> None:
        commits.append(connection)
        if len(commits) == 1:
            eventually(lambda: len(inbox._together._waiting) == 7)

    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(inbox.claim, "first", DELIVERY)
        eventually(lambda: commits)
        rest = list(pool.map(lambda number: inbox.claim(f"guid-{number % guids}", DELIVERY), range(7)))
    assert first.result() and sum(rest) == guids
    assert (len(commits), len(inserts)) == (2, 2)
    assert inbox.depth() == 1 + guids


@pytest.mark.sqlite("its files")
def test_claiming_does_not_wait_for_the_workers_writes(tmp_path: Path) -> None:
    database = Database.open(f"sqlite:///{tmp_path}/bouncer.db")
    migrate(database)
    with database.main.begin() as connection:
        connection.execute(text("DELETE FROM policies"))  # holds the write lock
        assert Inbox(database).claim("guid", DELIVERY)
    database.close()


@pytest.mark.sqlite("one writer at a time")
def test_a_claim_waits_for_another_writer_of_the_inbox_and_then_fails_loudly(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/bouncer.db"
    database = Database.open(url)
    migrate(database)

    @event.listens_for(database.inbox, "connect")
    def hurry(connection: sqlite3.Connection, record: object) -> None:
        connection.execute("PRAGMA busy_timeout = 50")

    database.inbox.dispose()
    holder = sqlite3.connect(tmp_path / "bouncer-inbox.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    inbox = Inbox(database)
    with ThreadPoolExecutor(8) as pool:
        refused = [pool.submit(inbox.claim, f"guid-{number}", DELIVERY) for number in range(8)]
    for claim in refused:  # alone or together
        with pytest.raises(OperationalError, match="locked"):
            claim.result()
    holder.execute("ROLLBACK")
    assert all(inbox.claim(f"guid-{number}", DELIVERY) for number in range(8))
    holder.close()
    database.close()


@pytest.mark.postgres
def test_a_restarted_server_costs_no_delivery(postgres: Server) -> None:
    """The pool's connections are dead after a restart; the next claim notices and takes a new one."""
    url = postgres.create()
    database = Database.open(url)
    migrate(database)
    inbox = Inbox(database)
    inbox.claim("guid-1", DELIVERY)
    name = url.rpartition("/")[2]
    postgres.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    assert inbox.claim("guid-2", DELIVERY)
    assert inbox.depth() == 2
    database.close()


def test_a_delivery_of_another_version_does_not_hold_up_the_others(inbox: Inbox, database: Database) -> None:
    inbox.claim("odd", DELIVERY)
    inbox.claim("fine", DELIVERY)
    with database.inbox.begin() as connection:
        connection.execute(update(table).where(table.c.guid == "odd").values(delivery='{"event": 1}'))
    assert [queued.guid for queued in inbox.oldest_queued(10)] == ["fine"]
    assert inbox.depth() == 1
