"""The door behind a real gunicorn, started by `bouncer serve`."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from click.testing import CliRunner

from bot.cli import main
from bot.settings import Settings
from bot.storage.database import Database
from bot.storage.heartbeats import Apps
from bot.storage.inbox import Inbox
from bot.storage.migrate import migrate
from tests.support.cases import cases
from tests.support.closed import assert_closed
from tests.support.databases import BOTH, ONE, Databases
from tests.support.lengths import EVERY_DEATH
from tests.support.waiting import eventually
from tests.webhooks.sending import encoded, payload, signed
from tests.webhooks.serving import PATIENT, Serving, bouncer, environment, serving
from webhooks.gunicorn_worker import SEATS
from webhooks.receive import MOST_BYTES
from webhooks.server import prepare
from webhooks.wsgi import application

BODY = encoded(payload())
PATIENCE = 120.0  # seconds; no busy machine may fail a test


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[Serving]:
    """One that waits for who is slow: what the others see is the same. As it comes, the other tests start it."""
    directory = tmp_path_factory.mktemp("web")
    with serving(databases.empty(), directory, program=PATIENT) as running:
        yield running


def test_senders_who_never_finish_do_not_hold_the_door(web: Serving) -> None:
    whole = b"POST /webhook HTTP/1.1\r\nHost: x\r\n\r\n"  # refused at once, and its sender never hangs up
    half = b"POST /webhook HTTP/1.1\r\nHost: x\r\n" + unfinished() + b"\r\n\r\n{"
    with slow_senders(web, b"POST /webhook HT", half, half, whole, b"", number=100):
        assert requests.get(f"{web.address}/healthz", timeout=PATIENCE).ok
        assert requests.post(f"{web.address}/webhook", data=BODY, headers=signed(BODY), timeout=PATIENCE).ok


def test_a_crowd_of_them_is_soon_heard_no_longer(web: Serving) -> None:
    with slow_senders(web, b"POST /webhook HT", number=SEATS + 10):
        assert requests.get(f"{web.address}/healthz", timeout=PATIENCE).ok


@contextmanager
def slow_senders(web: Serving, *beginnings: bytes, number: int) -> Iterator[None]:
    """Connections that have sent the beginning of a request each, in turn, and send no more."""
    address = urlsplit(web.address)
    with ExitStack() as open_ones:
        for beginning in islice(cycle(beginnings), number):
            connection = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
            open_ones.callback(connection.close)
            connection.sendall(beginning)
        yield


def unfinished() -> bytes:
    return b"\r\n".join(f"{name}: {value}".encode() for name, value in {**signed(BODY), "Content-Length": 9999}.items())


def test_a_delivery_is_queued_then_known_then_refused_when_it_is_not_genuine(web: Serving) -> None:
    headers = signed(BODY)
    first, second, third = (
        requests.post(f"{web.address}/webhook", data=body, headers=headers, timeout=PATIENCE)
        for body in (BODY, BODY, BODY + b" ")
    )
    assert (first.status_code, first.text) == (202, "queued: issues opened\n")
    assert (second.status_code, second.text) == (202, "duplicate: issues opened was received before\n")
    assert third.status_code == 401


def test_health_ready_and_metrics_answer(web: Serving) -> None:
    assert requests.get(f"{web.address}/healthz", timeout=PATIENCE).text == "alive\n"
    assert requests.get(f"{web.address}/readyz", timeout=PATIENCE).text == "ready\n"
    assert "bouncer_database_up 1" in requests.get(f"{web.address}/metrics", timeout=PATIENCE).text


def chunks(length: int) -> Iterator[bytes]:
    for _ in range(length // 2**20):
        yield b"x" * 2**20
    yield b"x" * (length % 2**20)


@pytest.mark.parametrize(("length", "status"), [(MOST_BYTES - 1, 400), (MOST_BYTES, 400), (MOST_BYTES + 1, 413)])
def test_a_body_without_a_declared_length_is_read_as_far_as_the_limit(web: Serving, length: int, status: int) -> None:
    headers = signed(b"x" * length)
    response = requests.post(f"{web.address}/webhook", data=chunks(length), headers=headers, timeout=PATIENCE)
    assert response.request.headers["Transfer-Encoding"] == "chunked"
    assert response.status_code == status


def test_a_declared_length_over_the_limit_is_refused_before_the_body_is_sent(web: Serving) -> None:
    connection = http.client.HTTPConnection(urlsplit(web.address).netloc, timeout=PATIENCE)
    connection.putrequest("POST", "/webhook")
    for name, value in (signed(b"") | {"Content-Length": str(MOST_BYTES + 1)}).items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_an_unsigned_request_is_refused_before_its_body_is_sent(web: Serving) -> None:
    connection = http.client.HTTPConnection(urlsplit(web.address).netloc, timeout=PATIENCE)
    connection.putrequest("POST", "/webhook")
    connection.putheader("Content-Length", "20000000")
    connection.endheaders()
    assert connection.getresponse().status == 401
    connection.close()


def test_who_is_refused_while_still_sending_reads_the_answer_to_its_end(web: Serving) -> None:
    """A connection that is closed over unread bytes is reset, and the answer may be lost on the way."""
    address = urlsplit(web.address)
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as connection:
        head = b"POST /webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2000000\r\n\r\n"
        connection.sendall(head + b"x" * 50_000)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 401 ")


def test_the_log_holds_no_text_of_a_delivery(web: Serving) -> None:
    body = encoded(payload(issue={"number": 3, "title": "A very private title"}))
    requests.post(f"{web.address}/webhook", data=body, headers=signed(body, guid="guid-of-the-log"), timeout=PATIENCE)
    log = eventually(lambda: "guid-of-the-log" in web.errors.read_text() and web.errors.read_text())
    assert "A very private title" not in log
    assert "winding secret" not in log


@cases
def test_serve_does_not_start_on_settings_that_cannot_work(
    databases: Databases, settings: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.commands.serve.serve_forever", lambda *given: pytest.fail("it serves"))
    env = environment(**{"database_url": databases.empty(), **settings})
    ended = CliRunner(env=env).invoke(main, ["serve", "--port", "0"])
    assert ended.exit_code == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("bouncer serve: ")
    assert words in ended.stderr
    assert "hunter2" not in ended.stderr


@cases
def test_where_nobody_could_set_it_up_it_does_not_start_and_says_what_to_do(
    databases: Databases, had: bool, file: str, says: str
) -> None:
    url = databases.migrated()
    database = Database.open(url)
    if had:
        Apps(database).remember(5, now=datetime.now(UTC))
    database.close()
    env = environment(url, webhook_secret="", setup="1", settings_file=file)
    ended = CliRunner(env=env).invoke(main, ["serve", "--port", "0"])
    assert (ended.exit_code, ended.stdout) == (2, "")
    (said,) = ended.stderr.splitlines()
    assert says in said


def test_migrate_prepares_a_database_and_says_so(databases: Databases) -> None:
    url = databases.empty()
    for _ in range(2):
        ended = CliRunner(env=environment(url)).invoke(main, ["migrate"])
        assert (ended.exit_code, ended.stdout, ended.stderr) == (0, "The database is up to date.\n", "")
    database = Database.open(url)
    database.check()
    database.close()


@pytest.mark.parametrize("url", ["mysql://root:hunter2@localhost/x", "postgresql://root:hunter2@127.0.0.1:1/x"])
def test_migrate_says_what_is_wrong_with_the_database(url: str) -> None:
    ended = CliRunner(env=environment(url)).invoke(main, ["migrate"])
    assert ended.exit_code == 2
    assert ended.stderr.startswith("bouncer migrate: ")
    assert "hunter2" not in ended.output


def test_a_worker_process_that_dies_is_replaced_and_a_delivery_under_way_answered_before_the_end(
    databases: Databases,
    tmp_path: Path,
) -> None:
    with serving(databases.empty(), tmp_path) as web:
        children = Path(f"/proc/{web.process.pid}/task/{web.process.pid}/children")
        eventually(lambda: requests.get(f"{web.address}/healthz", timeout=PATIENCE).ok)
        (worker,) = children.read_text().split()
        os.kill(int(worker), signal.SIGKILL)
        eventually(lambda: children.read_text().split() not in ([], [worker]))
        connection = http.client.HTTPConnection(urlsplit(web.address).netloc, timeout=PATIENCE)
        connection.putrequest("POST", "/webhook")
        for name, value in (signed(BODY) | {"Content-Length": str(len(BODY))}).items():
            connection.putheader(name, value)
        connection.endheaders(BODY[:10])
        eventually(lambda: requests.get(f"{web.address}/healthz", timeout=PATIENCE).ok)
        web.process.send_signal(signal.SIGTERM)
        connection.send(BODY[10:])
        assert connection.getresponse().status == 202
        assert web.process.wait(300) == 0


@pytest.mark.crash
@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_kill_9_in_a_burst_loses_nothing_that_was_acknowledged(database_url: str, tmp_path: Path) -> None:
    acknowledged: set[str] = set()
    for _ in range(2 if EVERY_DEATH else 1):
        with serving(database_url, tmp_path) as web:
            senders = [threading.Thread(target=send_until_it_dies, args=(web.address, acknowledged)) for _ in range(4)]
            before = len(acknowledged)
            for sender in senders:
                sender.start()
            eventually(lambda before=before: len(acknowledged) > before + 50)
            web.kill()
            for sender in senders:
                sender.join(20)
    database = Database.open(database_url)
    inbox = Inbox(database)
    assert acknowledged - inbox.claims_among(acknowledged) == set()
    assert {queued.guid for queued in inbox.oldest_queued(100_000)} >= acknowledged
    database.close()


# Dies once, when deliveries are stored and nobody was told yet.
DIES_UNANSWERED = """
import os
from pathlib import Path
from bot.storage.inbox import Inbox
from bot.cli import main
claimed, died = Inbox._claim_all, Path({died!r})
def claim_and_die(inbox, rows):
    answers = claimed(inbox, rows)
    if not died.exists():
        died.touch()
        os.kill(os.getpid(), 9)
    return answers
