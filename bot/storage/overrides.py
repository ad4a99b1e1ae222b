"""Overrides: a maintainer's word against a verdict. The record stays, whatever becomes of the comment."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, select, update

from bot.storage.database import Database
from bot.storage.tables import insert, overrides
from bot.verdicts import Verdict

_verdict = TypeAdapter(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """id: of the word itself, e.g. `comment 7 at 2026-01-31T12:00:00Z, line 0`: told twice, it counts once.

    head: the commit it holds for. permission: what `who` might do at `at`. verdict: the one it beats, if any.
    ended_at, ended_by: when and by whom it was taken back; a push of other code ends it as well.
    carried_from: the commit it was carried over from, by whose row it goes on; empty where it was given for `head`.
    base_branch: the branch it lets the commit into; empty where an earlier version wrote it down.
    """

    id: str
    repo_id: int
    number: int
    head: str
    who: str
    permission: str
    reason: str
    at: datetime
    verdict: Verdict | None = None
    ended_at: datetime | None = None
    ended_by: str = ""
    carried_from: str = ""
    base_branch: str = ""

    def onto(self, head: str, *, permission: str, at: datetime) -> "Override":
        """The same word for a later commit."""
        name = f"{self.id.partition(', carried')[0]}, carried over to {head}"
        return replace(self, id=name, head=head, permission=permission, at=at, carried_from=self.head)


class Overrides:
    """Rows are added and ended, never changed otherwise and never deleted."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def add(self, override: Override) -> None:
        """Remember it; a word that is known already stays as it was."""
        with self._engine.begin() as connection:
            self._add(connection, override)

    def carry(self, override: Override) -> None:
        """End what stands, and remember this in its place: both or neither."""
        by = f"carried over to {override.head}"
        with self._engine.begin() as connection:
            self._end(connection, override.repo_id, override.number, by, override.at, but=override.id)
            self._add(connection, override)

    def standing(self, repo_id: int, number: int) -> Override | None:
        """The newest one that was not ended."""
        return next((each for each in self.trail(repo_id, number) if each.ended_at is None), None)

    def trail(self, repo_id: int, number: int) -> tuple[Override, ...]:
        """All there ever were, newest first."""
        query = (
            select(overrides)
            .where(overrides.c.repo_id == repo_id, overrides.c.number == number)
            .order_by(overrides.c.at.desc(), overrides.c.id)
        )
        with self._engine.connect() as connection:
            return tuple(map(_override, connection.execute(query)))

    def end(self, repo_id: int, number: int, *, by: str, at: datetime) -> int:
        """End what stands; how many that were."""
        with self._engine.begin() as connection:
            return self._end(connection, repo_id, number, by, at)

    def _add(self, connection: Connection, override: Override) -> None:
        columns = {name: getattr(override, name) for name in override.__dataclass_fields__}
        columns["verdict"] = None if override.verdict is None else _verdict.dump_json(override.verdict).decode()
        statement = insert(self._engine, overrides).values(columns)
        connection.execute(statement.on_conflict_do_nothing(index_elements=["id"]))

    def _end(self, connection: Connection, repo_id: int, number: int, by: str, at: datetime, but: str = "") -> int:
        stands = (overrides.c.repo_id == repo_id, overrides.c.number == number, overrides.c.ended_at.is_(None))
        statement = update(overrides).where(*stands, overrides.c.id != but).values(ended_at=at, ended_by=by)
        return int(connection.execute(statement).rowcount)


def _override(row: Row[Any]) -> Override:
    columns = dict(row._mapping)
    columns["verdict"] = None if row.verdict is None else _verdict.validate_json(row.verdict)
    return Override(**columns)
