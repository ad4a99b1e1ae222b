"""`GET /`: whether all is well here, for people; it tells strangers no more than `/metrics`: counts and ages.
`GET /installed`: what to do next."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from flask import Blueprint, Response, render_template
from sqlalchemy.exc import SQLAlchemyError

from bot.storage.database import Database, DatabaseError
from bot.storage.inbox import Inbox

PATIENCE = timedelta(minutes=5)  # a delivery waits seconds where a worker runs

log = logging.getLogger("bouncer.landing")


@dataclass(frozen=True, slots=True)
class ServerState:
    """well: nothing needs anybody. Each line is a sentence; `mend` says what to do, empty where all is well."""

    well: bool
    database: str
    deliveries: str
    mend: str = ""


def landing(database: Database, inbox: Inbox) -> Blueprint:
    """The address. It answers 503 where something is wrong, so that a monitor can watch it."""
    blueprint = Blueprint("landing", __name__)

    @blueprint.get("/")
    def front() -> Response:
        state = state_of(database, inbox, datetime.now(UTC))
        return Response(render_template("landing.html", state=state), 200 if state.well else 503)

    @blueprint.get("/installed")
    def installed() -> Response:
        """GitHub leads here whoever has installed the App."""
        return Response(render_template("installed.html"))

    return blueprint


def state_of(database: Database, inbox: Inbox, now: datetime) -> ServerState:
    """What is known from the database, or that it does not answer."""
    try:
        database.check()
        database.check_writable()
        waiting, oldest = inbox.depth(), inbox.oldest()
    except (DatabaseError, SQLAlchemyError) as error:
        log.warning("not well: %s", error if isinstance(error, DatabaseError) else type(error).__name__)
        mend = "Look at the log of this process, or run `bouncer doctor` on the server."
        return ServerState(
            False, "The database does not answer, is not migrated, or cannot be written.", "Not known.", mend
        )
    if not waiting or oldest is None:
        return ServerState(True, "The database answers.", "No delivery waits.")
    age = max(now - oldest, timedelta(0))
    said = f"{waiting} {'delivery waits' if waiting == 1 else 'deliveries wait'}, the oldest for {_told(age)}."
    if age < PATIENCE:
        return ServerState(True, "The database answers.", said)
    mend = "No worker takes deliveries. Start one with `bouncer worker`, or look at its log."
    return ServerState(False, "The database answers.", said, mend)


def _told(age: timedelta) -> str:
    seconds = int(age.total_seconds())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            many = seconds // size
            return f"{many} {unit}{'' if many == 1 else 's'}"
    return "less than a minute"
