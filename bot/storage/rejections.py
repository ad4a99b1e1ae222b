"""What became of each review bot's rejection that was put to the test, and the secret address of its page. Rows are
added, never changed."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from bot.storage.store import Store, add, as_value
from bot.storage.tables import rejections
from bot.storage.tokens import at_token, digest, new_token
from bot.verdicts import Decision

MOST = 50  # rejections of one pull request that are listed


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectionRecord:
    """run_id: of the run that tried it. head: the rejected commit. reviewer: who rejected. sentence: the verdict's
    first reason. result: what was found, as `bot.pulls.result` writes it; empty once retention removed it."""

    run_id: str
    repo_id: int
    number: int
    installation_id: int
    repository: str
    head: str
    at: datetime
    decision: Decision
    sentence: str
    reviewer: str
    result: str


@dataclass(frozen=True, slots=True)
class RejectionListing:
    """One of a pull request's. token: of its own page."""

    head: str
    at: datetime
    decision: Decision
    sentence: str
    token: str


class Rejections(Store[RejectionRecord], table=rejections, kind=RejectionRecord, decision=as_value(Decision)):
    """Keeping is idempotent by `run_id`: a step that runs twice leaves one row, and one token."""

    def keep(self, record: RejectionRecord) -> str:
        """Write it down; the token of its page."""
        token = new_token()
        add(self._engine, rejections, self._columns(record) | {"token": token, "digest": digest(token)})
        return str(self._scalar(select(rejections.c.token).where(rejections.c.run_id == record.run_id)))

    def find(self, token: str) -> RejectionRecord | None:
        """The one at this address."""
        row = at_token(self._engine, rejections, token)
        return None if row is None else self._record(row._mapping)

    def trail(self, repo_id: int, number: int) -> tuple[RejectionListing, ...]:
        """Those of one pull request, newest first, at most `MOST`."""
        table = rejections.c
        query = (
            select(table.head, table.at, table.decision, table.sentence, table.token)
            .where(table.repo_id == repo_id, table.number == number)
            .order_by(table.at.desc(), table.run_id.desc())
            .limit(MOST)
        )
        return tuple(
            RejectionListing(row.head, row.at, Decision(row.decision), row.sentence, row.token)
            for row in self._rows(query)
        )
