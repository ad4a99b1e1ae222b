"""Room for people: how many of their pages are made and sent at once, so that GitHub's deliveries always find a place.

A page takes the processor far longer than a delivery, may wait for GitHub, and a reader may be slow to take it. Without
a limit, some hundred people, or one program, would keep deliveries waiting until GitHub hangs up.
"""

from collections.abc import Iterable
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from werkzeug.wrappers import Response
from werkzeug.wsgi import ClosingIterator

from webhooks.headers import HEADERS

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PLACES = 16
SECONDS_TO_WAIT = 1.0  # for a place; whoever waits takes a thread
SECONDS_UNTIL_RETRY = 5
ALWAYS = frozenset({"/webhook", "/healthz", "/readyz"})  # GitHub, and who decides whether this process lives


class RoomForPeople:
    """In front of an application. Whoever finds no place in time is told to come back."""

    def __init__(self, app: "WSGIApplication") -> None:
        self._app, self._places = app, BoundedSemaphore(PLACES)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if environ["PATH_INFO"] in ALWAYS:
            return self._app(environ, start_response)
        if not self._places.acquire(timeout=SECONDS_TO_WAIT):
            said = "503: too many people at once; try again in some seconds\n"
            full = Response(said, 503, headers=HEADERS, mimetype="text/plain")
            full.headers["Retry-After"] = str(SECONDS_UNTIL_RETRY)
            return full(environ, start_response)
        try:
            answer = self._app(environ, start_response)
        except BaseException:
            self._places.release()
            raise
        return ClosingIterator(answer, self._places.release)  # closed once all of it was taken
