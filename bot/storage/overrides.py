"""Overrides: a maintainer's word against a verdict. The record stays, whatever becomes of the comment."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Row, select, update

from bot.storage.database import Database
from bot.storage.tables import insert, overrides
from bot.verdicts import Verdict

_verdict = TypeAdapter(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """id: of the word itself, e.g. `comment 7 at 2026-01-31T12:00:00Z, line 0`: told twice, it counts once.

    head: the commit it was given for. permission: what `who` might do then. verdict: the one it beats, if any.
    ended_at, ended_by: when and by whom it was taken back; a push of other code ends it as well.
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


class Overrides:
    """Rows are added and ended, never changed otherwise and never deleted."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def add(self, override: Override) -> None:
        """Remember it; a word that is known already stays as it was."""
        columns = {name: getattr(override, name) for name in override.__dataclass_fields__}
        columns["verdict"] = None if override.verdict is None else _verdict.dump_json(override.verdict).decode()
        statement = insert(self._engine, overrides).values(columns)
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_nothing(index_elements=["id"]))

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
        statement = (
            update(overrides)
            .where(overrides.c.repo_id == repo_id, overrides.c.number == number, overrides.c.ended_at.is_(None))
            .values(ended_at=at, ended_by=by)
        )
        with self._engine.begin() as connection:
            return int(connection.execute(statement).rowcount)


def _override(row: Row[Any]) -> Override:
    columns = dict(row._mapping)
    columns["verdict"] = None if row.verdict is None else _verdict.validate_json(row.verdict)
    return Override(**columns)
