"""How issues and pull requests ended: what people did with them, whatever Bouncer had said."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select

from bot.storage.gates import gates
from bot.storage.store import Numbers, Store, within
from bot.storage.tables import table


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
    """guid: of the delivery that told it, and what of it. by_maintainer: whoever did it needs rights for it, and
    is not its author, no bot and no agent's account. issues: those that a merged pull request closes."""

    guid: str
    repo_id: int
    number: int
    sort: EndingSort
    who: str
    by_maintainer: bool
    at: datetime
    issues: tuple[int, ...] = ()


endings = table("endings", EndingRecord, primary="guid", index="at")


class Endings(Store[EndingRecord], table=endings):
    """Rows are added and never changed. Told twice, an ending counts once."""

    def since(self, moment: datetime, repo_id: int | None = None, among: Numbers = None) -> tuple[EndingRecord, ...]:
        """All from then on, oldest first. repo_id: in this repository alone; among: and of these."""
        return self._all(*within(endings, moment, repo_id, among), order=(endings.c.at, endings.c.guid))

    def of_agents(self, repo_id: int) -> tuple[int, int]:
        """How many of the pull requests that were judged here were merged, and closed without: coding agents', unless
        the policy has all judged. A merge that was reverted counts as none, and what was opened again as not closed."""
        judged = select(gates.c.number).where(gates.c.repo_id == repo_id, gates.c.decision.is_not(None))
        sorts: dict[int, set[EndingSort]] = defaultdict(set)
        order = (endings.c.at, endings.c.guid)
        for ending in self._all(endings.c.repo_id == repo_id, endings.c.number.in_(judged), order=order):
            sorts[ending.number].add(ending.sort)
            if ending.sort is EndingSort.REOPENED:
                sorts[ending.number].discard(EndingSort.CLOSED)
        reverted = {number for number, its in sorts.items() if EndingSort.REVERTED in its}
        merged = {number for number, its in sorts.items() if EndingSort.MERGED in its} - reverted
        unmerged = {number for number, its in sorts.items() if EndingSort.CLOSED in its} | reverted
        return len(merged), len(unmerged - merged)
