"""The door itself: what is taken, what is refused, and in which words."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bot.settings import Settings, SettingsError
from bot.storage.database import Database
from bot.storage.inbox import Inbox
from bot.storage.migrate import migrate
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.webhooks.sending import OLD_SECRET, SECRET, encoded, payload, signed
from webhooks import secrets
from webhooks.app import create_app
from webhooks.receive import MOST_BYTES
from webhooks.secrets import sign

BODY = encoded(payload())
GENUINE = sign(BODY, SECRET.encode())


def settings(url: str, **changes: Any) -> Settings:
    return Settings(**{"webhook_secret": SECRET, "database_url": url, **changes})


@pytest.fixture
def client(url: str) -> FlaskClient:
    return create_app(settings(url, webhook_secret_previous=OLD_SECRET)).test_client()


@pytest.fixture
def inbox(url: str) -> Inbox:
    return Inbox(Database.open(url))


def post(client: FlaskClient, body: bytes = BODY, **headers: str | None) -> TestResponse:
    """Send `body` signed; a header given as `None` is left out. Underscores stand for dashes."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    merged = {**signed(body), **given}
    return client.post(
        "/webhook", data=body, headers={name: value for name, value in merged.items() if value is not None}
    )


def one_line(response: TestResponse) -> str:
    assert response.content_type == "text/plain; charset=utf-8"
    assert response.text.endswith("\n")
    assert "\n" not in response.text[:-1]
    return response.text[:-1]


def test_a_new_delivery_is_in_the_inbox_before_the_answer(client: FlaskClient, inbox: Inbox) -> None:
    response = post(client, X_GitHub_Delivery="guid-1")
    assert (response.status_code, one_line(response)) == (202, "queued: issues opened")
    (queued,) = inbox.oldest_queued(10)
    assert queued.guid == "guid-1"
    assert queued.delivery.issue is not None
    assert queued.delivery.issue.title == "It fails"


def test_the_same_delivery_again_is_a_duplicate(client: FlaskClient, inbox: Inbox) -> None:
    post(client, X_GitHub_Delivery="guid-1")
    response = post(client, X_GitHub_Delivery="guid-1")
    assert (response.status_code, one_line(response)) == (202, "duplicate: issues opened was received before")
    assert inbox.depth() == 1


def test_both_secrets_are_accepted_while_they_rotate(client: FlaskClient) -> None:
    assert post(client, X_Hub_Signature_256=sign(BODY, SECRET.encode())).status_code == 202
    assert post(client, X_Hub_Signature_256=sign(BODY, OLD_SECRET.encode())).status_code == 202
    assert post(client, X_Hub_Signature_256=sign(BODY, b"another secret altogether")).status_code == 401


def test_the_old_secret_is_refused_after_the_rotation(url: str) -> None:
    client = create_app(settings(url)).test_client()
    assert post(client, X_Hub_Signature_256=sign(BODY, OLD_SECRET.encode())).status_code == 401


