"""Who is signed in: a cookie, signed and short-lived, that holds the login and the person's token, encrypted.

Nothing is kept on the server, so any web process knows anybody. All keys derive from the App's client secret: a new
secret signs everybody out.
"""

import base64
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

from cryptography.fernet import Fernet, InvalidToken
from flask import Flask, current_app, session

from bot.settings import Settings

LIFE = timedelta(hours=8)  # as long as GitHub's tokens for people
_KEY = "BOUNCER_TOKEN_KEY"


@dataclass(frozen=True, slots=True)
class Person:
    """csrf: what a form of theirs has to bring along."""

    login: str
    csrf: str
    token: str = field(repr=False)


def add_sessions(app: Flask, settings: Settings) -> None:
    """Without a client secret there are none."""
    if settings.client_secret is None or not (secret := settings.client_secret.get_secret_value()):
        return
    secure = urlsplit(settings.public_url).scheme == "https"
    app.secret_key = _derived(secret, b"cookie")
    app.config[_KEY] = base64.urlsafe_b64encode(_derived(secret, b"token"))
    app.config.update(
        SESSION_COOKIE_NAME="__Host-bouncer" if secure else "bouncer",  # no neighbouring host can plant such a one
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=secure,
        SESSION_REFRESH_EACH_REQUEST=False,  # it ends after `LIFE`, however often somebody comes
        PERMANENT_SESSION_LIFETIME=LIFE,
    )


def sign_in(login: str, token: str) -> None:
    """A new session: nothing of an earlier one is left."""
    session.clear()
    session.permanent = True
    session["login"], session["csrf"] = login, secrets.token_urlsafe(24)
    session["token"] = _fernet().encrypt(token.encode()).decode()


def current_person() -> Person | None:
    """Who asks, as far as this cookie says so."""
    if not current_app.secret_key or "token" not in session:
        return None
    try:
        token = _fernet().decrypt(session["token"].encode()).decode()
        return Person(session["login"], session["csrf"], token)
    except (InvalidToken, KeyError):
        return None


def forget_person() -> None:
    session.clear()


def _fernet() -> Fernet:
    return Fernet(current_app.config[_KEY])


def _derived(secret: str, purpose: bytes) -> bytes:
    return hmac.digest(secret.encode(), b"bouncer sign-in, " + purpose, "sha256")
