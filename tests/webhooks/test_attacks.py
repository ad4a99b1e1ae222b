"""What strangers send to the web process to see more, to steer it, or to keep GitHub's deliveries out; each beside its
honest twin. The process is the real one, and is spoken to byte by byte."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest
from flask import Flask, Response
from werkzeug.test import Client, TestResponse

from tests.support.databases import Databases
from tests.support.waiting import eventually
from tests.webhooks.serving import Serving, serving
from tests.webhooks.test_receive import settings
from webhooks import admission as room
from webhooks.admission import PageLimit, Places
from webhooks.app import create_app
from webhooks.gunicorn_worker import SECONDS_TO_TAKE, enforce_deadlines
from webhooks.headers import HEADERS

PATIENCE = 60.0  # seconds; no busy machine may fail a test
END = b"Host: x\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def stored(databases: Databases) -> str:
    return databases.migrated()


@pytest.fixture(scope="module")
def web(stored: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(stored, tmp_path_factory.mktemp("web")) as running:
        yield running


def connected(web: Serving) -> socket.socket:
    address = urlsplit(web.address)
    return socket.create_connection((address.hostname, address.port), timeout=PATIENCE)


def answered(web: Serving, request: bytes) -> str:
    with connected(web) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode("latin-1")


def get(path: str, headers: bytes = b"") -> bytes:
    return f"GET {path} HTTP/1.1\r\n".encode("latin-1") + headers + END


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get("/x/metrics", b"SCRIPT_NAME: /x\r\n"), 404),  # past the proxy's rule for `/metrics`
        (get("/healthz", b"PATH_INFO: /metrics\r\n"), 200),
        (get("/verdicts//x"), 404),
        (get("/verdicts//x", b"X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.example\r\n"), 404),
        (get("//evil.example/readyz"), 404),
        *(
            (get(f"/verdicts/static/{path}"), 404)
            for path in (
                *("../../app.py", "%2e%2e/%2e%2e/app.py", "..%2f..%2fapp.py", "..%5capp.py", "/etc/passwd", "%00"),
                *("%2fetc%2fpasswd", "a/" * 1500, "a" * 3000, "."),
            )
        ),
        (get("/verdicts/static/pages.css"), 200),
        (b"POST /webhook HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n" + END, 400),
        (b"POST /webhook HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n" + END, 400),
        (b"<script>alert(1)</script> / HTTP/1.1\r\n" + END, 400),
        (get("/", b"<script>alert(1)</script>: x\r\n"), 400),
        (get("/", b"A: \x1b[31m\r\n"), 400),
        (get("/" + "a" * 5000), 414),
        (get("/", b"A: x\r\n" * 200), 431),
        (get("/", b"A: " + b"x" * 9000 + b"\r\n"), 431),
        (get("/verdicts/static/pages.css", b"Range: bytes=" + b"0-1," * 900 + b"0-1\r\n"), 416),
        (get("/"), 200),
    ],
    ids=lambda given: given[:60].decode("latin-1") if isinstance(given, bytes) else str(given),
)
def test_odd_requests_are_refused_and_lead_nowhere(web: Serving, request_: bytes, status: int) -> None:
    answer = answered(web, request_)
    head, _, body = answer.partition("\r\n\r\n")
    assert int(head.split(" ", 2)[1]) == status, answer[:400]
    for told in ("Location:", "evil.example", "<script", "bouncer_deliveries_total", "root:", "import "):
        assert told not in answer
    if status == 404:
        assert body == "404: Not Found\n"
    if "Server: gunicorn" in head and status != 416:  # by the application itself
        assert "X-Content-Type-Options: nosniff" in head


def test_the_log_has_one_line_for_one_request(web: Serving) -> None:
    """NEL ends a line for many readers of logs; what is no GUID is not repeated."""
    forged = b"X-GitHub-Delivery: first\x85INFO forged\r\n"
    assert " 401 " in answered(web, b"POST /webhook HTTP/1.1\r\nContent-Length: 0\r\n" + forged + END)
    assert " 401 " in answered(
        web, b"POST /webhook HTTP/1.1\r\nContent-Length: 0\r\nX-GitHub-Delivery: an-honest-1\r\n" + END
    )
    log = eventually(lambda: "an-honest-1" in web.errors.read_text() and web.errors.read_text())
    assert "forged" not in log and "\x85" not in log


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Of one connection: the server's, and that of somebody who takes little at a time."""
    with socket.socket() as listener, socket.socket() as reader:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        reader.settimeout(PATIENCE)
        reader.connect(listener.getsockname())
        server, _ = listener.accept()
        with server:
            yield server, reader