def test_a_secret_that_is_changed_in_the_settings_file_counts_at_once(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First the new one and the old, then the new one alone: without a restart, and without a refused delivery."""
    file, new = tmp_path / "app.env", "a new secret, long enough to be one"
    monkeypatch.setenv("BOUNCER_SETTINGS_FILE", str(file))
    file.write_text(f"BOUNCER_WEBHOOK_SECRET={SECRET}\n")
    client = create_app(settings(url)).test_client()
    monkeypatch.setattr(secrets, "BETWEEN_LOOKS", 0)
    asked = {"new": sign(BODY, new.encode()), "old": GENUINE, "none": sign(BODY, b"another secret altogether")}

    def answers() -> dict[str, int]:
        return {name: post(client, X_Hub_Signature_256=each).status_code for name, each in asked.items()}

    assert answers() == {"new": 401, "old": 202, "none": 401}
    file.write_text(f"BOUNCER_WEBHOOK_SECRET={new}\nBOUNCER_WEBHOOK_SECRET_PREVIOUS={SECRET}\n")
    assert answers() == {"new": 202, "old": 202, "none": 401}
    file.write_text(f"BOUNCER_WEBHOOK_SECRET={new}\n")  # who knows the old one alone is out at once
    assert answers() == {"new": 202, "old": 401, "none": 401}
    file.write_bytes(b"\xff")
    assert answers() == {"new": 202, "old": 401, "none": 401}
    file.unlink()
    assert answers() == {"new": 202, "old": 401, "none": 401}


def test_deliveries_that_come_together_are_all_told_by_a_new_secret(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one reads the file, those that wait for it do not, and are refused no more than it is."""
    file, new = tmp_path / "app.env", "a new secret, long enough to be one"
    monkeypatch.setenv("BOUNCER_SETTINGS_FILE", str(file))
    now = [0.0]
    signatures = secrets.Signatures(settings(url), clock=lambda: now[0])
    now[0] += secrets.BETWEEN_LOOKS
    signatures._lock = Waiting(threading.Barrier(4))  # type: ignore[assignment]
    file.write_text(f"BOUNCER_WEBHOOK_SECRET={new}\n")
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: signatures.fit(sign(BODY, new.encode()), BODY), range(4)))


class Waiting:
    """A lock that nobody takes before all are there."""

    def __init__(self, together: threading.Barrier) -> None:
        self._together, self._lock = together, threading.Lock()

    def __enter__(self) -> None:
        self._together.wait(20)
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()


def test_a_stranger_cannot_make_it_read_the_file_all_the_time(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, now = [], [100.0]
    monkeypatch.setattr(secrets, "with_new_secrets", lambda given: looks.append(now[0]) or given)
    signatures = secrets.Signatures(settings(url), clock=lambda: now[0])
    for _ in range(100):
        now[0] += 0.05
        assert not signatures.fit("sha256=" + "0" * 64, BODY)
    assert len(looks) <= 5


def test_no_empty_secret_is_ever_accepted(url: str) -> None:
    client = create_app(settings(url, webhook_secret_previous="")).test_client()
    assert post(client, X_Hub_Signature_256=sign(BODY, b"")).status_code == 401


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        (None, "missing"),
        ("", "malformed"),
        ("sha256=", "malformed"),
        (GENUINE.removeprefix("sha256="), "malformed"),
        ("sha1=" + GENUINE.removeprefix("sha256="), "malformed"),
        (GENUINE.upper(), "malformed"),
        (GENUINE + "0", "malformed"),
        (GENUINE[:-1] + "é", "malformed"),
        (GENUINE[:-1] + ("0" if GENUINE[-1] != "0" else "1"), "wrong"),
        (sign(BODY + b" ", SECRET.encode()), "wrong"),
        ("sha256=" + "0" * 64, "wrong"),
    ],
)
def test_a_signature_that_is_not_githubs_is_refused(
    client: FlaskClient, inbox: Inbox, signature: str | None, words: str
) -> None:
    response = post(client, X_Hub_Signature_256=signature)
    assert response.status_code == 401
    assert f"is {words}" in one_line(response)
    assert inbox.depth() == 0


def test_who_has_no_secret_learns_nothing_but_that(client: FlaskClient) -> None:
    """Whatever else is wrong with it, an unsigned request is refused for its signature, and never parsed."""
    wrong = {"X_Hub_Signature_256": sign(b"other", SECRET.encode())}
    answers = {
        one_line(post(client, **wrong)),
        one_line(post(client, b"{not json", **wrong)),
        one_line(post(client, Content_Type="text/html", **wrong)),
        one_line(post(client, X_GitHub_Event=None, **wrong)),
        one_line(post(client, X_GitHub_Event="ping", **wrong)),
    }
    assert len(answers) == 1


@pytest.mark.parametrize(("length", "status"), [(MOST_BYTES, 400), (MOST_BYTES + 1, 413), (MOST_BYTES + 9, 413)])
def test_a_body_over_githubs_limit_is_refused(client: FlaskClient, length: int, status: int) -> None:
    response = post(client, b"x" * length)
    assert response.status_code == status
    assert status == 400 or "25 MiB" in one_line(response)


