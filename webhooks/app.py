"""The web application: GitHub's door, the pages of verdicts, and those that say whether the door is open."""

import logging
from urllib.parse import urlsplit

from flask import Flask, render_template, request
from prometheus_client import CollectorRegistry, ProcessCollector, disable_created_metrics
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from bot.settings import Settings
from bot.statements.keys import load_signing_key
from bot.storage.database import Database
from bot.storage.stores import Stores, open_stores
from bot.telemetry import traces
from webhooks.access import RepositoryAccess, sign_in_app, unset
from webhooks.dashboard import dashboards
from webhooks.figures import FiguresCache
from webhooks.headers import add_headers
from webhooks.health import health
from webhooks.pages import SECONDS_UNTIL_RETRY, pages, statement_key
from webhooks.receive import PATH, Deliveries, line
from webhooks.session import add_sessions
from webhooks.sign_in import sign_in_pages
from webhooks.welcome import welcome

MOST_FORM = 64 * 1024  # bytes that a form of a page may have

NOTHING = "404: there is nothing at this address that you may see."  # the same whether it exists or not

log = logging.getLogger("bouncer.web")


def create_app(settings: Settings) -> Flask:
    """Build the application. It starts without its database, and then answers 503 until that is back.

    Raises SettingsError without a webhook secret (unsigned deliveries are never taken) and for a key of statements that
    cannot be used, DatabaseError for a database address that can never work.
    """
    traces.set_up("bouncer-web")
    database = Database.open(settings.database_url)
    stores = Stores(**open_stores(database))
    disable_created_metrics()  # type: ignore[no-untyped-call] # a second series for each count
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)

    app = Flask("webhooks", static_folder=None)
    app.wsgi_app = Deliveries(app.wsgi_app, settings, stores, registry)  # type: ignore[method-assign]
    app.add_url_rule(PATH, "webhook", methods=["POST"])  # answered before; for who uses another method
    app.config["MAX_CONTENT_LENGTH"] = MOST_FORM
    app.url_map.merge_slashes = False  # the redirect would name a host and a scheme that the request made up
    add_headers(app)
    app.register_blueprint(health(database, stores, registry))
    home = urlsplit(settings.public_url).path.rstrip("/")
    access = RepositoryAccess(sign_in_app(settings), unset(settings))
    add_sessions(app, settings)
    app.context_processor(lambda: {"home": home})
    key = load_signing_key(settings)
    app.register_blueprint(pages(stores, settings.github_web_url, access, settings.pages_days, key))
    app.register_blueprint(statement_key(key))
    app.register_blueprint(sign_in_pages(access, home, settings))
    figures = FiguresCache(database, settings.cache_dir / "figures", settings.keep_caches_days)
    app.register_blueprint(dashboards(database, stores, settings.github_web_url, access, figures))
    app.register_blueprint(welcome(stores, settings.github_web_url, settings.public_url, access))

    @app.errorhandler(HTTPException)
    def plain(error: HTTPException) -> Response:
        if error.code == 404 and "text/html" in set(request.accept_mimetypes.values()):  # a browser's
            return Response(
                render_template("message.html", sentence=NOTHING, back="", lost=True), 404, mimetype="text/html"
            )
        response = line(f"{error.code}: {error.name}", error.code or 500)
        if allowed := error.get_response().headers.get("Allow"):
            response.headers["Allow"] = allowed
        if error.code == 503:
            response.headers["Retry-After"] = str(SECONDS_UNTIL_RETRY)
        return response

    @app.errorhandler(Exception)
    def server_error(error: Exception) -> Response:
        rule = request.url_rule  # the address of a page is its key, and no matter for a log
        log.exception("%s %s failed", request.method, rule.rule if rule else "an unknown address")
        return line("500: something went wrong here; the log says what", 500)

    return app
