"""What processes tell of themselves: workers for whoever looks whether all is well, and which Apps were ever served, so
that nobody sets up another one on their database through a page."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists, select

from bot.storage.database import Database
from bot.storage.inbox import inbox
from bot.storage.installations import installations
from bot.storage.store import Store, upsert
from bot.storage.tables import table

WORKER = "worker"  # one hands on deliveries, or is ready to
UNSIGNED = "unsigned"  # somebody sent a delivery whose signature is wrong
KEY = "key"  # how GitHub took the App's key last: count is 1 where it refused it
REFUSED = "refused"  # by GitHub's own log, so many deliveries since the last that arrived, for their signature


@dataclass(frozen=True, slots=True)
class WorkerSign:
    """at: when it was given last."""

    what: str
    at: datetime
    count: int = 0


signs = table("signs", WorkerSign, primary="what")
apps = table("apps", None, primary="app_id", app_id=int, seen_at=datetime)


class WorkerSigns(Store[WorkerSign], table=signs):
    """One of each kind: the newest, whichever worker gave it."""


class Apps:
    """The Apps that were seen, by id; 0 stands for one whose id the web process did not know."""

    def __init__(self, database: Database) -> None:
        self._main, self._inbox = database.main, database.inbox

    def remember(self, app_id: int, *, now: datetime) -> None:
        """It serves this one."""
        upsert(self._main, apps, [{"app_id": app_id, "seen_at": now}], renewed=["seen_at"])

    def any(self) -> bool:
        """Whether there ever was one, or an installation or a delivery of one."""
        for engine, tables in ((self._main, (apps, installations)), (self._inbox, (inbox,))):
            with engine.connect() as connection:
                if any(connection.scalar(select(exists().select_from(table))) for table in tables):
                    return True
        return False
