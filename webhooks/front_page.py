"""`GET /`: whether all is well here, for people; it tells strangers no more than `/metrics`: counts and ages.
`GET /installed`: what to do next."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from flask import Blueprint, Response, render_template
from sqlalchemy.exc import SQLAlchemyError

from bot.storage.database import Database, DatabaseError
from bot.storage.heartbeats import REFUSED, WORKER, WorkerSigns
from bot.storage.inbox import Inbox

PATIENCE = timedelta(minutes=5)  # a delivery waits seconds where a worker runs
_NO_WORKER = "No worker takes deliveries. Start one with `bouncer worker`, or look at its log."
_UNLIKE = "Give the App on GitHub and `BOUNCER_WEBHOOK_SECRET` the same webhook secret."

log = logging.getLogger("bouncer.landing")


@dataclass(frozen=True, slots=True)
class ServerState:
    """Each line is a sentence. mends: what to do, a sentence or two for each trouble; none where all is well."""

    database: str
    worker: str
    deliveries: str
    signatures: str
    mends: tuple[str, ...] = ()

    @property
    def well(self) -> bool:
        """Nothing needs anybody."""
        return not self.mends


def front_page(database: Database, inbox: Inbox) -> Blueprint:
    """The address. It answers 503 where something is wrong, so that a monitor can watch it."""
    blueprint, started = Blueprint("landing", __name__), datetime.now(UTC)

    @blueprint.get("/")
    def front() -> Response:
        state = state_of(database, inbox, datetime.now(UTC), started)
        return Response(render_template("landing.html", state=state), 200 if state.well else 503)

    @blueprint.get("/installed")
    def after_installation() -> Response:
        """GitHub leads here whoever has installed the App."""
        return Response(render_template("installed.html"))

    return blueprint


def state_of(database: Database, inbox: Inbox, now: datetime, started: datetime) -> ServerState:
    """What is known from the database, or that it does not answer. started: when this process was: a worker that never
    gave a sign of life is missed from then on."""
    try:
        database.check()
        database.check_writable()
        waiting, oldest = inbox.depth(), inbox.oldest()
        signs = WorkerSigns(database)
        worker, refused = signs.get(WORKER), signs.get(REFUSED)
    except (DatabaseError, SQLAlchemyError) as error:
        log.warning("not well: %s", error if isinstance(error, DatabaseError) else type(error).__name__)
        mend = "Look at the log of this process, or run `bouncer doctor` on the server."
        gone = "The database does not answer, is not migrated, or cannot be written."
        return ServerState(gone, "Not known.", "Not known.", "Not known.", (mend,))
    waits, silence = _since(oldest, now), _since(worker.at if worker else started, now)
    count = refused.count if refused else 0
    no_worker = max(waits, silence) >= PATIENCE
    return ServerState(
        database="The database answers.",
        worker=f"The last heartbeat was {_told(silence)} ago." if worker else "No worker has reported yet.",
        deliveries=_waiting(waiting, waits) if waiting else "No delivery waits.",
        signatures=_refused(count) if refused else "Not known yet.",
        mends=((_NO_WORKER,) if no_worker else ()) + ((_UNLIKE,) if count else ()),
    )


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
