"""`GET /`: all is well, deliveries wait too long, or the database is gone; and `GET /welcome/TOKEN`."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from sqlalchemy import update

from bot.storage.database import Database, DatabaseError
from bot.storage.heartbeats import KEY, REFUSED, UNSIGNED, WORKER, WorkerSign, WorkerSigns
from bot.storage.inbox import inbox as deliveries
from bot.storage.stores import Stores, open_stores
from bot.storage.tokens import new_token
from bot.storage.welcomes import Welcome, WelcomeIssue, Welcomes, welcome_pages
from bot.verdicts import IssueKind
from tests.support.databases import Databases
from tests.webhooks.judged import heard_of, vague
from tests.webhooks.test_receive import BROKEN, Destroy, post, settings
from webhooks.app import create_app
from webhooks.headers import HEADERS
from webhooks.health import state_of

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def test_all_is_well(url: str) -> None:
    found = create_app(settings(url)).test_client().get("/")
    assert (found.status_code, "All is well" in found.text, "No delivery waits." in found.text) == (200, True, True)
    assert found.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    assert found.headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("age", "status", "says"),
    [
        (timedelta(seconds=20), 200, "1 delivery waits, the oldest for less than a minute."),
        (timedelta(minutes=4, seconds=59), 200, "1 delivery waits, the oldest for 4 minutes."),
        (timedelta(minutes=6), 503, "1 delivery waits, the oldest for 6 minutes."),
        (timedelta(hours=1), 503, "the oldest for 1 hour."),
        (timedelta(days=2), 503, "the oldest for 2 days."),
        (-timedelta(hours=1), 200, "less than a minute"),  # a clock that was set back
    ],
)
def test_a_delivery_that_waits_too_long_means_that_no_worker_runs(
    url: str, age: timedelta, status: int, says: str
) -> None:
    client = create_app(settings(url)).test_client()
    assert post(client).status_code == 202
    database = Database.open(url)
    with database.inbox.begin() as connection:
        connection.execute(update(deliveries).values(received_at=datetime.now(UTC) - age))
    database.close()
    found = client.get("/")
    assert (found.status_code, says in found.text) == (status, True), found.text
    assert ("Start one with <code>bouncer worker</code>" in found.text) is (status == 503)
    assert ("Something is wrong" in found.text) is (status == 503)


@pytest.mark.parametrize(
    ("sign", "age", "status", "says"),
    [
        (WorkerSign(WORKER, NOW), timedelta(seconds=40), 200, "The last heartbeat was less than a minute ago."),
        (WorkerSign(WORKER, NOW), timedelta(minutes=6), 503, "Start one with <code>bouncer worker</code>"),
        (WorkerSign(REFUSED, NOW), timedelta(hours=9), 200, "By GitHub's log, the last delivery was not refused."),
        (WorkerSign(REFUSED, NOW, 3), timedelta(hours=9), 503, "3 deliveries were refused here for the signature"),
        (WorkerSign(REFUSED, NOW, 1), timedelta(0), 503, "the same webhook secret."),
        (WorkerSign(KEY, NOW, 1), timedelta(0), 503, "GitHub refuses the App's key."),
        (WorkerSign(KEY, NOW), timedelta(0), 200, "All is well"),
        (WorkerSign(UNSIGNED, NOW), timedelta(minutes=6), 200, "All is well"),
    ],
)
def test_what_workers_tell_is_said_before_a_delivery_waits(
    url: str, sign: WorkerSign, age: timedelta, status: int, says: str
) -> None:
    database = Database.open(url)
    WorkerSigns(database).save(replace(sign, at=datetime.now(UTC) - age))
    database.close()
    found = create_app(settings(url)).test_client().get("/")
    assert (found.status_code, says in found.text) == (status, True), found.text


@pytest.mark.parametrize(("minutes", "well"), [(4, True), (6, False)])
def test_a_worker_that_never_came_is_missed_before_a_delivery_waits(url: str, minutes: int, well: bool) -> None:
    database = Database.open(url)
    state = state_of(database, Stores(**open_stores(database)), NOW + timedelta(minutes=minutes), NOW)
    database.close()
    assert (state.well, state.no_worker, state.has_reported) == (well, not well, False)


def test_a_stranger_cannot_make_it_red_and_a_refusal_shows_at_once(url: str) -> None:
    """However many deliveries are forged: what was refused is read in GitHub's log, and until then all is not well."""
    client = create_app(settings(url)).test_client()
    for number in range(3):
        assert post(client, X_Hub_Signature_256=f"sha256={number:064x}").status_code == 401
    found = client.get("/")
    assert (found.status_code, "A delivery was refused" in found.text, "ll is well" in found.text) == (200, True, False)
    database = Database.open(url)
    WorkerSigns(database).save(WorkerSign(REFUSED, datetime.now(UTC)))  # it was none of GitHub's
    database.close()
    assert "All is well" in client.get("/").text


@BROKEN
def test_without_its_database_it_says_so_and_shows_nothing_of_it(
    url: str, databases: Databases, destroy: Destroy
) -> None:
    destroy(url, databases)
    found = create_app(settings(url)).test_client().get("/")
    assert (
        found.status_code,
        "The database does not answer, is not migrated, or cannot be written." in found.text,
    ) == (503, True)
    assert "<code>bouncer doctor</code>" in found.text
    assert "sqlite" not in found.text and "Traceback" not in found.text


