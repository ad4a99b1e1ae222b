"""Which check run on GitHub shows the gate of a commit, so that it need not be looked for each time."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists

from bot.storage.store import Store, upsert
from bot.storage.tables import check_runs, gates, merge_groups


@dataclass(frozen=True, slots=True)
class CheckRunRecord:
    """run_id: of the check run; 0 while one may be there and has to be looked for. annotated: it may carry remarks.
    open: it may be in progress on GitHub."""

    run_id: int = 0
    annotated: bool = False
    open: bool = False


class CheckRuns(Store[CheckRunRecord], table=check_runs, kind=CheckRunRecord):
    """One row a commit, written before the first check run of it is, and before the first remark."""

    def keep(self, repo_id: int, head: str, shown: CheckRunRecord, *, now: datetime) -> None:
        """In place of what was known of that commit."""
        upsert(self._engine, check_runs, [{"repo_id": repo_id, "head": head, "at": now} | self._columns(shown)])

    def prune(self, before: datetime) -> int:
        """Forget those of commits that no gate and no merge group stands on any more; how many there were."""
        on_it = [
            exists().where(table.c.repo_id == check_runs.c.repo_id, table.c.head == check_runs.c.head)
            for table in (gates, merge_groups)
        ]
        return self._drop(check_runs.c.at < before, *(~each for each in on_it))
