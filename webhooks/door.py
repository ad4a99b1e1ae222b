"""gunicorn's worker with an end to its patience, so that a handful of slow senders cannot hold all of its threads."""

import socket
import threading
import time
from contextlib import suppress
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

SECONDS_TO_SEND = 10  # GitHub hangs up by then; gunicorn itself would wait for ever


class Door(ThreadWorker):
    """Whoever has not sent a whole request in time is listened to no longer; what is being answered is unharmed."""

    def init_process(self) -> None:
        self._listening: dict[socket.socket, float] = {}
        threading.Thread(target=self._watch, name="patience", daemon=True).start()
        super().init_process()

    def handle(self, conn: Any) -> Any:
        """One request, in one of the threads."""
        self._listening[conn.sock] = time.monotonic() + SECONDS_TO_SEND
        try:
            return super().handle(conn)
        finally:
            self._listening.pop(conn.sock, None)

    def _watch(self) -> None:
        while True:
            time.sleep(1)
            now = time.monotonic()
            for sock, end in self._listening.copy().items():
                if now > end:
                    with suppress(OSError):
                        sock.shutdown(socket.SHUT_RD)
