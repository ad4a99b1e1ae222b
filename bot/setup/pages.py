"""`/setup`: the pages of the walk. Everything but the first needs the cookie that the first gives for the token."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Mapping
from hmac import compare_digest
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, current_app, redirect, render_template, request, url_for
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from bot.errors import PlainError
from bot.github.registration import manifest, register_url
from bot.setup.flow import LIFETIME, Guard, SetupFlow
from webhooks.headers import OWN_FORMS, add_headers, policy
from webhooks.pages import spans
from webhooks.receive import line

COOKIE = "bouncer_setup"
MOST_FORM = 64 * 1024  # bytes
SECONDS_TO_CHECK = 180
SECONDS_UNTIL_RETRY = 60
_REACHED_AT = "BOUNCER_REACHED_AT"

log = logging.getLogger("bouncer.setup")


def setup_app(
    guard: Guard,
    flow: SetupFlow,
    closed: Callable[[], str] = lambda: "",
    welcomes: Callable[[], Mapping[str, str]] = lambda: {},
    reached_at: str = "",
) -> Flask:
    """The application that runs while there is no App. closed: why nobody may set up any more; empty while they may.
    welcomes: the welcome pages by repository, as far as there are any. reached_at: where browsers reach these pages;
    empty where only the request tells."""
    app = Flask("webhooks", static_folder="static", static_url_path="/verdicts/static")
    app.config[_REACHED_AT] = reached_at.rstrip("/")
    app.config["MAX_CONTENT_LENGTH"] = MOST_FORM
    app.add_template_filter(spans, "spans")
    app.url_map.merge_slashes = False  # the redirect would name a host that the request made up
    app.context_processor(lambda: {"home": _home(flow.place.public_url), "form_mark": guard.form_mark})
    add_headers(app)
    app.register_blueprint(_steps(guard, flow, closed, welcomes))

    @app.post("/webhook")
    @app.get("/readyz")
    def not_yet() -> BaseResponse:
        return line("503: not set up yet", 503, {"Retry-After": str(SECONDS_UNTIL_RETRY)})

    @app.get("/healthz")
    def alive() -> BaseResponse:
        return line("alive", 200)

    @app.get("/")
    def front() -> Response:
        return Response(render_template("setup_front.html"), 503)

    @app.errorhandler(HTTPException)
    def plain(error: HTTPException) -> BaseResponse:
        if error.code == 404 and "text/html" in set(request.accept_mimetypes.values()):  # a browser's
            return Response(render_template("setup_front.html"), 404)
        return line(f"{error.code}: {error.name}", error.code or 500)

    @app.errorhandler(SQLAlchemyError)
    def away(error: SQLAlchemyError) -> BaseResponse:
        log.error("no page: %s", type(error).__name__)
        return line("503: the database does not answer", 503)

    @app.errorhandler(Exception)
    def answer_error(error: Exception) -> BaseResponse:
        log.error("%s failed: %s", request.endpoint, type(error).__name__)  # its text may hold what GitHub gave
        return line("500: something went wrong here; the log says what", 500)

    @app.after_request
    def one_form_to_github(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = _policy(flow.place.web_url)
        return response

    return app


def _steps(
    guard: Guard, flow: SetupFlow, closed: Callable[[], str], welcomes: Callable[[], Mapping[str, str]]
) -> Blueprint:
    steps = Blueprint("steps", __name__, template_folder="templates")

    @steps.before_request
    def check_guard() -> BaseResponse | None:
        if why := closed():
            return _page("setup_closed.html", 403, why=why)
        if not guard.knows(request.cookies.get(COOKIE, "")):
            return _enter(guard, flow)
        if not _own_form(guard):
            return _page("setup_closed.html", 403, why="That form came from another page.")
        if flow.has_app and request.endpoint not in ("steps.finish", "steps.check", "steps.receive_installation"):
            return _to("finish", flow)  # the App that is kept stays
        return None

    @steps.get("/setup")
    def begin() -> BaseResponse:
        return _to("begin", flow) if "token" in request.args else _begin(guard, flow)

    @steps.post("/setup")
    def choose() -> BaseResponse:
        try:
            flow.choose(_field("public_url"), _field("github"), _field("organization"))
        except PlainError as error:
            return _begin(guard, flow, str(error), 400)
        return _to("begin", flow)

    @steps.get("/setup/created")
    def receive_code() -> BaseResponse:
        if not compare_digest(request.args.get("state", "").encode(), guard.state.encode()):
            return _begin(guard, flow, "This did not come from GitHub: its state value is missing. Begin again.", 400)
        return _then(guard, flow, lambda: flow.convert_code(request.args.get("code", "")))

    @steps.post("/setup/import")
    def take_over() -> BaseResponse:
        return _then(guard, flow, lambda: flow.take_over(_field("app_id"), _field("private_key")))

    @steps.post("/setup/save")
    def save() -> BaseResponse:
        return _then(guard, flow, flow.save)

    @steps.get("/installed")
    def receive_installation() -> BaseResponse:
        """GitHub leads here from installing, and from asking an organisation's owners to install."""
        if request.args.get("setup_action") in ("install", "update"):
            return _to("finish", flow, "?installed")
        return _to("finish", flow)

    @steps.get("/setup/done")
    def finish() -> BaseResponse:
        if not flow.has_app:
            return _to("begin", flow)
        return _page(
            "setup_done.html",
            200,
            app=flow.credentials,
            checks=None,
            welcomes=welcomes(),
            installed="installed" in request.args,
        )

    @steps.post("/setup/check")
    def check() -> BaseResponse:
        if not flow.has_app:
            return _to("begin", flow)
        found = run_doctor()
        return _page("setup_done.html", 200, app=flow.credentials, checks=found, welcomes=welcomes())

    return steps


