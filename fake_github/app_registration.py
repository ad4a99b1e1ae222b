"""What people do on GitHub's pages for the App: sign in through it, register it from a manifest, install it.

The fake has one App. One that is registered takes the place of the one before; its installations are gone. Signing in
is the App's OAuth web flow, with a page on which the visitor chooses who to be: codes count once, for ten minutes, with
the PKCE verifier that belongs to their challenge.
"""

import base64
import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from fake_github.access import new_private_key, public_half
from fake_github.app_world import AppWorld
from fake_github.rest_call import as_json
from fake_github.world import User

LONGEST_NAME = 34
CODE_LIFETIME = timedelta(hours=1)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
_KNOWN = {
    *("name", "description", "url", "public", "hook_attributes", "redirect_url", "callback_urls", "setup_url"),
    *("default_permissions", "default_events", "setup_on_update", "request_oauth_on_install"),
}
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


@dataclass(frozen=True, slots=True)
class PendingApp:
    """A registration whose code has not been changed for its credentials yet."""

    name: str
    owner: User
    manifest: Mapping[str, Any]
    ends: datetime


class AppRegistration:
    """The codes that were given out, and what each stands for."""

    def __init__(self, world: AppWorld, sign_in: SignIn) -> None:
        self._world, self._sign_in = world, sign_in
        self._pending: dict[str, PendingApp] = {}
        self.setup_url = ""
        self.private_key = ""

    def begin(self, name: str, owner: str, manifest: Mapping[str, Any]) -> str:
        """The code for a manifest that `problems` has nothing against."""
        code = secrets.token_hex(20)
        ends = self._world.now() + CODE_LIFETIME
        kind = "" if owner == self._world.app.owner.login else "Organization"
        self._pending[code] = PendingApp(name, self._world.user(owner, kind), manifest, ends)
        return code

    def convert(self, code: str) -> dict[str, Any] | None:
        """The App's credentials, once; `None` for a code that is unknown, used or too old."""
        found = self._pending.pop(code, None)
        if found is None or found.ends <= self._world.now():
            return None
        world, app, asked = self._world, self._world.app, found.manifest
        self.private_key = new_private_key()
        self.setup_url = str(asked.get("setup_url", ""))
        app.id, app.owner, app.created_at = world.next_id(), found.owner, world.now()
        app.slug = re.sub(r"[^a-z0-9]+", "-", found.name.lower()).strip("-")
        app.public_key, app.webhook_secret = public_half(self.private_key), secrets.token_hex(20)
        app.webhook_url = str(asked["hook_attributes"]["url"])
        app.permissions, app.events = dict(asked["default_permissions"]), sorted(asked["default_events"])
        world.installations.clear()
        world.tokens.clear()
        world.bot = world.user(f"{app.slug}[bot]")
        self._sign_in.callbacks = list(asked.get("callback_urls", ()))
        world.client = (f"Iv1.{secrets.token_hex(8)}", secrets.token_hex(20))
        return {
            **world.shapes.app(app),
            "client_id": world.client[0],
            "client_secret": world.client[1],
            "webhook_secret": app.webhook_secret,
            "pem": self.private_key,
        }


def problems(manifest: object) -> list[str]:
    """What GitHub would have against a manifest."""
    if not isinstance(manifest, dict):
        return ["The manifest is not a JSON object."]
    found = [f"{name} is not known." for name in sorted(set(manifest) - _KNOWN)]
    name = manifest.get("name", "")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        found.append(f"The name must have 1 to {LONGEST_NAME} characters.")
    addresses = [manifest.get("url"), manifest.get("redirect_url"), (manifest.get("hook_attributes") or {}).get("url")]
    found += [f"{url!r} is no web address." for url in addresses if urlsplit(str(url)).scheme not in ("http", "https")]
    if not manifest.get("default_permissions") and manifest.get("default_events"):
        found.append("Events need permissions.")
    return found


def app_registration_blueprint(world: AppWorld, registration: AppRegistration) -> Blueprint:
    """The pages. They take forms from elsewhere, as GitHub's do: a manifest comes from another server's page."""
    pages = Blueprint("app_registration", __name__, template_folder="templates")

    @pages.after_request
    def shut_in(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = _POLICY
        return response

    @pages.post("/settings/apps/new")
    @pages.post("/organizations/<owner>/settings/apps/new")
    def new(owner: str = "") -> str | tuple[str, int]:
        try:
            manifest = json.loads(request.form.get("manifest", ""))
        except ValueError:
            manifest = None
        wrong = problems(manifest)
        page = render_template(
            "app_new.html",
            manifest=manifest,
            text=request.form.get("manifest", ""),
            owner=owner or world.app.owner.login,
            state=request.args.get("state", ""),
            problems=wrong,
        )
        return (page, 422) if wrong else page

    @pages.post("/settings/apps")
    def create() -> BaseResponse:
        manifest = json.loads(request.form["manifest"])
        name = request.form.get("name", "").strip()
        if problems(manifest) or problems({**manifest, "name": name}):
            abort(422)
        with world.lock:
            code = registration.begin(name, request.form["owner"], manifest)
        back = urlencode({"code": code, "state": request.form.get("state", "")})
        return redirect(f"{manifest['redirect_url']}?{back}")

    @pages.get("/apps/<slug>")
    def public(slug: str) -> BaseResponse:
        return redirect(url_for("app_registration.choose", slug=slug))

    @pages.get("/apps/<slug>/installations/new")
    def choose(slug: str) -> str:
        if slug != world.app.slug:
            abort(404)
        with world.lock:
            return render_template("app_install.html", repos=list(world.repos.values()))

    @pages.post("/apps/<slug>/installations/new")
    def install(slug: str) -> BaseResponse:
        wanted = request.form.getlist("repository")
        if slug != world.app.slug or not wanted:
            abort(404)
        installed = world.install(wanted[0].partition("/")[0], wanted)
        if not registration.setup_url:
            return redirect(url_for("pages.home"))
        back = urlencode({"installation_id": installed, "setup_action": "install"})
        return redirect(f"{registration.setup_url}?{back}")

    return pages
