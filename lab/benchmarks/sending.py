"""GitHub's side of the wire: signed deliveries, each on a connection of its own, at fixed moments.

One thread with one `epoll`, so that the sender takes a small part of the machine: about a tenth of what a web process
needs for the same delivery. Latency counts from the moment a delivery was due, so a stalled server cannot hide.
"""

import gc
import itertools
import select
import socket
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from webhooks.secrets import sign

TARGET_MS = 100.0
PATIENCE = 15.0  # seconds a delivery may take; GitHub waits 10


@dataclass(frozen=True)
class Result:
    """rate: a second. latencies: milliseconds from the moment each delivery was due. answers: how often each status
    came. late: milliseconds, how late the sender itself was at most."""

    rate: float
    latencies: list[float]
    answers: Counter[str]
    late: float

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

    @property
    def held(self) -> bool:
        return all(status[0] == "2" for status in self.answers) and self.percentile(0.99) <= TARGET_MS

    def __str__(self) -> str:
        answers = ", ".join(f"{count} x {status}" for status, count in sorted(self.answers.items()))
        points = "  ".join(
            f"{name} {self.percentile(share):.1f}"
            for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0))
        )
        return f"{self.rate:7.1f}/s  {points} ms  answers: {answers}  sender late by at most {self.late:.1f} ms"


class _Exchange:
    """One delivery under way."""

    __slots__ = ("due", "left", "sock", "status", "took")

    def __init__(self, sock: socket.socket, due: float, request: bytes) -> None:
        self.sock, self.due, self.left = sock, due, request
        self.status, self.took = "", 0.0


class Sender:
    """addresses: of web processes, which get the deliveries in turn, as a load balancer would hand them on."""

    def __init__(self, addresses: Sequence[str], secret: str, bodies: Sequence[bytes]) -> None:
        parts = [urlsplit(address) for address in addresses]
        self._places = itertools.cycle([(str(each.hostname), each.port or 80) for each in parts])
        self._signed = itertools.cycle([(body, sign(body, secret.encode())) for body in bodies])

    def run(self, rate: float, seconds: float) -> Result:
        """At fixed moments, whether or not earlier ones were answered."""
        start = time.monotonic() + 0.1
        return self._run(rate, (start + number / rate for number in range(int(rate * seconds))), 1 << 30)

    def press(self, seconds: float, together: int = 32) -> float:
        """As fast as they are answered, so many under way at once; how many a second were."""
        started = time.monotonic()
        result = self._run(0, iter(time.monotonic, None), together, started + seconds)
        return result.answers.total() / (time.monotonic() - started)

    def _run(self, rate: float, moments: Iterator[float], together: int, end: float = float("inf")) -> Result:
        gc.collect()
        gc.disable()
        try:
            return _Run(self, rate, moments, together, end).result()
        finally:
            gc.enable()

    def request(self) -> tuple[tuple[str, int], bytes]:
        (host, port), (body, signature) = next(self._places), next(self._signed)
        head = (
            f"POST /webhook HTTP/1.1\r\nHost: {host}:{port}\r\nUser-Agent: GitHub-Hookshot/benchmark\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nX-GitHub-Event: issues\r\n"
            f"X-GitHub-Delivery: {uuid.uuid4()}\r\nX-Hub-Signature-256: {signature}\r\nConnection: close\r\n\r\n"
        )
        return (host, port), head.encode() + body


class _Run:
    def __init__(self, sender: Sender, rate: float, moments: Iterator[float], together: int, end: float) -> None:
        self._sender, self._rate, self._moments, self._together, self._end = sender, rate, moments, together, end
        self._poll = select.epoll()
        self._open: dict[int, _Exchange] = {}
        self._latencies: list[float] = []
        self._answers: Counter[str] = Counter()
        self._late = 0.0

    def result(self) -> Result:
        due = next(self._moments, None)
        while due is not None or self._open:
            now = time.monotonic()
            while due is not None and due <= now and len(self._open) < self._together:
                self._late = max(self._late, now - due)
                self._begin(due)
                now = time.monotonic()
                due = next(self._moments, None) if now < self._end else None
            wait = 0.05 if due is None or len(self._open) >= self._together else max(0.0, due - now)
            for number, event in self._poll.poll(min(wait, 0.05)):
                self._go_on(self._open[number], event)
            if due is None:
                self._give_up(time.monotonic())
        self._poll.close()
        return Result(self._rate, self._latencies, self._answers, self._late * 1000)

    def _begin(self, due: float) -> None:
        place, request = self._sender.request()
        sock = socket.socket()
        sock.setblocking(False)
        sock.connect_ex(place)
        exchange = self._open[sock.fileno()] = _Exchange(sock, due, request)
        self._poll.register(sock, select.EPOLLOUT | select.EPOLLIN)
        self._send(exchange)

    def _go_on(self, exchange: _Exchange, event: int) -> None:
        if exchange.left and event & select.EPOLLOUT:
            self._send(exchange)
        if event & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
            self._receive(exchange)

    def _send(self, exchange: _Exchange) -> None:
        try:
            exchange.left = exchange.left[exchange.sock.send(exchange.left) :]
        except BlockingIOError:
            return
        except OSError as error:
            self._finish(exchange, type(error).__name__)
            return
        if not exchange.left:
            self._poll.modify(exchange.sock, select.EPOLLIN)

    def _receive(self, exchange: _Exchange) -> None:
        try:
            answer = exchange.sock.recv(4096)
        except BlockingIOError:
            return
        except OSError as error:
            self._finish(exchange, type(error).__name__)
            return
        if not exchange.status and answer:
            exchange.status = answer[9:12].decode(errors="replace")
            exchange.took = time.monotonic() - exchange.due
        if not answer:
            self._finish(exchange, exchange.status or "hung up")

    def _finish(self, exchange: _Exchange, status: str) -> None:
        self._poll.unregister(exchange.sock)
        del self._open[exchange.sock.fileno()]
        exchange.sock.close()
        self._answers[exchange.status or status] += 1
        self._latencies.append((exchange.took or PATIENCE) * 1000)

    def _give_up(self, now: float) -> None:
        for exchange in [each for each in self._open.values() if now - each.due > PATIENCE]:
            self._finish(exchange, "no answer")
