"""How issues and pull requests ended: what people did with them, whatever Bouncer had said."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.storage.store import Store, as_value, as_words
from bot.storage.tables import endings


class EndingSort(StrEnum):
    """What was done."""

    DONE = "closed as done"
    NOT_PLANNED = "closed as not planned"
    REOPENED = "reopened"
    MERGED = "merged"
    CLOSED = "closed without a merge"
    REVERTED = "reverted"


@dataclass(frozen=True, slots=True)
class EndingRecord:
    """guid: of the delivery that told it, and what of it. by_maintainer: whoever did it is not its author and no bot,
    and needs rights for it. issues: those that a merged pull request closes."""

    guid: str
    repo_id: int
    number: int
    sort: EndingSort
    who: str
    by_maintainer: bool
    at: datetime
    issues: tuple[int, ...] = ()


class Endings(Store[EndingRecord], table=endings, kind=EndingRecord, sort=as_value(EndingSort), issues=as_words(int)):
    """Rows are added and never changed. Told twice, an ending counts once."""

    def since(self, moment: datetime) -> tuple[EndingRecord, ...]:
        """All from then on, oldest first."""
        return self._all(endings.c.at >= moment, order=(endings.c.at, endings.c.guid))
