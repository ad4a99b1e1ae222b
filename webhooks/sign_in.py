"""Signing in with GitHub: `/login`, `/login/callback`, `/logout`. The App's own OAuth web flow, with PKCE.

GitHub's guide: "Generating a user access token for a GitHub App", the web application flow.
"""

import base64
import hashlib
import hmac
import logging
import secrets
from time import time

from flask import Blueprint, current_app, redirect, request, session
from werkzeug.wrappers import Response as BaseResponse

from bot.github.errors import GitHubError, Unauthorized, Unavailable
from bot.github.people import SignInApp
from bot.settings import Settings
from webhooks.access import RepositoryAccess, own_path, refuse, sign_in_app
from webhooks.secrets import read_again
from webhooks.session import add_sessions, current_person, forget_person, sign_in

SECONDS_TO_SIGN_IN = 600

log = logging.getLogger("bouncer.sign-in")


def sign_in_pages(access: RepositoryAccess, home: str, settings: Settings) -> Blueprint:
    """home: the path under which people reach this server, without a slash at its end. settings: as it started."""
    blueprint = Blueprint("sign_in", __name__)

    @blueprint.get("/login")
    def login() -> BaseResponse:
        app = _app(access)
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        asked = {"state": state, "verifier": verifier, "at": int(time())}
        session["asked"] = asked | {"back": own_path(request.args.get("next", ""))}
        return redirect(app.authorize_url(state, _challenge(verifier)))

    @blueprint.get("/login/callback")
    def callback() -> BaseResponse:
        _app(access)
        asked = session.pop("asked", None)
        if not _started_here(asked):
            refuse("This sign-in was not started in this browser, or took too long. Start again.", 403, sign_in=True)
        if "code" not in request.args:
            refuse("GitHub did not sign you in.", 403, sign_in=True)
        try:
            token = _token(access, settings, request.args["code"], asked["verifier"])
            login = _app(access).login(token)
        except GitHubError as error:
            log.warning("a sign-in failed: %s", error)
            refuse(*_failed(error), sign_in=True)
        sign_in(login, token)
        return redirect(home + own_path(asked["back"]))

    @blueprint.post("/logout")
    def logout() -> BaseResponse:
        person = current_person()
        if person is not None:
            if not hmac.compare_digest(person.csrf.encode(), request.form.get("csrf", "").encode()):
                refuse("This form is not from this server, or is too old. You are still signed in.", 403)
            _revoke(_app(access), person.token)
            access.forget(person)
            forget_person()
        return redirect(f"{home}/")

    return blueprint


def _app(access: RepositoryAccess) -> SignInApp:
    if access.app is None:
        access.person()  # says what to set
    assert access.app is not None
    return access.app


def _token(access: RepositoryAccess, settings: Settings, code: str, verifier: str) -> str:
    """For the code. Where GitHub refuses it, the client secret may have been changed meanwhile."""
    try:
        return _app(access).token(code, verifier)
    except Unauthorized:
        if not _renewed(access, settings):
            raise
        return _app(access).token(code, verifier)


def _renewed(access: RepositoryAccess, settings: Settings) -> bool:
    """Take the client secret as the settings file has it now; whether it is another one. The sessions' keys derive from
    it, so that everybody signs in again."""
    read = read_again(settings, sign_in_app, access.app, "client secret")
    if read is None or read[1] == access.app:
        return False
    add_sessions(current_app, read[0])
    access.app = read[1]
    return True


def _started_here(asked: dict[str, str] | None) -> bool:
    if asked is None or time() - int(asked["at"]) > SECONDS_TO_SIGN_IN:
        return False
    return hmac.compare_digest(asked["state"].encode(), request.args.get("state", "").encode())


def _failed(error: GitHubError) -> tuple[str, int]:
    if isinstance(error, Unavailable):
        return "GitHub does not answer. Try again in a minute.", 503
    return (
        "GitHub did not accept this sign-in. Try again; if it stays so, `BOUNCER_CLIENT_ID` or "
        "`BOUNCER_CLIENT_SECRET` is not the App's.",
        403,
    )


def _revoke(app: SignInApp, token: str) -> None:
    try:
        app.revoke(token)
    except GitHubError as error:
        log.warning("a token was not given back: %s", error)  # it ends by itself


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
