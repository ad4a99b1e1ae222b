"""Groups of the merge queue: commits that GitHub makes of a branch and the pull requests that wait for it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, delete, select

from bot.storage.database import Database
from bot.storage.tables import insert, merge_groups


class GroupState(StrEnum):
    """How far it is. `GONE` is for good: a group that was destroyed never comes back."""

    RUNNING = "running"
    DONE = "done"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One group. head: the commit that would be merged. number: the pull request it adds; 0 when GitHub does not say.

    repository: `owner/name` when it was last heard of. pulls: all the pull requests in it, its own last. base: the
    commit below the first of them. stood: what came of executing it, as the workflow wrote it; empty before, and where
    nothing is executed. asked_at: when the queue asked. due_at: when it is answered in any case.
    """

    repo_id: int
    head: str
    installation_id: int
    repository: str
    number: int
    asked_at: datetime
    state: GroupState = GroupState.RUNNING
    pulls: tuple[int, ...] = ()
    base: str = ""
    stood: str = ""
    due_at: datetime | None = None


class Groups:
    """One row a head commit."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def get(self, repo_id: int, head: str) -> Group | None:
        """What is known, `None` when nothing is."""
        query = select(merge_groups).where(merge_groups.c.repo_id == repo_id, merge_groups.c.head == head)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _group(row)

    def overdue(self, now: datetime) -> tuple[Group, ...]:
        """Those that should have been answered by now."""
        query = select(merge_groups).where(
            merge_groups.c.due_at <= now, merge_groups.c.state == GroupState.RUNNING.value
        )
        with self._engine.connect() as connection:
            return tuple(map(_group, connection.execute(query)))

    def save(self, group: Group) -> None:
        """Store everything, unless it is gone meanwhile."""
        columns = {name: getattr(group, name) for name in group.__dataclass_fields__}
        columns["state"] = group.state.value
        columns["pulls"] = " ".join(map(str, group.pulls))
        statement = insert(self._engine, merge_groups).values(columns)
        changes = {name: statement.excluded[name] for name in columns if name not in ("repo_id", "head")}
        statement = statement.on_conflict_do_update(
            index_elements=["repo_id", "head"], set_=changes, where=merge_groups.c.state != GroupState.GONE.value
        )
        with self._engine.begin() as connection:
            connection.execute(statement)

    def prune(self, before: datetime) -> int:
        """Forget those the queue asked about before then; how many there were."""
        with self._engine.begin() as connection:
            return int(connection.execute(delete(merge_groups).where(merge_groups.c.asked_at < before)).rowcount)


def _group(row: Row[Any]) -> Group:
    columns = dict(row._mapping)
    columns["state"] = GroupState(row.state)
    columns["pulls"] = tuple(map(int, row.pulls.split()))
    return Group(**columns)
