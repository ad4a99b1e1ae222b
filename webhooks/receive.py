"""`POST /webhook`: verify, claim, answer with one line. GitHub shows the line in the App's delivery log. It is in front
of Flask, whose own work around a view takes as long as all the rest of an answer."""

import json
import logging
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from time import monotonic, time
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication

from prometheus_client import CollectorRegistry, Counter, Histogram
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.wrappers import Request, Response

from bot.github.deliveries import Delivery, Ignored
from bot.github.events import HANDLED, read
from bot.settings import Settings
from bot.storage.heartbeats import UNSIGNED, WorkerSign
from bot.storage.repositories import Repositories
from bot.storage.stores import Stores
from bot.telemetry import logs, traces
from webhooks.admission import Places
from webhooks.headers import HEADERS
from webhooks.secrets import HEADER, Signatures, is_well_formed

PATH = "/webhook"
MOST_BYTES = 25 * 1024 * 1024  # GitHub sends no more
LARGE = 1024 * 1024  # bytes; of bodies that are larger, or of unknown length, only some are held in memory at once
SECONDS_FOR_ROOM = 8  # GitHub hangs up after 10
SECONDS_UNTIL_RETRY = 60
SECONDS_BETWEEN_SIGNS = 5.0
RETRY = {"Retry-After": str(SECONDS_UNTIL_RETRY)}
ANSWERED_IN = "From the first byte of a delivery's body to the answer."
TRACED = ("queued", "duplicate", "unavailable")  # outcomes of deliveries that are for Bouncer
QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds

_EVENT = re.compile(r"[a-z][a-z_]{0,63}")
_GUID = re.compile(r"[0-9A-Za-z-]{1,64}")

log = logging.getLogger("bouncer.webhook")


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """outcome: the word the metrics count. event: a handled event's name, or `other`. guid, subject, commit: of a
    genuine delivery, for the log."""

    status: int
    outcome: str
    line: str
    event: str = "other"
    guid: str = ""
    subject: str = ""
    commit: str = ""


class Refused(Exception):
    """The request is none that Bouncer can take; the message is the answer's line."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


def receive(
    request: Request,
    signatures: Signatures,
    allowed: frozenset[str],
    stores: Stores,
    large: Places,
) -> Acknowledgement:
    """Take one delivery. Whatever happens, the answer says what became of it; nothing is raised.

    Order matters: what costs nothing comes first, and nobody without the secret learns more than that they lack it.
    """
    try:
        body = _signed_body(request, signatures, large)
        event, guid, payload = _parse(request, body)
    except Refused as refused:
        return Acknowledgement(refused.status, "refused", str(refused))
    if event == "ping":
        return Acknowledgement(202, "pong", "pong: Bouncer is listening", guid=guid)
    found = read(event, payload)
    told = partial(Acknowledgement, event=event if event in HANDLED else "other", guid=guid)
    if isinstance(found, Ignored):
        return told(202, "ignored", f"ignored: {found.reason}")
    told = partial(told, subject=found.subject, commit=found.commit)
    if allowed and account(found).lower() not in allowed:
        return told(202, "ignored", "ignored: this Bouncer does not serve this account")
    try:
        new = stores.inbox.claim(guid, found)
    except SQLAlchemyError as error:
        with logs.about(delivery=guid, subject=found.subject, commit=found.commit):
            log.error("delivery %s not stored: %s", guid, stores.inbox.trouble(error))
        return told(503, "unavailable", "unavailable: the delivery was not stored; please redeliver it")
    named = " ".join(word for word in (found.event, found.action) if word)
    if not new:
        return told(202, "duplicate", f"duplicate: {named} was received before")
    if found.event == "repository":
        _close(found, stores.repositories)
    return told(202, "queued", f"queued: {named}")


def _close(found: Delivery, repositories: Repositories) -> None:
    """A worker does the same in the delivery's turn, before which there may be a long queue, or no worker at all."""
    if found.repository is None or not found.repository.private:
        return
    try:
        repositories.close(found.repository.id, datetime.now(UTC))
    except SQLAlchemyError as error:
        log.warning("the pages of a private repository stay open until a worker comes to it: %s", type(error).__name__)


