"""Groups of the merge queue: commits that GitHub makes of a branch and the pull requests that wait for it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement

from bot.storage.store import Store, as_value, as_words, upsert
from bot.storage.tables import merge_groups


class MergeGroupState(StrEnum):
    """How far it is. `GONE` is for good: a group that was destroyed never comes back."""

    RUNNING = "running"
    DONE = "done"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeGroupRecord:
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
    state: MergeGroupState = MergeGroupState.RUNNING
    pulls: tuple[int, ...] = ()
    base: str = ""
    stood: str = ""
    due_at: datetime | None = None


class MergeGroups(
    Store[MergeGroupRecord],
    table=merge_groups,
    kind=MergeGroupRecord,
    state=as_value(MergeGroupState),
    pulls=as_words(int),
):
    """One row a head commit."""

    def overdue(self, now: datetime) -> tuple[MergeGroupRecord, ...]:
        """Those that should have been answered by now."""
        return self._all(merge_groups.c.due_at <= now, merge_groups.c.state == MergeGroupState.RUNNING.value)

    def save(self, record: MergeGroupRecord) -> None:
        """Store everything, unless it is gone meanwhile."""
        gone = merge_groups.c.state == MergeGroupState.GONE.value
        upsert(self._engine, merge_groups, [self._columns(record)], unless=gone)

    def keep(self, repo_id: int, head: str, stood: str) -> bool:
        """Store what came of executing it; not when nobody waits for that."""
        return bool(self._change(*_running(repo_id, head), stood=stood))

    def give_up(self, record: MergeGroupRecord) -> None:
        """Nobody waits any more for what comes of executing it, which may have come meanwhile and stays."""
        self._change(*_running(record.repo_id, record.head), due_at=None)

    def prune(self, before: datetime) -> int:
        """Forget those the queue asked about before then; how many there were."""
        return self._drop(merge_groups.c.asked_at < before)


def _running(repo_id: int, head: str) -> tuple[ColumnElement[bool], ...]:
    same = merge_groups.c.repo_id == repo_id, merge_groups.c.head == head
    return *same, merge_groups.c.state == MergeGroupState.RUNNING.value
