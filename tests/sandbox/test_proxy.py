"""The way to the package index: allowed names with public addresses, and nothing else however it is spelt."""

import logging
import os
import socket
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bot.sandbox.proxy import MAX_CONNECTIONS, Allowed, PackageProxy, allow, is_public
from bot.settings import Settings, SettingsError, load
from tests.support.cases import cases


class Index(BaseHTTPRequestHandler):
    """A package index that remembers what it was asked."""

    asked: list[tuple[str, str, dict[str, str]]]

    def do_GET(self) -> None:
        self.asked.append((self.command, self.path, dict(self.headers)))
        self.send_response(302 if self.path == "/moved" else 200)
        self.send_header("Location", "http://127.0.0.1:5432/")
        self.end_headers()
        self.wfile.write(b"x" * 100_000 if self.path == "/large" else b"a package")

    def log_message(self, format: str, *words: object) -> None:
        pass


@pytest.fixture
def index() -> Iterator[tuple[str, int]]:
    """Its host and port on this machine."""
    Index.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Index) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield "127.0.0.1", server.server_port
        server.shutdown()


def ask(proxy: PackageProxy, text: str) -> bytes:
    """Everything that comes back, until the other side ends."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(proxy.socket))
        got = b""
        try:
            client.sendall(text.encode("latin-1"))
            while chunk := client.recv(65536):
                got += chunk
        except (ConnectionResetError, BrokenPipeError):
            pass
        return got


def connect(target: str) -> str:
    return f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n"


def test_a_tunnel_leads_to_an_allowed_host_and_carries_bytes_both_ways(index: tuple[str, int]) -> None:
    host, port = index
    with PackageProxy(Allowed(frozenset(), frozenset({index}))) as proxy:
        got = ask(proxy, connect(f"{host}:{port}") + "GET /simple/ HTTP/1.0\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 200 ")
    assert got.endswith(b"a package")
    assert (proxy.reached, proxy.refused) == ({host}, set())


def test_plain_http_is_fetched_without_credentials(index: tuple[str, int]) -> None:
    host, port = index
    secret = "Authorization: Basic c2VjcmV0\r\nCookie: a=b\r\nProxy-Authorization: x\r\nAccept: text/html\r\n"
    with PackageProxy(Allowed(frozenset(), frozenset({index}))) as proxy:
        got = ask(proxy, f"GET http://{host}:{port}/simple/a/?x=1 HTTP/1.1\r\nHost: evil\r\n{secret}\r\n")
        moved = ask(proxy, f"GET http://{host}:{port}/moved HTTP/1.1\r\n\r\n")
        posted = ask(proxy, f"POST http://{host}:{port}/ HTTP/1.1\r\nContent-Length: 1\r\n\r\nx")
    assert got.endswith(b"a package")
    assert b" 302 " in moved and b"127.0.0.1:5432" in moved  # for the client to follow, through here
    assert b" 501 " in posted
    first, *_ = Index.asked
    assert first[:2] == ("GET", "/simple/a/?x=1")
    assert {name.lower() for name in first[2]} == {"host", "accept", "connection"}
    assert first[2]["Host"] == f"{host}:{port}"


@cases
def test_nothing_else_is_reached_however_it_is_spelt(target: str, index: tuple[str, int]) -> None:
    """`localhost` is even allowed by name here: but its address is not public."""
    public = frozenset({("pypi.org", 443), ("localhost", index[1])})
    with PackageProxy(Allowed(public)) as proxy:
        target = target.format(port=index[1], socket=proxy.socket)
        got = ask(proxy, connect(target))
        fetched = ask(proxy, f"GET http://{target}/ HTTP/1.1\r\n\r\n")
    if target != "pypi.org:0443":  # which is port 443, written oddly
        assert b" 200 " not in got and b" 403 " in got
    assert b" 200 " not in fetched
    assert Index.asked == []


def test_a_name_that_leads_to_this_machine_is_refused_whatever_the_list_says(
    index: tuple[str, int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A resolver that answers with other addresses; a mixed answer counts by its public ones. It is asked once a name:
    not as often as a tool connects, and no later answer leads elsewhere."""
    answers, dialled, asked = list[str](), list[str](), list[str]()

    def resolve(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        asked.append(host)
        return [(0, 0, 0, "", (address, port)) for address in answers]

    def dial(address: tuple[str, int], timeout: float) -> socket.socket:
        dialled.append(address[0])
        raise OSError

    monkeypatch.setattr("bot.sandbox.proxy.socket.getaddrinfo", resolve)
    monkeypatch.setattr("bot.sandbox.proxy.socket.create_connection", dial)
    with PackageProxy(Allowed(frozenset({("pypi.org", 443), ("pypi.net", 443)}))) as proxy:
        answers[:] = ["127.0.0.1", "10.1.2.3", "::1", "::ffff:10.0.0.1", "169.254.169.254"]
        assert b" 403 " in ask(proxy, connect("pypi.org:443"))
        assert b" 403 " in ask(proxy, connect("pypi.org:443"))
        assert (dialled, proxy.refused) == ([], {"pypi.org"})
        assert caplog.text.count("pypi.org has no public address here") == 1
        answers[:] = ["10.1.2.3", "151.101.0.223", "192.168.0.1", "2a04:4e42::223"]
        assert b" 403 " in ask(proxy, connect("pypi.org:443"))
        assert b" 502 " in ask(proxy, connect("pypi.net:443"))
        assert dialled == ["151.101.0.223", "2a04:4e42::223"]
        assert b" 502 " in ask(proxy, connect("pypi.net:443"))
    assert asked == ["pypi.org", "pypi.net"]


@cases
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        "GET https://pypi.org/ HTTP/1.1\r\n\r\n",
        "GET http:// HTTP/1.1\r\n\r\n",
        "GET http://[::1 HTTP/1.1\r\n\r\n",
        "GET http://pypi.org:99999999999999999999999/ HTTP/1.1\r\n\r\n",
        "CONNECT  HTTP/1.1\r\n\r\n",
        "CONNECT pypi.org:443 HTTP/9.9\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "X" * 70_000,
        "GET http://pypi.org/ HTTP/1.1\r\n" + "A: b\r\n" * 500 + "\r\n",
    ],
)
def test_requests_that_are_none_end_the_connection_and_nothing_else(index: tuple[str, int], text: str) -> None:
    with PackageProxy(Allowed(frozenset({("pypi.org", 443)}), frozenset({index}))) as proxy:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(10)
            client.connect(str(proxy.socket))
            client.sendall(text.encode("latin-1"))
            client.shutdown(socket.SHUT_WR)
            try:
                while client.recv(65536):
                    pass
            except ConnectionResetError:
                pass
        assert ask(proxy, f"GET http://127.0.0.1:{index[1]}/ HTTP/1.1\r\n\r\n").endswith(b"a package")


