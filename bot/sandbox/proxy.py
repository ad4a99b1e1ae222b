"""The one way out of a sandbox, for setup only: an allow-list proxy on a unix socket.

It carries TLS to the package index (`CONNECT host:443`) and, where the operator named an address with another port,
plain `GET` to that one. A host counts only by its exact name, and only with an address of the public Internet: what a
name resolves to is checked and then connected to, so a name that points at this machine, its network or a cloud's
metadata service leads nowhere. Traffic is bounded, and the log holds host names alone.
"""

import http.client
import ipaddress
import logging
import os
import re
import selectors
import shutil
import socket
import socketserver
import tempfile
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import cast
from urllib.parse import urlsplit

from bot.settings import Settings

MiB = 1024 * 1024
MAX_CONNECTIONS = 64
MAX_BYTES = 2048 * MiB  # through one proxy, both ways together
CONNECT_TIMEOUT = 15.0  # seconds
IDLE_TIMEOUT = 60.0
_CHUNK = 64 * 1024
_HOME = "bouncer-proxy-"
_YOUNG = 3600.0  # seconds in which a socket that does not answer may only be about to
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", re.ASCII)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Allowed:
    """Where setup may go.

    public: (host, port) pairs that must have a public address. internal: pairs the operator named for what they are,
    wherever they lie.
    """

    public: frozenset[tuple[str, int]]
    internal: frozenset[tuple[str, int]] = frozenset()


def allow(settings: Settings) -> Allowed:
    """What the operator's settings let setup reach."""
    indexes = (address for address in (settings.package_index, settings.package_registry) if address)
    return Allowed(
        frozenset(map(_pair, settings.package_hosts.split())),
        frozenset((*map(_pair, settings.package_hosts_internal.split()), *map(_pair_of, indexes))),
    )


def _pair(entry: str) -> tuple[str, int]:
    host, _, port = entry.lower().partition(":")
    return host, int(port or 443)


def _pair_of(address: str) -> tuple[str, int]:
    parts = urlsplit(address)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


class ConnectionRefused(Exception):
    """Setup may not go there. The message is ours."""


