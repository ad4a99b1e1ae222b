"""The inbox: a delivery is here, committed, before GitHub is told that it was received."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Index, UniqueConstraint, delete, select, text, update
from sqlalchemy.exc import SQLAlchemyError

from bot.github.deliveries import Delivery
from bot.storage.database import Database, trouble
from bot.storage.shared_commits import Together
from bot.storage.store import Reader, batches, insert, write
from bot.storage.tables import inbox_metadata, row_id, table

_delivery = TypeAdapter(Delivery)

log = logging.getLogger(__name__)

_PENDING = text("routed_at IS NULL")
inbox = table(
    "inbox",
    None,
    row_id("seq"),
    UniqueConstraint("guid", name="inbox_guid"),
    # The pump asks for unrouted rows many times a second; routed ones pile up for a week.
    Index("inbox_pending", "seq", sqlite_where=_PENDING, postgresql_where=_PENDING),
    metadata=inbox_metadata,
    guid=str,
    delivery=str,
    received_at=datetime,
    routed_at=datetime | None,
)


@dataclass(frozen=True, slots=True)
class Queued:
    """A claimed delivery. `seq` ascends with every claim and is never used twice."""

    seq: int
    guid: str
    delivery: Delivery
    received_at: datetime


@dataclass(frozen=True, slots=True)
class Arrival:
    """Which delivery it was, and when it was received."""

    guid: str
    at: datetime


class Inbox(Reader):
    """Claimed deliveries in `seq` order: the order of arrival, and the only order Bouncer relies on."""

    def __init__(self, database: Database) -> None:
        self._engine = database.inbox
        self._together = Together(self._claim_all)
        statement = insert(database.inbox.dialect.name, inbox).on_conflict_do_nothing(index_elements=["guid"])
        self._insert = statement.returning(inbox.c.guid)

    def claim(self, guid: str, delivery: Delivery, *, now: datetime | None = None) -> bool:
        """Store a delivery durably. True when it is new, False when its GUID was claimed before.

        When this returns, the delivery is committed; threads that claim at the same time share one commit.
        """
        row = {
            "guid": guid,
            "delivery": _delivery.dump_json(delivery).decode(),
            "received_at": now or datetime.now(UTC),
        }
        return self._together(row)

    def trouble(self, error: SQLAlchemyError) -> str:
        """What is wrong where a delivery could not be stored, and the mend."""
        return trouble(self._engine.url, error)

    def _claim_all(self, rows: Sequence[dict[str, Any]]) -> list[bool]:
        with self._engine.begin() as connection:
            new = set(connection.execute(self._insert, rows).scalars())
        claimed = []
        for row in rows:  # one GUID may stand in a batch twice: the first of them is the new one
            claimed.append(row["guid"] in new)
            new.discard(row["guid"])
        return claimed

    def oldest_queued(self, limit: int) -> tuple[Queued, ...]:
        """The oldest claimed deliveries that are not routed yet, at most `limit`, in `seq` order."""
        query = (
            select(inbox.c.seq, inbox.c.guid, inbox.c.delivery, inbox.c.received_at)
            .where(inbox.c.routed_at.is_(None))
            .order_by(inbox.c.seq)
            .limit(limit)
        )
        queued = []
        for seq, guid, stored, at in self._rows(query):
            try:
                queued.append(Queued(seq, guid, _delivery.validate_json(stored), at))
            except ValidationError:  # must not hold up all that came after it
                log.error("Delivery %s was stored by another version, which this one cannot read: left out", guid)
                self.mark_routed([seq])
        return tuple(queued)

    def mark_routed(self, seqs: Iterable[int], *, now: datetime | None = None) -> None:
        """These deliveries have their workflow; `pending` returns them no more."""
        routed = update(inbox).values(routed_at=now or datetime.now(UTC))
        for some in batches(seqs):
            write(self._engine, routed.where(inbox.c.seq.in_(some)))

    def depth(self) -> int:
        """How many deliveries wait to be routed."""
        return self._count(inbox, inbox.c.routed_at.is_(None))

    def oldest(self) -> datetime | None:
        """When the delivery that waits longest was received; `None` when nothing waits."""
        query = select(inbox.c.received_at).where(inbox.c.routed_at.is_(None)).order_by(inbox.c.seq).limit(1)
        found: datetime | None = self._scalar(query)
        return found

    def arrival(self, seq: int) -> Arrival | None:
        """Of one delivery; `None` once it is forgotten."""
        query = select(inbox.c.guid, inbox.c.received_at).where(inbox.c.seq == seq)
        return next((Arrival(row.guid, row.received_at) for row in self._rows(query)), None)

    def claims_among(self, guids: Iterable[str]) -> frozenset[str]:
        """Which of these GUIDs were claimed, routed or not."""
        queries = (select(inbox.c.guid).where(inbox.c.guid.in_(part)) for part in batches(sorted(set(guids))))
        return frozenset(row.guid for query in queries for row in self._rows(query))

    def prune(self, before: datetime) -> int:
        """Forget routed deliveries received before this moment. Returns how many."""
        return write(self._engine, delete(inbox).where(inbox.c.routed_at.is_not(None), inbox.c.received_at < before))
