"""The secret part of a page's address."""

import hashlib
import re
import secrets

_BYTES = 24  # of chance: 192 bits
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")


def new_token() -> str:
    """One that nobody can guess, fit for an address."""
    return secrets.token_urlsafe(_BYTES)


def is_token(text: str) -> bool:
    """Whether it looks like one at all."""
    return _TOKEN.fullmatch(text) is not None


def digest(token: str) -> str:
    """By which a token is looked up, so that the time this takes tells nothing of it."""
    return hashlib.sha256(token.encode()).hexdigest()
