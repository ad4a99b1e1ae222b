"""The secret part of a page's address."""

import hashlib
import hmac
import re
import secrets
from typing import Any

from sqlalchemy import Engine, Row, Table, select

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


def at_token(engine: Engine, table: Table, token: str) -> Row[Any] | None:
    """The row at this address. It is looked up by its hash, so the time this takes tells nothing of a token."""
    if not is_token(token):
        return None
    with engine.connect() as connection:
        row = connection.execute(select(table).where(table.c.digest == digest(token))).one_or_none()
    return row if row is not None and hmac.compare_digest(row.token, token) else None
