"""Room for what takes long, so that GitHub's deliveries always find a thread and the processor: pages, large bodies.

A page takes the processor far longer than a delivery, may wait for GitHub, and a reader may be slow to take it. Without
a limit, some hundred people, or one program, would keep deliveries waiting until GitHub hangs up.
"""

from collections.abc import Iterable
from threading import BoundedSemaphore
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.wrappers import Response
from werkzeug.wsgi import ClosingIterator

from webhooks.headers import HEADERS

PAGES = 4  # made and sent at once: Python uses one processor, and more would take their turns before a delivery's
MOST_WAITING = 16  # for a place; each takes a thread
SECONDS_TO_WAIT = 2.0
SECONDS_UNTIL_RETRY = 5
ALWAYS = frozenset({"/webhook", "/healthz", "/readyz"})  # GitHub, and who decides whether this process lives


class Places:
    """Some are in at once, a few wait for that, others are sent away. Thread-safe. seconds: how long one waits."""

    def __init__(self, at_once: int, seconds: float) -> None:
        self._inside, self._here = BoundedSemaphore(at_once), BoundedSemaphore(at_once + MOST_WAITING)
        self._seconds = seconds

    def enter(self) -> bool:
        """Whether there was a place; whoever has one leaves it."""
        if not self._here.acquire(blocking=False):
            return False
        if self._inside.acquire(timeout=self._seconds):
            return True
        self._here.release()
        return False

    def leave(self) -> None:
        self._inside.release()
        self._here.release()


class PageLimit:
    """In front of an application. Whoever finds no place in time is told to come back."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app, self._room = app, Places(PAGES, SECONDS_TO_WAIT)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] in ALWAYS:
            return self._app(environ, start_response)
        if not self._room.enter():
            said = "503: too many people at once; try again in some seconds\n"
            full = Response(said, 503, headers=HEADERS, mimetype="text/plain")
            full.headers["Retry-After"] = str(SECONDS_UNTIL_RETRY)
            return full(environ, start_response)
        try:
            answer = self._app(environ, start_response)
        except BaseException:
            self._room.leave()
            raise
        return ClosingIterator(answer, self._room.leave)  # closed once all of it was taken