def test_whoever_hangs_up_in_the_middle_is_no_failure_of_ours(
    client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    more = {"CONTENT_LENGTH": str(len(BODY) + 1)}
    response = client.post("/webhook", data=BODY, headers=signed(BODY), environ_overrides=more)
    assert (response.status_code, one_line(response)) == (400, "400: Bad Request")
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "", None])
def test_another_content_type_is_refused_with_the_mend(client: FlaskClient, kind: str | None) -> None:
    response = post(client, Content_Type=kind)
    assert response.status_code == 415
    assert "set the webhook's content type to application/json" in one_line(response)


def test_a_content_type_may_have_parameters(client: FlaskClient) -> None:
    assert post(client, Content_Type="application/json; charset=utf-8").status_code == 202


DEEP = b"[" * 200_000


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"nonsense", b"\xff\xfe\x00", b'{"a": ' + b"9" * 5000 + b"}", DEEP, b"[]", b'"text"', b"3", b"null"],
    ids=lambda body: repr(body[:12]),
)
def test_a_body_that_is_no_json_object_is_refused(client: FlaskClient, body: bytes) -> None:
    response = post(client, body)
    assert response.status_code == 400
    assert "JSON" in one_line(response)


@pytest.mark.parametrize("value", [None, "", "Issues!", "is sues", "x" * 65, "<b>"])
def test_an_odd_event_header_is_refused(client: FlaskClient, value: str | None) -> None:
    response = post(client, X_GitHub_Event=value)
    assert (response.status_code, "X-GitHub-Event" in one_line(response)) == (400, True)


@pytest.mark.parametrize("value", [None, "", "a b", "x" * 65, "é", "a'b"])
def test_an_odd_delivery_header_is_refused(client: FlaskClient, value: str | None) -> None:
    response = post(client, X_GitHub_Delivery=value)
    assert (response.status_code, "X-GitHub-Delivery" in one_line(response)) == (400, True)


@cases
def test_what_bouncer_does_not_handle_is_ignored_and_says_why(
    client: FlaskClient, inbox: Inbox, event: str, changes: dict[str, Any], reason: str
) -> None:
    response = post(client, encoded(payload(**changes)), X_GitHub_Event=event)
    assert (response.status_code, one_line(response)) == (202, f"ignored: {reason}")
    assert inbox.depth() == 0


def test_a_ping_is_answered(client: FlaskClient) -> None:
    response = post(client, encoded({"zen": "Design for failure.", "hook_id": 1}), X_GitHub_Event="ping")
    assert (response.status_code, one_line(response)) == (202, "pong: Bouncer is listening")


INSTALLED = {
    "action": "created",
    "installation": {"id": 7, "account": {"login": "Acme"}},
    "repositories": [],
    "sender": {"login": "owner"},
}


@pytest.mark.parametrize(
    ("allowed", "taken"), [("", True), ("acme", True), (" Other , ACME ", True), ("other", False), ("acme2", False)]
)
@pytest.mark.parametrize(("event", "content"), [("issues", payload()), ("installation", INSTALLED)])
def test_only_allowed_accounts_are_served(
    url: str, inbox: Inbox, allowed: str, taken: bool, event: str, content: dict[str, Any]
) -> None:
    client = create_app(settings(url, allowed_accounts=allowed)).test_client()
    response = post(client, encoded(content), X_GitHub_Event=event)
    assert response.status_code == 202
    assert one_line(response).startswith("queued" if taken else "ignored: this Bouncer does not serve this account")
    assert inbox.depth() == int(taken)


def break_by_damage(url: str, databases: Databases) -> None:
    Path(url.removeprefix("sqlite:///").replace(".db", "-inbox.db")).write_bytes(b"not a database " * 300)


def break_by_losing(url: str, databases: Databases) -> None:
    databases.lose(url)


Destroy = Callable[[str, Databases], None]
BROKEN = pytest.mark.parametrize(
    "destroy", [break_by_losing, pytest.param(break_by_damage, marks=pytest.mark.sqlite("its files"))]
)


