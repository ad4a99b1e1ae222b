"""Which check run on GitHub shows the gate of a commit, so that it need not be looked for each time."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, select

from bot.storage.database import Database
from bot.storage.tables import check_runs, gates, insert, merge_groups


@dataclass(frozen=True, slots=True)
class Shown:
    """run_id: of the check run; 0 while one may be there and has to be looked for. annotated: it may carry remarks.
    open: it may be in progress on GitHub."""

    run_id: int = 0
    annotated: bool = False
    open: bool = False


class CheckRuns:
    """One row a commit, written before the first check run of it is, and before the first remark."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def get(self, repo_id: int, head: str) -> Shown | None:
        """`None` when nothing was ever shown on that commit."""
        query = select(check_runs).where(check_runs.c.repo_id == repo_id, check_runs.c.head == head)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else Shown(row.run_id, row.annotated, row.open)

    def save(self, repo_id: int, head: str, shown: Shown, *, now: datetime) -> None:
        """In place of what was known of that commit."""
        changes = {"run_id": shown.run_id, "annotated": shown.annotated, "open": shown.open, "at": now}
        statement = insert(self._engine, check_runs).values(repo_id=repo_id, head=head, **changes)
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=["repo_id", "head"], set_=changes))

    def prune(self, before: datetime) -> int:
        """Forget those of commits that no gate and no merge group stands on any more; how many there were."""
        on_it = [
            exists().where(table.c.repo_id == check_runs.c.repo_id, table.c.head == check_runs.c.head)
            for table in (gates, merge_groups)
        ]
        statement = delete(check_runs).where(check_runs.c.at < before, *(~each for each in on_it))
        with self._engine.begin() as connection:
            return int(connection.execute(statement).rowcount)
