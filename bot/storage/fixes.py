"""Whether the bug of a report is fixed: who looks, what was found, what was said of it, and the brief beside it."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, update

from bot.storage.database import Database
from bot.storage.tables import fixes, fixes_used, insert

_LOOK = ("run_id", "digest", "found")  # what belongs to one look, which another workflow may be ending just now


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


@dataclass(frozen=True, slots=True)
class Used:
    """What a pull request was last judged by. issues: that it is held against. unneeded: all of them were known to be
    fixed. holding: what one of them shows was known to fail still."""

    issues: tuple[int, ...] = ()
    unneeded: bool = False
    holding: bool = False


class Fixes:
    """One row an issue. The issue's workflow saves it; the one that looks adds nothing but what it found."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def get(self, repo_id: int, number: int) -> FixRecord | None:
        """What is known, `None` when nothing is."""
        query = select(fixes).where(fixes.c.repo_id == repo_id, fixes.c.number == number)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else FixRecord(**row._mapping)

    def begin(self, record: FixRecord) -> None:
        """A new look begins: store everything, so that what an older one still finds is not kept."""
        self._save(record, frozenset())

    def save(self, record: FixRecord) -> None:
        """Store everything but what belongs to a look."""
        self._save(record, frozenset(_LOOK))

    def settle(self, repo_id: int, number: int, run_id: str, found: str) -> bool:
        """Store what a look found; not when another one began meanwhile."""
        same = (fixes.c.repo_id == repo_id, fixes.c.number == number, fixes.c.run_id == run_id)
        with self._engine.begin() as connection:
            return bool(connection.execute(update(fixes).where(*same).values(found=found)).rowcount)

    def due(self, now: datetime) -> tuple[FixRecord, ...]:
        """Those to be closed by now, longest due first."""
        query = select(fixes).where(fixes.c.close_at <= now).order_by(fixes.c.close_at)
        with self._engine.connect() as connection:
            return tuple(FixRecord(**row._mapping) for row in connection.execute(query))

    def use(self, repo_id: int, installation_id: int, pull: int, used: Used) -> None:
        """A pull request is going to be judged by this."""
        rows = [
            {
                "repo_id": repo_id,
                "pull": pull,
                "issue": issue,
                "installation_id": installation_id,
                "unneeded": used.unneeded,
                "holding": used.holding,
            }
            for issue in dict.fromkeys(used.issues)
        ]
        with self._engine.begin() as connection:
            connection.execute(delete(fixes_used).where(fixes_used.c.repo_id == repo_id, fixes_used.c.pull == pull))
            if rows:
                connection.execute(insert(self._engine, fixes_used), rows)

    def used(self, repo_id: int, pull: int) -> Used:
        """What a pull request was last judged by."""
        query = select(fixes_used).where(fixes_used.c.repo_id == repo_id, fixes_used.c.pull == pull)
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(fixes_used.c.issue)).all()
        return Used(
            tuple(row.issue for row in rows),
            unneeded=any(row.unneeded for row in rows),
            holding=any(row.holding for row in rows),
        )

    def users(self, repo_id: int, issue: int) -> tuple[int, ...]:
        """The pull requests that are held against an issue."""
        query = select(fixes_used.c.pull).where(fixes_used.c.repo_id == repo_id, fixes_used.c.issue == issue)
        with self._engine.connect() as connection:
            return tuple(connection.execute(query.order_by(fixes_used.c.pull)).scalars())

    def _save(self, record: FixRecord, kept: frozenset[str]) -> None:
        columns = {name: getattr(record, name) for name in FixRecord.__dataclass_fields__}
        statement = insert(self._engine, fixes).values(columns)
        changed = columns.keys() - {"repo_id", "number"} - kept
        changes = {name: statement.excluded[name] for name in changed}
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=["repo_id", "number"], set_=changes))