@BROKEN
def test_without_the_database_nothing_is_acknowledged(
    url: str, databases: Databases, destroy: Destroy, caplog: pytest.LogCaptureFixture
) -> None:
    destroy(url, databases)
    client = create_app(settings(url)).test_client()
    response = post(client)
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) > 0
    assert one_line(response) == "unavailable: the delivery was not stored; please redeliver it"
    assert "Sometimes." not in caplog.text
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200
    assert "bouncer_database_up 0.0" in client.get("/metrics").text


def test_the_door_opens_again_when_the_database_is_back(databases: Databases) -> None:
    url = databases.empty()
    client = create_app(settings(url)).test_client()
    assert post(client, X_GitHub_Delivery="guid-1").status_code == 503
    database = Database.open(url)
    migrate(database)
    assert one_line(post(client, X_GitHub_Delivery="guid-1")) == "queued: issues opened"
    assert client.get("/readyz").text == "ready\n"


@pytest.mark.parametrize("secret", [None, ""])
def test_bouncer_does_not_start_without_a_webhook_secret(url: str, secret: str | None) -> None:
    with pytest.raises(SettingsError, match=r"BOUNCER_WEBHOOK_SECRET is not set\. .*openssl rand -hex 32"):
        create_app(settings(url, webhook_secret=secret, webhook_secret_previous=OLD_SECRET))


@pytest.mark.parametrize(("secret", "warns"), [("hunter2", True), ("x" * 15, True), ("x" * 16, False)])
def test_a_short_secret_is_warned_about_and_never_shown(
    url: str, secret: str, warns: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        create_app(settings(url, webhook_secret=secret))
    assert ("shorter than 16" in caplog.text) is warns
    assert secret not in caplog.text


def test_every_answer_is_one_plain_line(client: FlaskClient) -> None:
    assert one_line(client.get("/nowhere")) == "404: Not Found"
    refused = client.get("/webhook")
    assert one_line(refused) == "405: Method Not Allowed"
    assert "POST" in refused.headers["Allow"]


def test_a_fault_of_our_own_shows_no_traceback(url: str, caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(settings(url))

    @app.get("/fault")
    def fault() -> str:
        raise RuntimeError("secret detail")

    response = app.test_client().get("/fault")
    assert (response.status_code, one_line(response)) == (500, "500: something went wrong here; the log says what")
    assert "secret detail" in caplog.text


def test_a_fault_at_a_delivery_is_told_to_github_and_to_the_log(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*given: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("webhooks.receive.receive", broken)
    response = post(client)
    assert (response.status_code, one_line(response)) == (500, "500: something went wrong here; the log says what")
    assert "secret detail" in caplog.text


def test_the_metrics_count_by_event_and_outcome(client: FlaskClient, inbox: Inbox) -> None:
    post(client, X_GitHub_Delivery="guid-1")
    post(client, X_GitHub_Delivery="guid-1")
    post(client, X_GitHub_Event="anything_at_all")
    post(client, X_Hub_Signature_256="nonsense")
    lines = client.get("/metrics").text.splitlines()
    assert 'bouncer_deliveries_total{event="issues",outcome="queued"} 1.0' in lines
    assert 'bouncer_deliveries_total{event="issues",outcome="duplicate"} 1.0' in lines
    assert 'bouncer_deliveries_total{event="other",outcome="ignored"} 1.0' in lines
    assert 'bouncer_deliveries_total{event="other",outcome="refused"} 1.0' in lines
    assert "bouncer_inbox_depth 1.0" in lines
    assert "bouncer_database_up 1.0" in lines
    (age,) = (line for line in lines if line.startswith("bouncer_inbox_oldest_seconds "))
    assert 0 < float(age.split()[1]) < 60
    inbox.mark_routed(queued.seq for queued in inbox.oldest_queued(10))
    assert "bouncer_inbox_depth 0.0" in client.get("/metrics").text
    assert "bouncer_inbox_oldest_seconds 0.0" in client.get("/metrics").text
