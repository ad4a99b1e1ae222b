"""Whether the bug of a report is fixed: who looks, what was found, what was said of it, and the brief beside it."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Index, delete, insert, select

from bot.storage.store import Store, upsert, write
from bot.storage.tables import table

_LOOK = {"run_id", "digest", "found"}  # what belongs to one look, which another workflow may be ending just now


@dataclass(frozen=True, slots=True, kw_only=True)
class FixRecord:
    """One issue's.

    run_id: of the run whose answer counts; an older one may have read another text. digest: of all that people had
    written when that run began. found: all that came of it, as the workflow wrote it; empty while nothing has.
    said, brief: the parts of Bouncer's one comment about it, as they stand. brief_wanted: somebody, or the policy,
    asked for a brief. label: the name of the label that Bouncer put on; empty without one. written: all of it stands on
    the issue; not while a kill may have kept it from being written.
    close_at: when the issue is to be closed, unless somebody writes. told_at: when that was announced; alone, somebody
    wrote, or it was closed, and it is not announced again. objected: somebody disagreed; then nothing is closed, and no
    label put on.
    """

    repo_id: int
    number: int
    installation_id: int
    repository: str
    run_id: str = ""
    digest: str = ""
    found: str = ""
    said: str = ""
    brief: str = ""
    brief_wanted: bool = False
    label: str = ""
    told_at: datetime | None = None
    close_at: datetime | None = None
    objected: bool = False
    written: bool = True

    @property
    def spoke(self) -> bool:
        """Whether something about a fix stands on the issue, also where it was forgotten what: that is objected to."""
        return bool(self.said) or self.objected


@dataclass(frozen=True, slots=True)
class Used:
    """What a pull request was last judged by. issues: that it is held against. unneeded: all of them were known to be
    fixed."""

    issues: tuple[int, ...] = ()
    unneeded: bool = False


fixes = table("fixes", FixRecord, primary="repo_id number", index="installation_id close_at")
fixes_used = table(
    "fixes_used",
    None,
    Index("fixes_used_issue", "repo_id", "issue"),
    primary="repo_id pull issue",
    index="installation_id",
    repo_id=int,
    pull=int,
    issue=int,
    installation_id=int,
    unneeded=bool,
)


class Fixes(Store[FixRecord], table=fixes):
    """One row an issue. The issue's workflow saves it; the one that looks adds nothing but what it found."""

    def begin(self, record: FixRecord) -> None:
        """A new look begins: store everything, so that what an older one still finds is not kept."""
        super().save(record)

    def save(self, record: FixRecord) -> None:
        """Store everything but what belongs to a look."""
        columns = self._columns(record)
        upsert(self._engine, fixes, [columns], renewed=columns.keys() - {"repo_id", "number"} - _LOOK)

    def settle(self, repo_id: int, number: int, run_id: str, found: str) -> bool:
        """Store what a look found; not when another one began meanwhile."""
        same = (fixes.c.repo_id == repo_id, fixes.c.number == number, fixes.c.run_id == run_id)
        return bool(self._change(*same, found=found))

    def due(self, now: datetime) -> tuple[FixRecord, ...]:
        """Those to be closed by now, longest due first."""
        return self._all(fixes.c.close_at <= now, order=[fixes.c.close_at])

    def use(self, repo_id: int, installation_id: int, pull: int, used: Used) -> None:
        """A pull request is going to be judged by this."""
        row = {"repo_id": repo_id, "pull": pull, "installation_id": installation_id, "unneeded": used.unneeded}
        rows = [row | {"issue": issue} for issue in dict.fromkeys(used.issues)]
        before = delete(fixes_used).where(fixes_used.c.repo_id == repo_id, fixes_used.c.pull == pull)
        write(self._engine, before, *(insert(fixes_used).values(row) for row in rows))

    def last_basis(self, repo_id: int, pull: int) -> Used:
        """What a pull request was last judged by."""
        query = select(fixes_used).where(fixes_used.c.repo_id == repo_id, fixes_used.c.pull == pull)
        rows = self._rows(query.order_by(fixes_used.c.issue))
        return Used(tuple(row.issue for row in rows), unneeded=any(row.unneeded for row in rows))

    def users(self, repo_id: int, issue: int) -> tuple[int, ...]:
        """The pull requests that are held against an issue."""
        query = select(fixes_used.c.pull).where(fixes_used.c.repo_id == repo_id, fixes_used.c.issue == issue)
        return tuple(row.pull for row in self._rows(query.order_by(fixes_used.c.pull)))
