"""The secret part of a page's address, and the stores whose rows have a page each."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime

from sqlalchemy import select

from bot.storage.store import Record, Store, add
from bot.verdicts import Decision

MOST = 50  # verdicts of one pull request that are listed

_BYTES = 24  # of chance: 192 bits
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")


def new_token() -> str:
    """One that nobody can guess, fit for an address."""
    return secrets.token_urlsafe(_BYTES)


def digest(token: str) -> str:
    """By which a token is looked up, so that the time this takes tells nothing of it."""
    return hashlib.sha256(token.encode()).hexdigest()


class PageStore(Store[Record]):
    """`table` has the token of each row's page, and the token's digest."""

    def find(self, token: str) -> Record | None:
        """The one at this address. It is looked up by its hash, so the time this takes tells nothing of a token."""
        if not _TOKEN.fullmatch(token):
            return None
        rows = self._rows(select(self.table).where(self.table.c.digest == digest(token)))
        return self._record(rows[0]._mapping) if rows and hmac.compare_digest(rows[0].token, token) else None


@dataclass(frozen=True, slots=True)
class PageListing:
    """One verdict of a pull request's. sentence: its first reason. token: of its own page."""

    head: str
    at: datetime
    decision: Decision
    sentence: str
    token: str


class RunStore(PageStore[Record]):
    """What came of runs on pull requests. Rows are added, never changed. Keeping is idempotent by `run_id`: a step that
    runs twice leaves one row, and one token."""

    def keep(self, record: Record) -> str:
        """Write it down; the token of its page."""
        columns, token, table = self._columns(record), new_token(), self.table.c
        add(self._engine, self.table, columns | {"token": token, "digest": digest(token)})
        return str(self._scalar(select(table.token).where(table.run_id == columns["run_id"])))

    def trail(self, repo_id: int, number: int) -> tuple[PageListing, ...]:
        """Those of one pull request, newest first, at most `MOST`."""
        table = self.table.c
        listed = select(*(table[field.name] for field in fields(PageListing)))
        own = listed.where(table.repo_id == repo_id, table.number == number)
        rows = self._rows(own.order_by(table.at.desc(), table.run_id.desc()).limit(MOST))
        return tuple(PageListing(*row) for row in rows)

    def results(self) -> Iterator[str]:
        """What was found, oldest first, as it is stored; without what retention removed."""
        table = self.table.c
        for row in self._rows(select(table.result).where(table.result != "").order_by(table.at, table.run_id)):
            yield row.result
