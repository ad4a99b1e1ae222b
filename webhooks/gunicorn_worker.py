"""gunicorn's worker with an end to its patience, so that slow senders and slow readers cannot hold the door.

A request is read by the thread that answers it. So there are many more threads than answers take, and whoever takes
long to send, or to take the answer, is borne for less long in a crowd.
"""

import fcntl
import socket
import struct
import sys
import termios
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from gunicorn.http.body import LengthReader
from gunicorn.workers.gthread import ThreadWorker

SEATS = 256  # requests under way at once; a thread that waits costs next to nothing
SECONDS_TO_SEND = 10.0  # GitHub hangs up by then; gunicorn itself would wait for ever
SECONDS_IN_A_CROWD = 1.0  # from half of the seats on
SECONDS_TO_TAKE, SECONDS_TO_TAKE_IN_A_CROWD = 60.0, 5.0  # until all of the answer is taken, from the first byte on
SECONDS_TO_HANG_UP = 2.0  # for who was answered before all was sent, and could not read the answer otherwise
SECONDS_BETWEEN_THREADS = 0.001  # Python's own 5 ms add up for a delivery among threads that make pages
_TICK = 0.25


class DeadlineWorker(ThreadWorker):
    """Whoever has not sent a whole request in time is listened to no longer, and who does not take the answer is left;
    what is being answered is unharmed."""

    def init_process(self) -> None:
        self._listening: dict[socket.socket, float] = {}
        sys.setswitchinterval(SECONDS_BETWEEN_THREADS)
        threading.Thread(target=self._watch, name="patience", daemon=True).start()
        super().init_process()

    def handle(self, conn: Any) -> Any:
        """One request, in one of the threads."""
        conn.data_ready = True  # gunicorn would wait for it with a poller of its own: a third of all it takes
        self._listening[conn.sock] = time.monotonic()
        try:
            kept = super().handle(conn)
        finally:
            self._listening.pop(conn.sock, None)
        if not kept and not _sent_all(conn):
            _hang_up(conn.sock)
        return kept

    def finish_request(self, conn: Any, fs: "Future[Any]") -> None:
        """In the one thread that accepts everybody, which gunicorn would have wait for the other side."""
        if fs.cancelled() or fs.exception() is not None or fs.result():
            super().finish_request(conn, fs)
        else:
            self.nr_conns -= 1
            conn.close()

    def _watch(self) -> None:
        while True:
            time.sleep(_TICK)
            enforce_deadlines(self._listening.copy(), time.monotonic())


def enforce_deadlines(listening: Mapping[socket.socket, float], now: float) -> None:
    """With each of these connections whose time is over. They come with the time at which the request was begun."""
    crowd = len(listening) >= SEATS // 2
    to_send = SECONDS_IN_A_CROWD if crowd else SECONDS_TO_SEND
    to_take = SECONDS_TO_TAKE_IN_A_CROWD if crowd else SECONDS_TO_TAKE
    for sock, since in listening.items():
        if now - since > to_send:
            _listen_no_longer(sock)
        if now - since > to_take and _untaken(sock):
            _leave(sock)


def _sent_all(conn: Any) -> bool:
    """Whether the whole request was read. Then a connection can be closed at once, and the answer still arrives."""
    request = getattr(conn.parser, "mesg", None)
    reader = request.body.reader if request is not None else None
    return isinstance(reader, LengthReader) and not reader.length


def _hang_up(sock: socket.socket) -> None:
    """Let the other side read the answer."""
    end = time.monotonic() + SECONDS_TO_HANG_UP
    with suppress(OSError):
        sock.shutdown(socket.SHUT_WR)
        while (left := end - time.monotonic()) > 0:
            sock.settimeout(left)
            if not sock.recv(1 << 16):
                break
    _listen_no_longer(sock)


def _listen_no_longer(sock: socket.socket) -> None:
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RD)


def _untaken(sock: socket.socket) -> int:
    """How many bytes of the answer the other side has not taken yet."""
    try:
        answer = fcntl.ioctl(sock, termios.TIOCOUTQ, b"\0\0\0\0")
    except (OSError, ValueError):
        return 0
    return int(struct.unpack("i", answer)[0])


def _leave(sock: socket.socket) -> None:
    """Whoever waits to send more fails. What the system holds already still goes out."""
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
