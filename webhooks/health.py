"""`/healthz`, `/readyz` and `/metrics`: plain text for machines; nothing here tells strangers more than counts."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from bot.storage.database import Database, DatabaseError
from bot.storage.inbox import Inbox

log = logging.getLogger("bouncer.health")

_UP = "Whether the database answers."


class InboxCollector(Collector):
    """What the database says when it is asked: whoever scrapes two web processes reads the same."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Without the inbox where the database does not answer."""
        try:
            depth, oldest = self._inbox.depth(), self._inbox.oldest()
        except SQLAlchemyError:
            yield GaugeMetricFamily("bouncer_database_up", _UP, 0)
            return
        age = 0.0 if oldest is None else max(0.0, (datetime.now(UTC) - oldest).total_seconds())
        yield GaugeMetricFamily("bouncer_database_up", _UP, 1)
        yield GaugeMetricFamily("bouncer_inbox_depth", "Deliveries no worker has taken yet.", depth)
        yield GaugeMetricFamily("bouncer_inbox_oldest_seconds", "Age of the delivery that waits longest.", age)


def health(database: Database, inbox: Inbox, registry: CollectorRegistry) -> Blueprint:
    """The three addresses. registry: what this process counts."""
    pages = Blueprint("health", __name__)
    registry.register(InboxCollector(inbox))

    @pages.get("/healthz")
    def healthz() -> Response:
        return _plain("alive\n")

    @pages.get("/readyz")
    def readyz() -> Response:
        try:
            database.check()
            database.check_writable()
        except DatabaseError as error:
            log.warning("not ready: %s", error)
            return _plain(
                "not ready: the database does not answer, is not migrated or cannot be written; the log says more\n",
                503,
            )
        return _plain("ready\n")

    @pages.get("/metrics")
    def metrics() -> Response:
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)

    return pages


def _plain(line: str, status: int = 200) -> Response:
    return Response(line, status, content_type="text/plain; charset=utf-8")