@pytest.mark.sqlite("its files")
def test_a_database_that_is_read_and_not_written_is_no_place_for_deliveries(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections that were opened before the disk went bad do not notice; one that is locked is all right."""
    client, plain = create_app(settings(url)).test_client(), sqlite3.connect
    database = Database.open(url)
    with database.main.connect() as main, database.inbox.connect() as inbox:
        for connection in (main, inbox):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        assert client.get("/readyz").status_code == client.get("/").status_code == 200

    def read_only(file: str, **options: Any) -> sqlite3.Connection:
        return plain(file.replace("mode=rw", "mode=ro"), **options)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    assert client.get("/readyz").status_code == client.get("/").status_code == 503
    with pytest.raises(DatabaseError, match=r"readonly database\. Let this user write in"):
        database.check_writable()
    database.close()


def test_several_waiting_are_counted(url: str) -> None:
    client = create_app(settings(url)).test_client()
    for number in range(3):
        post(client, X_GitHub_Delivery=f"guid-{number}")
    database = Database.open(url)
    state = state_of(database, Stores(**open_stores(database)), datetime.now(UTC), NOW)
    database.close()
    assert state.waiting == 3
    assert "3 deliveries wait" in client.get("/").text
    assert client.post("/").status_code == 405


PUBLIC = "https://bouncer.example.com"


@pytest.fixture
def store(url: str) -> Iterator[Welcomes]:
    """Of a server that knows the repository as a public one."""
    database = Database.open(url)
    heard_of(database, "acme/widgets", 7)
    yield Welcomes(database)
    database.close()


def made(*issues: WelcomeIssue) -> Welcome:
    return Welcome(7, 1, "acme/widgets", new_token(), "main", datetime(2026, 5, 1, tzinfo=UTC), issues)


def held(number: int, title: str = "It broke") -> WelcomeIssue:
    return WelcomeIssue(number, title, vague(), ("balanced", "strict"))


def page(url: str, store: Welcomes, welcome: Welcome) -> str:
    store.save(welcome)
    found = create_app(settings(url, public_url=PUBLIC)).test_client().get(f"/welcome/{welcome.token}")
    assert found.status_code == 200, found.text
    assert found.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    assert found.headers["Cache-Control"] == "private, no-store"
    return unescape(found.text)


def test_it_shows_what_would_have_been_held_and_the_policy_to_begin_with(url: str, store: Welcomes) -> None:
    strict = replace(held(8), held_by=("strict",))
    welcome = made(held(9), strict, WelcomeIssue(5, "Weekly numbers", None, left_alone="a bot opened it"))
    text = page(url, store, welcome)
    assert "It would have held 1 of the last 3 issues" in text
    assert "The report leaves out steps to reproduce." in text and "What do you do?" in text
    assert "balanced</th><td>1 of 3" in text and "strict</th><td>2 of 3" in text and "lenient</th><td>0 of 3" in text
    assert "(a bot opened it)" in text
    assert "https://github.com/acme/widgets/new/main?filename=.github%2Fbouncer.yml&value=" in text
    assert "https://github.com/acme/widgets/issues/new?title=" in text
    assert f"{PUBLIC}/welcome/{welcome.token}".replace(":", "%3A").replace("/", "%2F") in text


def test_a_repository_without_issues_is_welcome_too(url: str, store: Welcomes) -> None:
    text = page(url, store, made())
    assert "There is no issue to show yet" in text and "Add it on GitHub" in text
    assert "issues/new?" not in text


def test_issues_that_are_all_left_alone_are_issues_all_the_same(url: str, store: Welcomes) -> None:
    text = page(url, store, made(WelcomeIssue(5, "Ours", None, left_alone="its author is exempt")))
    assert "It would have held 0 of the last 1 issue<" in text and "(its author is exempt)" in text
    assert "says enough to act on, or is left alone." in text


def test_titles_of_strangers_stay_text(url: str, store: Welcomes) -> None:
    welcome = made(held(9, "<script>alert(1)</script>"))
    store.save(welcome)
    found = create_app(settings(url)).test_client().get(f"/welcome/{welcome.token}").text
    assert "<script>" not in found and "&lt;script&gt;" in found


def test_of_what_reads_like_a_vulnerability_nothing_is_shown(url: str, store: Welcomes) -> None:
    issue = replace(held(9), verdict=vague("how to exploit it", kind=IssueKind.VULNERABILITY))
    assert "exploit" not in page(url, store, made(issue))


@pytest.mark.parametrize("token", ["x", "a" * 32, "../x", "%00"])
def test_other_addresses_lead_nowhere(url: str, store: Welcomes, token: str) -> None:
    store.save(made())
    assert create_app(settings(url)).test_client().get(f"/welcome/{token}").status_code == 404


@pytest.mark.parametrize("repo_id", [8, 9])
def test_that_of_a_private_or_unknown_one_is_not_for_whoever_knows_the_address(
    url: str, store: Welcomes, repo_id: int
) -> None:
    database = Database.open(url)
    heard_of(database, "acme/secret", 8, private=True)
    database.close()
    welcome = replace(made(held(9)), repo_id=repo_id)
    store.save(welcome)
    found = create_app(settings(url)).test_client().get(f"/welcome/{welcome.token}")
    assert (found.status_code, "It broke" in found.text) == (403, False)


def test_the_addresses_by_repository(store: Welcomes) -> None:
    welcome = made()
    store.save(welcome)
    assert welcome_pages(store.all(), PUBLIC) == {"acme/widgets": f"{PUBLIC}/welcome/{welcome.token}"}
    assert welcome_pages(store.all(), "") == welcome_pages(store.all(), PUBLIC, "other/one") == {}
    assert list(welcome_pages(store.all(), PUBLIC, "ACME/widgets")) == ["acme/widgets"]
