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

from bot.storage.database import Database, DatabaseError
from bot.storage.heartbeats import KEY, REFUSED, UNSIGNED, WORKER, WorkerSigns
from bot.storage.inbox import Inbox

log = logging.getLogger("bouncer.health")

PATIENCE = timedelta(minutes=5)  # a delivery waits seconds where a worker runs
_NO_WORKER = "No worker takes deliveries. Start one with `bouncer worker`, or look at its log."
_UNLIKE = "Give the App on GitHub and `BOUNCER_WEBHOOK_SECRET` the same webhook secret."
_KEY = "Give the worker the App's id and private key, and start it again; its log says what GitHub answered."
_DOUBT = "A delivery was refused for its signature. Whether it came from GitHub is read in GitHub's log, in a minute."
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
    """These addresses. registry: what this process counts."""
    pages, started = Blueprint("health", __name__), datetime.now(UTC)
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

    @pages.get("/")
    def front() -> Response:
        """It answers 503 where something is wrong, so that a monitor can watch it."""
        state = state_of(database, inbox, datetime.now(UTC), started)
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
    """Each line is a sentence. mends: what to do, a sentence or two for each trouble; none where all is well. doubt:
    what may be wrong, and is being looked up."""

    database: str
    worker: str
    deliveries: str
    signatures: str
    mends: tuple[str, ...] = ()
    doubt: str = ""

    @property
    def well(self) -> bool:
        """Nothing needs anybody."""
        return not self.mends


def state_of(database: Database, inbox: Inbox, now: datetime, started: datetime) -> ServerState:
    """What is known from the database, or that it does not answer. started: when this process was: a worker that never
    gave a sign of life is missed from then on."""
    try:
        database.check()
        database.check_writable()
        waiting, oldest = inbox.depth(), inbox.oldest()
        signs = WorkerSigns(database)
        worker, refused, unsigned, key = map(signs.get, (WORKER, REFUSED, UNSIGNED, KEY))
    except (DatabaseError, SQLAlchemyError) as error:
        log.warning("not well: %s", error if isinstance(error, DatabaseError) else type(error).__name__)
        mend = "Look at the log of this process, or run `bouncer doctor` on the server."
        gone = "The database does not answer, is not migrated, or cannot be written."
        return ServerState(gone, "Not known.", "Not known.", "Not known.", (mend,))
    waits, silence = _since(oldest, now), _since(worker.at if worker else started, now)
    count = refused.count if refused else 0
    no_worker = max(waits, silence) >= PATIENCE
    no_key = bool(key and key.count)
    open_question = unsigned and (refused is None or refused.at < unsigned.at) and _since(unsigned.at, now) < PATIENCE
    return ServerState(
        database="The database answers.",
        worker=_heartbeat(silence, known=worker is not None, no_key=no_key),
        deliveries=_waiting(waiting, waits) if waiting else "No delivery waits.",
        signatures=_refused(count) if refused else "Not known yet.",
        mends=tuple(
            mend for mend, holds in ((_KEY, no_key), (_NO_WORKER, no_worker and not no_key), (_UNLIKE, count)) if holds
        ),
        doubt=_DOUBT if open_question else "",
    )


def _heartbeat(silence: timedelta, *, known: bool, no_key: bool) -> str:
    last = f"The last heartbeat was {_told(silence)} ago." if known else "No worker has reported yet."
    return f"GitHub refuses the App's key. {last}" if no_key else last


def _waiting(many: int, age: timedelta) -> str:
    return f"{many} {'delivery waits' if many == 1 else 'deliveries wait'}, the oldest for {_told(age)}."


def _refused(many: int) -> str:
    if not many:
        return "By GitHub's log, the last delivery was not refused."
    named = "1 delivery was" if many == 1 else f"{many} deliveries were"
    return f"By GitHub's log, {named} refused here for the signature since the last one that arrived."


def _since(moment: datetime | None, now: datetime) -> timedelta:
    return max(now - moment, timedelta(0)) if moment else timedelta(0)


def _told(age: timedelta) -> str:
    seconds = int(age.total_seconds())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            many = seconds // size
            return f"{many} {unit}{'' if many == 1 else 's'}"
    return "less than a minute"