class PackageProxy:
    """A running proxy; `socket` is what `Job.proxy` takes. Use it as a context manager, one for each setup.

    reached, refused: names of hosts that setup asked for. inside: those refused that are allowed, but have no public
    address here.
    """

    def __init__(self, allowed: Allowed, max_bytes: int = MAX_BYTES) -> None:
        self.allowed = allowed
        self.reached: set[str] = set()
        self.refused: set[str] = set()
        self.inside: set[str] = set()
        self._left = max_bytes
        self._lock, self._asking = threading.Lock(), threading.Lock()
        self._known: dict[str, list[str]] = {}
        self.places = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self.closing = threading.Event()
        _sweep()
        self._home = Path(tempfile.mkdtemp(prefix=_HOME))  # 0700: on this machine nobody else gets in
        self.socket = self._home / "proxy.sock"
        self._server = _Server(str(self.socket), self)
        self.socket.chmod(0o666)  # inside a sandbox another user connects

    def __enter__(self) -> "PackageProxy":
        threading.Thread(target=self._server.serve_forever, args=(0.1,), name="package-proxy", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        shutil.rmtree(self._home, ignore_errors=True)

    def connect(self, host: str, port: int) -> socket.socket:
        """A connection to an allowed host. Raises `Refused`, or `OSError` when it cannot be reached."""
        host = host.lower().removesuffix(".")
        shown = host if _HOST.fullmatch(host) and len(host) < 256 else "(not a host name)"
        inside = (host, port) in self.allowed.internal
        if not inside and (host, port) not in self.allowed.public:
            with self._lock:
                self.refused.add(shown)
            log.info("setup may not reach %s", shown)
            raise ConnectionRefused("this host is not allowed")
        with self._lock:
            self.reached.add(shown)
        found = self._addresses(host)
        usable = [address for address in found if inside or is_public(address)]
        if not usable:
            with self._lock:
                told = shown in self.refused
                self.refused.add(shown)
                self.inside.add(shown)
            if not told:  # tools ask again and again
                log.warning("%s has no public address here, so setup may not reach it", shown)
            raise ConnectionRefused("this host has no public address; see BOUNCER_PACKAGE_HOSTS_INTERNAL")
        return _first_that_answers(usable, port)

    def _addresses(self, host: str) -> list[str]:
        """Asked for once, one after the other: tools open more connections at a time than many a resolver answers."""
        with self._asking:
            if host not in self._known:
                found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
                self._known[host] = [str(place[0]) for *_, place in found]
            return self._known[host]

    def all_inside(self) -> set[str]:
        """All hosts that are allowed and have no public address here, whether setup came to ask for them or not."""
        return {host for host, _ in self.allowed.public - self.allowed.internal if self._inside(host)}

    def _inside(self, host: str) -> bool:
        try:
            return not any(map(is_public, self._addresses(host)))
        except (OSError, UnicodeError):
            return False  # nobody knows it

    def spend(self, count: int) -> None:
        """Raises `Refused` when all that this setup may move has been moved."""
        with self._lock:
            self._left -= count
            if self._left < 0:
                raise ConnectionRefused("setup has moved more data than it may")


def _first_that_answers(addresses: list[str], port: int) -> socket.socket:
    for address in addresses[:-1]:
        try:
            return socket.create_connection((address, port), CONNECT_TIMEOUT)
        except OSError:
            continue
    return socket.create_connection((addresses[-1], port), CONNECT_TIMEOUT)


def is_public(address: str) -> bool:
    """Whether an address belongs to the Internet at large, by itself and by what it embeds."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        embedded = found.ipv4_mapped or found.sixtofour or (found.teredo and found.teredo[1])
        if found in _NAT64:
            embedded = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if embedded:
            return is_public(str(embedded))
        return found.is_global and found in _UNICAST
    return found.is_global and not found.is_multicast and not any(found in network for network in _METADATA)


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST = ipaddress.IPv6Network("2000::/3")
_METADATA = (ipaddress.IPv4Network("168.63.129.16"), ipaddress.IPv4Network("192.0.0.0/24"))  # public by number only


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, path: str, proxy: PackageProxy) -> None:
        self.proxy = proxy
        super().__init__(path, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that broke is an ordinary end."""
        log.debug("a connection of setup broke", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    """One connection; it carries one tunnel or one request."""

    timeout = IDLE_TIMEOUT
    rbufsize = 0  # what follows a CONNECT belongs to the tunnel

    def setup(self) -> None:
        self.proxy = cast(_Server, self.server).proxy
        super().setup()

    def handle(self) -> None:
        if not self.proxy.places.acquire(blocking=False):
            return
        try:
            self.handle_one_request()
        finally:
            self.proxy.places.release()

    def do_CONNECT(self) -> None:
        host, _, port = self.path.rpartition(":")
        upstream = self._connect(host.strip("[]"), _number(port))
        if upstream:
            with upstream:
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                self._relay(upstream)

    def do_GET(self) -> None:
        """Plain HTTP: one request without credentials; the answer passes unread, and a redirect is the client's."""
        scheme, _, rest = self.path.partition("://")
        authority, _, tail = rest.partition("/")
        host, _, port = authority.partition(":")
        if scheme.lower() != "http" or not _HOST.fullmatch(host.lower()):
            self.send_error(http.client.FORBIDDEN, "only plain http addresses are fetched here")
            return
        if upstream := self._connect(host, _number(port or "80")):
            kept = {name: self.headers[name] for name in ("Accept", "Accept-Encoding", "Range") if name in self.headers}
            lines = [f"{name}: {text}" for name, text in {"Host": authority, **kept, "Connection": "close"}.items()]
            with upstream:
                upstream.sendall("\r\n".join([f"{self.command} /{tail} HTTP/1.1", *lines, "", ""]).encode("latin-1"))
                upstream.settimeout(IDLE_TIMEOUT)
                while chunk := upstream.recv(_CHUNK):
                    self.proxy.spend(len(chunk))
                    self.connection.sendall(chunk)

    do_HEAD = do_GET

    def _connect(self, host: str, port: int) -> socket.socket | None:
        try:
            return self.proxy.connect(host, port)
        except ConnectionRefused as refusal:
            self.send_error(http.client.FORBIDDEN, str(refusal))
        except (OSError, UnicodeError):
            self.send_error(http.client.BAD_GATEWAY, "this host cannot be reached")
        return None

    def _relay(self, upstream: socket.socket) -> None:
        """Carry bytes both ways until both have ended, or nothing moved for a minute."""
        other = {self.connection: upstream, upstream: self.connection}
        moved = time.monotonic()
        with selectors.DefaultSelector() as selector:
            for side in other:
                side.settimeout(IDLE_TIMEOUT)
                selector.register(side, selectors.EVENT_READ)
            while selector.get_map() and time.monotonic() - moved < IDLE_TIMEOUT and not self.proxy.closing.is_set():
                for key, _ in selector.select(1.0):
                    side = cast(socket.socket, key.fileobj)
                    chunk = side.recv(_CHUNK)
                    self.proxy.spend(len(chunk))
                    moved = time.monotonic()
                    if chunk:
                        other[side].sendall(chunk)
                    else:
                        selector.unregister(side)
                        other[side].shutdown(socket.SHUT_WR)

    def log_message(self, format: str, *words: object) -> None:
        """Addresses and paths are not logged; `PackageProxy.connect` logs the host."""

    def address_string(self) -> str:
        return "sandbox"


def _number(port: str) -> int:
    return int(port) if port.isdecimal() and len(port) < 6 else 0


def _sweep() -> None:
    """Remove what killed processes left: a socket that nobody listens on any more."""
    for home in Path(tempfile.gettempdir()).glob(f"{_HOME}*"):
        try:
            status = home.lstat()
            if status.st_uid != os.getuid() or time.time() - status.st_mtime < _YOUNG:
                continue
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(home / "proxy.sock"))
        except ConnectionRefusedError:
            shutil.rmtree(home, ignore_errors=True)
        except OSError:
            continue  # another's, or somebody else was faster
