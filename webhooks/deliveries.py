"""`POST /webhook` in front of Flask, whose own work around a view takes as long as all the rest of an answer."""

import logging
from collections.abc import Iterable, Mapping
from time import time
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication

from prometheus_client import CollectorRegistry, Counter, Histogram
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Request, Response

from bot.settings import Settings
from bot.storage.inbox import Inbox
from bot.storage.repositories import Repositories
from bot.telemetry import logs, traces
from webhooks.admission import Places
from webhooks.headers import HEADERS
from webhooks.receive import MOST_BYTES, SECONDS_FOR_ROOM, SECONDS_UNTIL_RETRY, guid_of, receive
from webhooks.secrets import Signatures

PATH = "/webhook"
RETRY = {"Retry-After": str(SECONDS_UNTIL_RETRY)}
ANSWERED_IN = "From the first byte of a delivery's body to the answer."
TRACED = ("queued", "duplicate", "unavailable")  # outcomes of deliveries that are for Bouncer
QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds

log = logging.getLogger("bouncer.webhook")


class DeliveryRequest(Request):
    """One more, so that a body that goes on too long can be told from a full one."""

    max_content_length = MOST_BYTES + 1


class Deliveries:
    """A WSGI application: deliveries are answered here, everything else by `pages`."""

    def __init__(
        self,
        pages: WSGIApplication,
        settings: Settings,
        inbox: Inbox,
        repositories: Repositories,
        registry: CollectorRegistry,
    ) -> None:
        """registry: what this process counts. Raises SettingsError without a webhook secret."""
        self._pages = pages
        self._signatures = Signatures(settings)
        self._allowed = settings.account_names
        self._inbox = inbox
        self._repositories = repositories
        self._large = Places(settings.web_threads, SECONDS_FOR_ROOM)
        told = "Webhook deliveries answered by this process."
        self._answered = Counter("bouncer_deliveries_total", told, ["event", "outcome"], registry=registry)
        self._took = Histogram("bouncer_acknowledgement_seconds", ANSWERED_IN, buckets=QUICK, registry=registry)

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] != PATH or environ["REQUEST_METHOD"] != "POST":
            return self._pages(environ, start_response)
        try:
            response = self._answer(DeliveryRequest(environ))
        except HTTPException as error:  # whoever sends hung up in the middle
            response = line(f"{error.code}: {error.name}", error.code or 500)
        except Exception:
            log.exception("%s failed", PATH)
            response = line("500: something went wrong here; the log says what", 500)
        response.headers.update(HEADERS)
        return response(environ, start_response)

    def _answer(self, request: Request) -> Response:
        began = time()
        with self._took.time():
            stores = self._inbox, self._repositories
            answer = receive(request, self._signatures, self._allowed, *stores, self._large)
        if answer.outcome in TRACED:
            about: traces.Told = {"delivery": answer.guid, "subject": answer.subject, "commit": answer.commit}
            traces.trace_delivery(answer.event, began, outcome=answer.outcome, **about)
        self._answered.labels(answer.event, answer.outcome).inc()
        with logs.about(delivery=answer.guid, subject=answer.subject, commit=answer.commit):
            log.info("%d %s (%s)", answer.status, answer.line, guid_of(request) or "-")
        return line(answer.line, answer.status, RETRY if answer.status == 503 else None)


def line(text: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """An answer of one line."""
    return Response(text + "\n", status, headers, content_type="text/plain; charset=utf-8")
