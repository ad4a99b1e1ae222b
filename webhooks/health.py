"""`/healthz`, `/readyz` and `/metrics`: plain text for machines; nothing tells strangers more than counts and ages.
`GET /`: whether all is well here, for people. `GET /installed`: what to do next."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from flask import Blueprint, Response, render_template
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from bot.plain_text import count_of
from bot.storage.database import Database, DatabaseError
from bot.storage.heartbeats import KEY, REFUSED, UNSIGNED, WORKER
from bot.storage.inbox import Inbox
from bot.storage.stores import Stores

log = logging.getLogger("bouncer.health")

PATIENCE = timedelta(minutes=5)  # a delivery waits seconds where a worker runs
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


def health(database: Database, stores: Stores, registry: CollectorRegistry) -> Blueprint:
    """These addresses. registry: what this process counts."""
    pages, started = Blueprint("health", __name__), datetime.now(UTC)
    pages.add_app_template_filter(age_words)
    registry.register(InboxCollector(stores.inbox))

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

    @pages.get("/")
    def front() -> Response:
        """It answers 503 where something is wrong, so that a monitor can watch it."""
        state = state_of(database, stores, datetime.now(UTC), started)
        return Response(render_template("landing.html", state=state), 200 if state.well else 503)

    @pages.get("/installed")
    def after_installation() -> Response:
        """GitHub leads here whoever has installed the App."""
        return Response(render_template("installed.html"))

    return pages


def _plain(line: str, status: int = 200) -> Response:
    return Response(line, status, content_type="text/plain; charset=utf-8")


@dataclass(frozen=True, slots=True)
class ServerState:
    """Without a database nothing else is known. waiting: deliveries; waits: for how long the oldest. silence: since a
    worker's last sign, or since this process started where none was ever given. refused: by GitHub's log, so many
    deliveries for their signature; `None` where nobody read it. key_refused: the App's, by GitHub. doubt: a delivery
    was refused, and it is being looked up whether it was GitHub's."""

    database: bool = True
    waiting: int = 0
    waits: timedelta = timedelta(0)
    silence: timedelta = timedelta(0)
    has_reported: bool = False
    refused: int | None = None
    key_refused: bool = False
    doubt: bool = False

    @property
    def no_worker(self) -> bool:
        """Where the key is refused, that is why."""
        return max(self.waits, self.silence) >= PATIENCE and not self.key_refused

    @property
    def well(self) -> bool:
        """Nothing needs anybody."""
        return self.database and not (self.no_worker or self.key_refused or self.refused)


def state_of(database: Database, stores: Stores, now: datetime, started: datetime) -> ServerState:
    """What is known from the database, or that it does not answer. started: when this process was: a worker that never
    gave a sign of life is missed from then on."""
    try:
        database.check()
        database.check_writable()
        waiting, oldest = stores.inbox.depth(), stores.inbox.oldest()
        worker, refused, unsigned, key = map(stores.signs.get, (WORKER, REFUSED, UNSIGNED, KEY))
    except (DatabaseError, SQLAlchemyError) as error:
        log.warning("not well: %s", error if isinstance(error, DatabaseError) else type(error).__name__)
        return ServerState(database=False)
    unread = unsigned if unsigned and (refused is None or refused.at < unsigned.at) else None
    return ServerState(
        waiting=waiting,
        waits=_since(oldest, now),
        silence=_since(worker.at if worker else started, now),
        has_reported=worker is not None,
        refused=refused.count if refused else None,
        key_refused=bool(key and key.count),
        doubt=unread is not None and _since(unread.at, now) < PATIENCE,
    )


def _since(moment: datetime | None, now: datetime) -> timedelta:
    return max(now - moment, timedelta(0)) if moment else timedelta(0)


def age_words(age: timedelta) -> str:
    """`2 days`: in the largest unit of which there is one."""
    seconds = int(age.total_seconds())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return count_of(seconds // size, unit)
    return "less than a minute"
