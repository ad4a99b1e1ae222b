"""The web application: GitHub's door, the pages of verdicts, and those that say whether the door is open."""

import logging
from time import time
from urllib.parse import urlsplit

from flask import Flask, Response, request
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from werkzeug.exceptions import HTTPException

from bot.settings import Settings
from bot.statements.keys import signing_key
from bot.storage.database import Database
from bot.storage.inbox import Inbox
from bot.telemetry import logs, traces
from webhooks.access import RepositoryAccess, sign_in_app, unset
from webhooks.dashboard import dashboards
from webhooks.headers import shut_in
from webhooks.health import health
from webhooks.landing import landing
from webhooks.pages import pages
from webhooks.receive import MOST_BYTES, SECONDS_FOR_ROOM, SECONDS_UNTIL_RETRY, guid_of, receive
from webhooks.room import Room
from webhooks.secrets import Signatures
from webhooks.session import add_sessions
from webhooks.sign_in import sign_in_pages
from webhooks.statement_key import statement_key
from webhooks.welcome import welcome

ANSWERED_IN = "From the first byte of a delivery's body to the answer."
QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
TRACED = ("queued", "duplicate", "unavailable")  # outcomes of deliveries that are for Bouncer

log = logging.getLogger("bouncer.web")


def create_app(settings: Settings) -> Flask:
    """Build the application. It starts without its database, and then answers 503 until that is back.

    Raises SettingsError without a webhook secret (unsigned deliveries are never taken) and for a key of statements that
    cannot be used, DatabaseError for a database address that can never work.
    """
    traces.set_up("bouncer-web")
    signatures = Signatures(settings)
    database = Database.open(settings.database_url)
    inbox = Inbox(database)
    disable_created_metrics()  # type: ignore[no-untyped-call] # a second series for each count
    registry = CollectorRegistry()
    told = "Webhook deliveries answered by this process."
    answered = Counter("bouncer_deliveries_total", told, ["event", "outcome"], registry=registry)
    took = Histogram("bouncer_acknowledgement_seconds", ANSWERED_IN, buckets=QUICK, registry=registry)
    ProcessCollector(registry=registry)
    large = Room(settings.web_threads, SECONDS_FOR_ROOM)

    app = Flask("webhooks", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = (
        MOST_BYTES + 1
    )  # so that a body that goes on too long can be told from a full one
    app.url_map.merge_slashes = False  # the redirect would name a host and a scheme that the request made up
    shut_in(app)
    app.register_blueprint(health(database, inbox, registry))
    home = urlsplit(settings.public_url).path.rstrip("/")
    access = RepositoryAccess(sign_in_app(settings), unset(settings))
    add_sessions(app, settings)
    app.context_processor(lambda: {"home": home})
    key = signing_key(settings)
    app.register_blueprint(pages(database, settings.github_web_url, access, settings.pages_days, key))
    app.register_blueprint(statement_key(key))
    app.register_blueprint(sign_in_pages(access, home))
    app.register_blueprint(dashboards(database, settings.github_web_url, access, settings.cache_dir / "figures"))
    app.register_blueprint(landing(database, inbox))
    app.register_blueprint(welcome(database, settings.github_web_url, settings.public_url, access))

    @app.post("/webhook")
    def webhook() -> Response:
        began = time()
        with took.time():
            answer = receive(request, signatures, settings.allowed, inbox, large)
        if answer.outcome in TRACED:
            about: traces.Told = {"delivery": answer.guid, "subject": answer.subject, "commit": answer.commit}
            traces.acknowledged(answer.event, began, outcome=answer.outcome, **about)
        answered.labels(answer.event, answer.outcome).inc()
        with logs.about(delivery=answer.guid, subject=answer.subject, commit=answer.commit):
            log.info("%d %s (%s)", answer.status, answer.line, guid_of(request) or "-")
        response = _line(answer.line, answer.status)
        if answer.status == 503:
            response.headers["Retry-After"] = str(SECONDS_UNTIL_RETRY)
        return response

    @app.errorhandler(HTTPException)
    def plain(error: HTTPException) -> Response:
        response = _line(f"{error.code}: {error.name}", error.code or 500)
        allowed = error.get_response().headers.get("Allow")
        if allowed:
            response.headers["Allow"] = allowed
        return response

    @app.errorhandler(Exception)
    def broken(error: Exception) -> Response:
        rule = request.url_rule  # the address of a page is its key, and no matter for a log
        log.exception("%s %s failed", request.method, rule.rule if rule else "an unknown address")
        return _line("500: something went wrong here; the log says what", 500)

    return app


def _line(text: str, status: int) -> Response:
    return Response(text + "\n", status, content_type="text/plain; charset=utf-8")
