"""`/healthz`, `/readyz` and `/metrics`: plain text for machines; nothing here tells strangers more than counts."""

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from flask import Blueprint, Response
from sqlalchemy.exc import SQLAlchemyError

from bot.storage.database import Database, DatabaseError
from bot.storage.inbox import Inbox
from webhooks.receive import Answer

log = logging.getLogger("bouncer.health")


class Tally:
    """How many deliveries came, by event and outcome, since this process started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, answer: Answer) -> None:
        """Count one answer."""
        with self._lock:
            self._counts[answer.event, answer.outcome] += 1

    def items(self) -> list[tuple[tuple[str, str], int]]:
        """((event, outcome), count), sorted."""
        with self._lock:
            return sorted(self._counts.items())


def health(database: Database, tally: Tally) -> Blueprint:
    """The three addresses."""
    pages = Blueprint("health", __name__)
    inbox = Inbox(database)

    @pages.get("/healthz")
    def healthz() -> Response:
        return _plain("alive\n")

    @pages.get("/readyz")
    def readyz() -> Response:
        try:
            database.check()
        except DatabaseError as error:
            log.warning("not ready: %s", error)
            return _plain("not ready: the database does not answer or is not migrated; the log says more\n", 503)
        return _plain("ready\n")

    @pages.get("/metrics")
    def metrics() -> Response:
        lines = [*_deliveries(tally), *_waiting(inbox, datetime.now(UTC))]
        return Response("\n".join(lines) + "\n", content_type="text/plain; version=0.0.4; charset=utf-8")

    return pages


def _deliveries(tally: Tally) -> Iterator[str]:
    yield "# HELP bouncer_deliveries_total Webhook deliveries answered by this process."
    yield "# TYPE bouncer_deliveries_total counter"
    for (event, outcome), count in tally.items():
        yield f'bouncer_deliveries_total{{event="{event}",outcome="{outcome}"}} {count}'


def _waiting(inbox: Inbox, now: datetime) -> Iterator[str]:
    yield "# HELP bouncer_database_up Whether the database answers."
    yield "# TYPE bouncer_database_up gauge"
    try:
        depth, oldest = inbox.depth(), inbox.oldest()
    except SQLAlchemyError:
        yield "bouncer_database_up 0"
        return
    age = 0.0 if oldest is None else max(0.0, (now - oldest).total_seconds())
    yield "bouncer_database_up 1"
    yield "# HELP bouncer_inbox_depth Deliveries no worker has taken yet."
    yield "# TYPE bouncer_inbox_depth gauge"
    yield f"bouncer_inbox_depth {depth}"
    yield "# HELP bouncer_inbox_oldest_seconds Age of the delivery that waits longest."
    yield "# TYPE bouncer_inbox_oldest_seconds gauge"
    yield f"bouncer_inbox_oldest_seconds {age:.3f}"


def _plain(line: str, status: int = 200) -> Response:
    return Response(line, status, content_type="text/plain; charset=utf-8")