def test_bytes_are_bounded(index: tuple[str, int]) -> None:
    host, port = index
    request = f"GET http://{host}:{port}/large HTTP/1.1\r\n\r\n"
    with PackageProxy(Allowed(frozenset(), frozenset({index})), max_bytes=250_000) as proxy:
        whole = [len(ask(proxy, request)) > 100_000 for _ in range(3)]
        tunnel = ask(proxy, connect(f"{host}:{port}") + "GET /large HTTP/1.0\r\n\r\n")
    assert whole == [True, True, False]
    assert len(tunnel) < 1000


def test_connections_are_bounded(index: tuple[str, int]) -> None:
    host, port = index
    with PackageProxy(Allowed(frozenset(), frozenset({index}))) as proxy:
        held = []
        for _ in range(MAX_CONNECTIONS):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(10)
            client.connect(str(proxy.socket))
            client.sendall(connect(f"{host}:{port}").encode())
            assert client.recv(100).startswith(b"HTTP/1.1 200")
            held.append(client)
        assert ask(proxy, connect(f"{host}:{port}")) == b""
        for client in held:
            client.close()


def test_the_log_holds_hosts_alone(index: tuple[str, int], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with PackageProxy(Allowed(frozenset(), frozenset({index}))) as proxy:
        ask(proxy, f"GET http://127.0.0.1:{index[1]}/secret?token=hunter2 HTTP/1.1\r\nA: hunter2\r\n\r\n")
        ask(proxy, connect("evil.example:443"))
        ask(proxy, connect("a\x1b[31mhunter2:443"))
    assert "evil.example" in caplog.text
    assert "hunter2" not in caplog.text


def test_it_leaves_nothing_behind(index: tuple[str, int]) -> None:
    with PackageProxy(Allowed(frozenset(), frozenset({index}))) as proxy:
        assert proxy.socket.is_socket()
        assert proxy.socket.parent.stat().st_mode & 0o077 == 0
    assert not proxy.socket.parent.exists()


def test_the_settings_say_where_setup_may_go() -> None:
    found = allow(
        Settings(
            package_hosts="PyPI.org mirror.example:8443",
            package_hosts_internal="cache.corp",
            package_index="http://index.corp:3141/root/pypi/+simple/",
            package_registry="https://npm.corp/",
        )
    )
    assert found.public == {("pypi.org", 443), ("mirror.example", 8443)}
    assert found.internal == {("cache.corp", 443), ("index.corp", 3141), ("npm.corp", 443)}
    assert ("pypi.org", 443) in allow(Settings()).public and not allow(Settings()).internal


@cases
def test_settings_that_are_none_are_refused_with_the_mend(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"BOUNCER_{name.upper()}: give ") as caught:
        load(**{name: value})
    assert "secret" not in str(caught.value)


def test_what_a_killed_process_left_is_swept_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    alive, dead, fresh = (PackageProxy(Allowed(frozenset())) for _ in range(3))
    for proxy in (dead, fresh):
        proxy._server.server_close()
    for proxy in (alive, dead):
        os.utime(proxy.socket.parent, (0, 0))
    with alive, PackageProxy(Allowed(frozenset())):
        assert (alive.socket.exists(), dead.socket.exists(), fresh.socket.exists()) == (True, False, True)
