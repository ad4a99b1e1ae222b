"""Signing in as on GitHub: the App's OAuth web flow, with a page on which the visitor chooses who to be.

Codes count once, for ten minutes, with the PKCE verifier that belongs to their challenge.
"""

import base64
import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode, urlsplit

from flask import Blueprint, Response, abort, redirect, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from fake_github.app_world import AppWorld
from fake_github.rest_call import as_json
from fake_github.world import User

_LIFE = timedelta(minutes=10)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Code:
    """One that was handed out, for whom and for which challenge."""

    user: User
    redirect_uri: str
    challenge: str
    until: datetime


class SignIn:
    """callbacks: the addresses the App registered; while there are none, every one on loopback will do."""

    def __init__(self, world: AppWorld) -> None:
        self.world = world
        self.callbacks: list[str] = []
        self._codes: dict[str, Code] = {}

    def token(self, login: str) -> str:
        """A person's token for this App, as the end of the flow hands it out."""
        name = "ghu_" + secrets.token_hex(18)
        with self.world.lock:
            self.world.user_tokens[name] = self.world.user(login)
        return name

    def code(self, login: str, redirect_uri: str, challenge: str) -> str:
        name = secrets.token_hex(10)
        user = self.world.user(login)
        self._codes[name] = Code(user, redirect_uri, challenge, self.world.now() + _LIFE)
        return name

    def redeem(self, sent: dict[str, str]) -> dict[str, str]:
        """What GitHub answers, refusals too, with status 200."""
        if (sent.get("client_id"), sent.get("client_secret")) != self.world.client:
            return {"error": "incorrect_client_credentials", "error_description": "The client_id is incorrect."}
        found = self._codes.pop(sent.get("code", ""), None)
        if found is None or found.until <= self.world.now() or found.challenge != _challenge(sent):
            return {"error": "bad_verification_code", "error_description": "The code is incorrect or expired."}
        if sent.get("redirect_uri") != found.redirect_uri:
            return {"error": "redirect_uri_mismatch", "error_description": "The redirect_uri MUST match."}
        return {"access_token": self.token(found.user.login), "scope": "", "token_type": "bearer"}

    def takes(self, redirect_uri: str) -> bool:
        if self.callbacks:
            return redirect_uri in self.callbacks
        return urlsplit(redirect_uri).hostname in _LOOPBACK

    def blueprint(self) -> Blueprint:
        """`/login/oauth/authorize` for people, `/login/oauth/access_token` for the App."""
        pages = Blueprint("sign_in", __name__, url_prefix="/login/oauth", template_folder="templates")

        @pages.get("/authorize")
        def authorize() -> str | BaseResponse:
            asked, to = request.args, request.args.get("redirect_uri", "")
            if asked.get("client_id") != self.world.client[0] or not self.takes(to):
                abort(404)
            state = {"state": asked.get("state", "")}
            if "deny" in asked:
                return redirect(f"{to}?{urlencode({'error': 'access_denied', **state})}")
            if login := asked.get("login", ""):
                code = self.code(login, to, asked.get("code_challenge", ""))
                return redirect(f"{to}?{urlencode({'code': code, **state})}")
            people = [user.login for user in self.world.users.values() if user.type == "User"]
            query = urlencode(asked.to_dict())
            return render_template("sign_in.html", people=people, query=query)

        @pages.post("/access_token")
        def access_token() -> Response:
            return as_json(self.redeem(request.form.to_dict()), 200)

        return pages


def _challenge(sent: dict[str, str]) -> str:
    """Of the verifier that was sent, by S256; empty without one."""
    if not (verifier := sent.get("code_verifier", "")):
        return ""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