def account(delivery: Delivery) -> str:
    """Whose delivery it is: the owner of the repository, or the account that installed."""
    if delivery.repository is not None:
        return delivery.repository.full_name.partition("/")[0]
    return delivery.account


def _signed_body(request: Request, signatures: Signatures, large: Places) -> bytes:
    signature = request.headers.get(HEADER)
    try:
        if (request.content_length or 0) > MOST_BYTES:
            raise RequestEntityTooLarge
        if signature is None or not is_well_formed(signature):
            state = "missing" if signature is None else "malformed"
            raise Refused(401, f"refused: the {HEADER} header is {state}; set the same webhook secret on both sides")
        body = _body(request, large)
        if len(body) > MOST_BYTES:
            raise RequestEntityTooLarge
    except RequestEntityTooLarge:
        raise Refused(413, "refused: the body is larger than the 25 MiB GitHub sends at most") from None
    if not signatures.fit(signature, body):
        raise Refused(401, "refused: the signature is wrong; set the same webhook secret on both sides")
    return body


def _body(request: Request, large: Places) -> bytes:
    length = request.content_length
    if length is not None and length <= LARGE:
        return request.get_data(cache=False)
    if not large.enter():
        raise Refused(503, "unavailable: too many large requests at once; please redeliver it")
    try:
        return request.get_data(cache=False)  # without a declared length this stops at `max_content_length`
    finally:
        large.leave()


def guid_of(request: Request) -> str:
    """What GitHub calls the delivery; empty where it is no such name, which no log repeats."""
    given = request.headers.get("X-GitHub-Delivery", "")
    return given if _GUID.fullmatch(given) else ""


def _parse(request: Request, body: bytes) -> tuple[str, str, Mapping[str, Any]]:
    if request.mimetype != "application/json":
        raise Refused(415, "refused: set the webhook's content type to application/json")
    event = request.headers.get("X-GitHub-Event", "")
    if not _EVENT.fullmatch(event):
        raise Refused(400, "refused: the X-GitHub-Event header is missing or odd")
    if not (guid := guid_of(request)):
        raise Refused(400, "refused: the X-GitHub-Delivery header is missing or odd")
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "refused: the body is not JSON") from None
    if not isinstance(payload, dict):
        raise Refused(400, "refused: the body is not a JSON object")
    return event, guid, payload


class DeliveryRequest(Request):
    """One more, so that a body that goes on too long can be told from a full one."""

    max_content_length = MOST_BYTES + 1


class Deliveries:
    """A WSGI application: deliveries are answered here, everything else by `pages`."""

    def __init__(self, pages: WSGIApplication, settings: Settings, stores: Stores, registry: CollectorRegistry) -> None:
        """registry: what this process counts. Raises SettingsError without a webhook secret."""
        self._pages, self._stores = pages, stores
        self._told_at = 0.0  # by the monotonic clock
        self._signatures = Signatures(settings)
        self._allowed = settings.account_names
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
            answer = receive(request, self._signatures, self._allowed, self._stores, self._large)
        if answer.outcome in TRACED:
            about: traces.Told = {"delivery": answer.guid, "subject": answer.subject, "commit": answer.commit}
            traces.trace_delivery(answer.event, began, outcome=answer.outcome, **about)
        self._answered.labels(answer.event, answer.outcome).inc()
        with logs.about(delivery=answer.guid, subject=answer.subject, commit=answer.commit):
            log.info("%d %s (%s)", answer.status, answer.line, guid_of(request) or "-")
        if answer.status == 401 and guid_of(request):
            self._tell_unsigned()
        return line(answer.line, answer.status, RETRY if answer.status == 503 else None)

    def _tell_unsigned(self) -> None:
        """So that GitHub's log is read: there it shows whether this was GitHub's. Now and then, whoever sends more."""
        if monotonic() >= self._told_at + SECONDS_BETWEEN_SIGNS:
            self._told_at = monotonic()
            with suppress(SQLAlchemyError):  # the page says that the database does not answer
                self._stores.signs.save(WorkerSign(UNSIGNED, datetime.now(UTC)))


def line(text: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """An answer of one line."""
    return Response(text + "\n", status, headers, content_type="text/plain; charset=utf-8")
