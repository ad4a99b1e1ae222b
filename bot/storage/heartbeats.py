"""What workers tell of themselves, for whoever looks whether all is well."""

from dataclasses import dataclass
from datetime import datetime

from bot.storage.store import Store
from bot.storage.tables import signs

WORKER = "worker"  # one hands on deliveries, or is ready to
REFUSED = "refused"  # by GitHub's own log, so many deliveries since the last that arrived, for their signature


@dataclass(frozen=True, slots=True)
class WorkerSign:
    """at: when it was given last."""

    what: str
    at: datetime
    count: int = 0


class WorkerSigns(Store[WorkerSign], table=signs, kind=WorkerSign):
    """One of each kind: the newest, whichever worker gave it."""