Inbox._claim_all = claim_and_die
main()
"""


@pytest.mark.crash
def test_kill_9_between_storing_and_answering_costs_a_redelivery_and_stores_nothing_twice(
    databases: Databases, tmp_path: Path
) -> None:
    url, died = databases.empty(), tmp_path / "died"
    script = tmp_path / "dies.py"
    script.write_text(DIES_UNANSWERED.format(died=str(died)))

    def sent(guid: str) -> str:
        headers = signed(BODY, guid=guid)
        try:
            return requests.post(f"{web.address}/webhook", data=BODY, headers=headers, timeout=PATIENCE).text
        except requests.RequestException:
            return ""

    guids = [str(uuid.uuid4()) for _ in range(12)]
    with serving(url, tmp_path, program=[sys.executable, str(script)]) as web, ThreadPoolExecutor(12) as pool:
        unanswered = [guid for guid, answer in zip(guids, pool.map(sent, guids), strict=True) if not answer]
        assert died.exists() and unanswered
        eventually(lambda: requests.get(f"{web.address}/readyz", timeout=PATIENCE).ok)
        again = [sent(guid) for guid in guids]
    assert "duplicate: issues opened was received before\n" in {again[guids.index(guid)] for guid in unanswered}
    database = Database.open(url)
    assert sorted(queued.guid for queued in Inbox(database).oldest_queued(100)) == sorted(guids)
    database.close()


def send_until_it_dies(address: str, acknowledged: set[str]) -> None:
    session = requests.Session()
    while True:
        guid = str(uuid.uuid4())
        try:
            response = session.post(f"{address}/webhook", data=BODY, headers=signed(BODY, guid=guid), timeout=PATIENCE)
        except requests.RequestException:
            return
        if response.status_code == 202:
            acknowledged.add(guid)


def test_another_wsgi_server_finds_the_application(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> None:
    url = databases.empty()
    for name, value in environment(url).items():
        monkeypatch.setenv(name, value)
    database = Database.open(url)
    migrate(database)
    response = application().test_client().post("/webhook", data=BODY, headers=signed(BODY))
    assert response.text == "queued: issues opened\n"
    assert Inbox(database).depth() == 1
    database.close()


@pytest.mark.sqlite("its file lies where the process was started")
@pytest.mark.parametrize(
    ("known", "level"), [({"app_id": 7}, "WARNING"), ({"setup": True}, "INFO"), ({}, "INFO")], ids=str
)
def test_an_app_whose_database_is_new_was_perhaps_started_in_the_wrong_directory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, known: dict[str, Any], level: str
) -> None:
    """Once, with the path and the mend; who sets Bouncer up has no other database."""
    caplog.set_level("INFO")
    settings = Settings(database_url=f"sqlite:///{tmp_path}/bouncer.db", cache_dir=tmp_path / "cache", **known)
    prepare(settings)
    assert_closed(tmp_path / "cache")
    prepare(settings)
    (told,) = [record for record in caplog.records if "A new" in record.message]
    assert told.levelname == level
    assert f"{tmp_path}/bouncer.db" in told.message and "BOUNCER_DATABASE_URL" in told.message


def test_a_taken_port_is_said_plainly(web: Serving, databases: Databases) -> None:
    port = str(urlsplit(web.address).port)
    env = environment(databases.empty())
    ended = subprocess.run(bouncer("serve", "--port", port), env=env, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 1  # not 2: the port may be free at the next attempt
    (said,) = [line for line in ended.stderr.splitlines() if "A new, empty database" not in line]
    assert said == (
        f"bouncer serve: cannot listen on 127.0.0.1 port {port} (Address already in use). Stop what listens there, or "
        "choose another with --port or BOUNCER_PORT."
    )