def _enter(guard: Guard, flow: SetupFlow) -> BaseResponse:
    """The first page takes the token for a cookie; whoever has neither learns nothing."""
    session = guard.admit(request.args.get("token", "")) if request.path == "/setup" and "token" in request.args else ""
    if not session:
        return _page("setup_closed.html", 403, why=guard.refusal())
    log.info("somebody opened the link for setting up")
    answer = _to("begin", flow)  # the token leaves the address, and so the browser's history
    secure = request.is_secure or _here(flow.place.public_url).startswith("https:")
    answer.set_cookie(COOKIE, session, max_age=int(LIFETIME), httponly=True, samesite="Lax", secure=secure)
    return answer


def _begin(guard: Guard, flow: SetupFlow, problem: str = "", status: int = 200) -> BaseResponse:
    place = flow.place
    here = _here(place.public_url)
    asked = manifest(place.public_url, here, place.organization) if place.public_url else None
    return _page(
        "setup_begin.html",
        status,
        place=place,
        fixed_address=flow.fixed_address,
        proposed=place.public_url or here,
        asked=asked,
        manifest=json.dumps(asked),
        register_url=register_url(place.web_url, place.organization, guard.state),
        problem=problem,
        unsaved=flow.credentials if not flow.has_app else None,
    )


def _then(guard: Guard, flow: SetupFlow, act: Callable[[], None]) -> BaseResponse:
    """Do it and go on; or say what is wrong on the first page, where it can be tried again."""
    try:
        act()
    except PlainError as error:
        log.warning("setting up: %s", error)
        return _begin(guard, flow, str(error), 400)
    return _to("finish", flow)


def run_doctor() -> list[Mapping[str, str]]:
    """What `bouncer doctor` says, from a process of its own: it reads the settings as the next start will."""
    command = [sys.executable, "-P", "-m", "bot", "doctor", "--json"]
    failed = {"check": "doctor", "outcome": "fail", "says": "it did not end", "mend": "Run `bouncer doctor`."}
    try:
        ended = subprocess.run(command, capture_output=True, timeout=SECONDS_TO_CHECK, check=False)
        checks: list[Mapping[str, str]] = json.loads(ended.stdout)["checks"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return [failed]
    return checks


def _own_form(guard: Guard) -> bool:
    """A form that changes something came from one of these pages. The cookie alone says less: a browser sends it along
    for pages of neighbouring hosts (`evil.example.com`) as well."""
    return request.method in ("GET", "HEAD") or compare_digest(_field("form_mark").encode(), guard.form_mark.encode())


def _here(public_url: str) -> str:
    """This server as the browser sees it. A proxy may send a `Host` of its own (nginx does), and only the public
    address knows whether it speaks https."""
    if reached_at := str(current_app.config[_REACHED_AT]):
        return reached_at
    return public_url if urlsplit(public_url).netloc == request.host else request.host_url.rstrip("/")


def _to(step: str, flow: SetupFlow, query: str = "") -> BaseResponse:
    return redirect(_home(flow.place.public_url) + url_for(f"steps.{step}") + query, 303)


def _home(public_url: str) -> str:
    """The path below which a proxy shows this server; `""` at the root, or where the browser came another way."""
    return urlsplit(_here(public_url)).path.rstrip("/")


def _policy(web_url: str) -> str:
    """As everywhere, and the one form may go to GitHub, which may send it on to a sign-in of its own."""
    to = "https:" if web_url.startswith("https:") else web_url
    return policy(f"{OWN_FORMS} {to}")


def _field(name: str) -> str:
    return request.form.get(name, "").strip()


def _page(template: str, status: int, **given: Any) -> BaseResponse:
    return Response(render_template(template, **given), status)