def test_whoever_does_not_take_the_answer_is_left(ends: tuple[socket.socket, socket.socket]) -> None:
    """Whoever waits in a thread to send more would wait for ever."""
    server, reader = ends
    with ThreadPoolExecutor(1) as thread, reader:
        sending = thread.submit(server.sendall, bytes(2**24))  # more than the system holds for a connection
        enforce_deadlines({server: 0.0}, SECONDS_TO_TAKE - 1)
        eventually(lambda: enforce_deadlines({server: 0.0}, SECONDS_TO_TAKE + 1) or sending.done())
        assert isinstance(sending.exception(), BrokenPipeError)


def test_an_answer_that_came_late_arrives_whole(ends: tuple[socket.socket, socket.socket]) -> None:
    """Making it may take longer than anybody's patience, as the check at the end of setting up does."""
    server, reader = ends
    server.sendall(bytes(10_000))
    enforce_deadlines({server: 0.0}, SECONDS_TO_TAKE + 1)
    server.close()
    assert sum(len(part) for part in iter(lambda: reader.recv(1 << 16), b"")) == 10_000


def test_pages_leave_places_for_deliveries(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that takes its time holds one of the places until all of it was taken, whatever became of it."""
    monkeypatch.setattr(room, "PAGES", 1)
    monkeypatch.setattr(room, "SECONDS_TO_WAIT", 0.0)
    begun, go_on, app = Event(), Event(), Flask("slow")

    @app.get("/slow")
    def slow() -> Response:
        def parts() -> Iterator[str]:
            begun.set()
            go_on.wait(PATIENCE)
            yield "at last"

        return Response(parts())

    @app.get("/quick")
    @app.post("/webhook")
    def quick() -> str:
        return "taken"

    shared = PageLimit(app)
    client = Client(shared, TestResponse, use_cookies=False)
    reader = Thread(target=lambda: client.get("/slow", buffered=True))
    reader.start()
    assert begun.wait(PATIENCE)
    full = client.get("/quick", buffered=True)
    assert (full.status_code, full.headers["Retry-After"], full.headers["Cache-Control"]) == (
        503,
        "5",
        "private, no-store",
    )
    assert client.post("/webhook").text == "taken"
    go_on.set()
    reader.join(PATIENCE)
    for path in ("/quick", "/unknown", "/quick"):
        assert client.get(path, buffered=True).status_code == (404 if path == "/unknown" else 200)


@pytest.mark.parametrize("may_wait", [0, 1])
def test_some_wait_for_what_takes_long_and_no_more(monkeypatch: pytest.MonkeyPatch, may_wait: int) -> None:
    monkeypatch.setattr(room, "MOST_WAITING", may_wait)
    taken = Places(1, PATIENCE)
    assert taken.enter()
    with ThreadPoolExecutor(1) as thread:
        second = thread.submit(taken.enter)
        if may_wait == 0:
            assert second.result(PATIENCE / 2) is False  # sent away at once
        taken.leave()
        assert second.result(PATIENCE) is (may_wait == 1)


def test_every_answer_is_shut_in(url: str) -> None:
    """No sniffing, no frame, no script, no copy in a proxy, on errors and machines' addresses too."""
    app = create_app(settings(url))
    client = app.test_client()
    paths = {rule.rule for rule in app.url_map.iter_rules() if "<" not in rule.rule} | {"/none", "/verdicts/x"}
    assert {"/", "/metrics", "/login", "/repositories", "/webhook"} <= paths
    for path in sorted(paths):
        for answer in (client.get(path), client.options(path), client.put(path)):
            told = {name: answer.headers.get(name) for name in HEADERS}
            assert told == {**HEADERS, "Content-Security-Policy": told["Content-Security-Policy"]}, path
            assert str(told["Content-Security-Policy"]).startswith(
                "default-src 'none'; style-src 'self'; base-uri 'none'"
            )
    sheet = client.get("/verdicts/static/pages.css")
    assert (sheet.headers["Cache-Control"], "ETag" in sheet.headers) == ("no-cache", True)  # the same for everybody
