"""How deliveries fare while many connections are slow, on purpose: `bouncer serve` on SQLite, everything on loopback.

    python -m lab.benchmarks.slow_connections [--connections 500] [--seconds 8]

Each kind of connection is opened anew as soon as the server ends it. Exit status 1 when a delivery was not acknowledged
within the ten seconds that GitHub waits.
"""

import selectors
import socket
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import requests

from bot.storage.database import Database
from bot.storage.judgements import Judgements
from lab.benchmarks.processes import read_options, scratch
from tests.support.sqlite import migrated
from tests.webhooks.judged import heard_of, judged, judgement
from tests.webhooks.sending import encoded, payload, signed
from tests.webhooks.serving import serving

GITHUB_WAITS = 10.0  # seconds
BETWEEN = 0.25  # two deliveries
BODY = encoded(payload())
_SIGNED = b"POST /webhook HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: sha256=" + b"a" * 64 + b"\r\n"


def kinds(page: str) -> dict[str, tuple[bytes, bytes]]:
    """What each kind sends at first, and then every second."""
    get = f"GET {page} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    return {
        "sends nothing": (b"", b""),
        "a header a second": (b"POST /webhook HTTP/1.1\r\nHost: x\r\n", b"A: b\r\n"),
        "a byte of a body a second": (_SIGNED + b"Content-Length: 100000\r\n\r\n{", b" "),
        "a byte of 20 MB a second": (_SIGNED + b"Content-Length: 20000000\r\n\r\n{", b" "),
        "asks for a long page, reads nothing": (get * 12, get),
    }


@dataclass
class Crowd:
    """Connections of one kind. They live in one thread, which takes little of the processor."""

    address: tuple[str, int]
    number: int
    first: bytes
    then: bytes
    reads: bool
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Until it is over."""
        with selectors.DefaultSelector() as waiting:
            while not self.over.is_set():
                open_ones = [key.fileobj for key in waiting.get_map().values()]
                for _ in range(self.number - len(open_ones)):
                    waiting.register(self._opened(), selectors.EVENT_READ)
                for connection in open_ones:
                    if not _sent(connection, self.then):  # type: ignore[arg-type]
                        waiting.unregister(connection)
                end = time.monotonic() + 1
                while (left := end - time.monotonic()) > 0 and not self.over.is_set():
                    for key, _ in waiting.select(min(left, 0.2)) if self.reads else ():
                        if _ended(key.fileobj):  # type: ignore[arg-type]
                            waiting.unregister(key.fileobj)
                    if not self.reads:
                        self.over.wait(0.2)
            for key in list(waiting.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]

    def _opened(self) -> socket.socket:
        connection = socket.socket()
        if not self.reads:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        with suppress(OSError):
            connection.settimeout(1)
            connection.connect(self.address)
            connection.setblocking(False)
            connection.send(self.first)
        return connection


def _sent(connection: socket.socket, data: bytes) -> bool:
    try:
        connection.send(data)
    except BlockingIOError:
        pass
    except OSError:
        connection.close()
        return False
    return True


def _ended(connection: socket.socket) -> bool:
    try:
        if connection.recv(1 << 16):
            return False
    except BlockingIOError:
        return False
    except OSError:
        pass
    connection.close()
    return True


def deliveries(url: str, seconds: float) -> list[float | None]:
    """How long each took; `None` for one that was not acknowledged in time."""
    took: list[float | None] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        try:
            headers = signed(BODY, guid=f"slow-{time.time_ns()}")
            answer = requests.post(f"{url}/webhook", data=BODY, headers=headers, timeout=GITHUB_WAITS)
            took.append(time.monotonic() - began if answer.status_code == 202 else None)
        except requests.RequestException:
            took.append(None)
        time.sleep(BETWEEN)
    return took


def main() -> None:
    given = read_options(__doc__, connections=500, seconds=8.0)
    print(f"{given.connections} connections at once, deliveries during {given.seconds:g} s after 3 s\n")
    lost = 0
    with scratch() as directory:
        stored = migrated(directory)
        page = long_page(stored)
        for name, (first, then) in kinds(page).items():
            with serving(stored, directory) as web:
                address = urlsplit(web.address)
                place = (str(address.hostname), int(address.port or 0))
                crowd = Crowd(place, given.connections, first, then, "reads nothing" not in name)
                thread = threading.Thread(target=crowd.run)
                thread.start()
                time.sleep(3)
                took = deliveries(web.address, given.seconds)
                crowd.over.set()
                thread.join()
                web.kill()
            done = sorted(one for one in took if one is not None)
            lost += len(took) - len(done)
            middle, slowest = (f"{1000 * each:.0f} ms" for each in (done[len(done) // 2], done[-1])) if done else "--"
            print(f"{name:38} {len(done):3} of {len(took):3} acknowledged, median {middle}, slowest {slowest}")
    sys.exit(1 if lost else 0)


def long_page(stored: str) -> str:
    """Of a public repository; about half a megabyte."""
    database = Database.open(stored)
    heard_of(database)
    judgements = Judgements(database)
    judgements.keep(judgement(judged("x" * 5_000, many=45)))
    token = judgements.trail(2**40, 7)[0].token
    database.close()
    return f"/verdicts/{token}"


if __name__ == "__main__":
    main()
