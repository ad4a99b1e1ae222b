"""Whose pull requests are: who pushed, what first made one a coding agent's, and a maintainer's word that it is a
person's. Rows are added, words also ended; nothing is deleted, so the order in which deliveries arrive changes nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import select, update

from bot.storage.database import Database
from bot.storage.tables import agent_pulls, insert, person_words, pushes

_reasons = TypeAdapter(tuple[str, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """A commit that came to a pull request. who: the sender of GitHub's delivery. at: by GitHub's clock."""

    repo_id: int
    number: int
    head: str
    who: str
    is_bot: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonWord:
    """`/bouncer person`, as it was given.

    id: of the word itself: told twice, it counts once. head: the newest commit then. permission: what `who` might do.
    said_at: by GitHub's clock, at: by Bouncer's. ended_at, ended_by: when it ended, by whose push or word.
    """

    id: str
    repo_id: int
    number: int
    head: str
    who: str
    permission: str
    reason: str
    said_at: datetime
    at: datetime
    ended_at: datetime | None = None
    ended_by: str = ""


class Makers:
    """Everything here may be repeated."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def pushed(self, push: Push) -> None:
        """Remember it."""
        statement = insert(self._engine, pushes).values(_columns(push))
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_nothing(index_elements=["repo_id", "number", "head", "who"]))

    def pushes(self, repo_id: int, number: int, commits: Collection[str] = ()) -> tuple[Push, ...]:
        """To a pull request, and of these commits to any other one; oldest first."""
        here = (pushes.c.number == number) | pushes.c.head.in_(commits)
        query = select(pushes).where(pushes.c.repo_id == repo_id, here).order_by(pushes.c.at, pushes.c.head)
        with self._engine.connect() as connection:
            return tuple(Push(**row._mapping) for row in connection.execute(query))

    def mark(self, repo_id: int, number: int, reasons: tuple[str, ...], *, at: datetime) -> None:
        """It counts as a coding agent's. The first reasons stay."""
        values = {"repo_id": repo_id, "number": number, "reasons": _reasons.dump_json(reasons).decode(), "at": at}
        statement = insert(self._engine, agent_pulls).values(values)
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_nothing(index_elements=["repo_id", "number"]))

    def signs(self, repo_id: int, number: int) -> tuple[str, ...]:
        """The first reasons; empty for one that never counted as an agent's."""
        query = select(agent_pulls.c.reasons).where(agent_pulls.c.repo_id == repo_id, agent_pulls.c.number == number)
        with self._engine.connect() as connection:
            found = connection.execute(query).scalar_one_or_none()
        return _reasons.validate_json(found) if found else ()

    def twins(self, repo_id: int, number: int, head: str) -> tuple[int, ...]:
        """Other pull requests that are an agent's and stood on this commit."""
        same = (agent_pulls.c.repo_id == pushes.c.repo_id) & (agent_pulls.c.number == pushes.c.number)
        query = (
            select(pushes.c.number)
            .join(agent_pulls, same)
            .where(pushes.c.repo_id == repo_id, pushes.c.head == head, pushes.c.number != number)
            .distinct()
            .order_by(pushes.c.number)
        )
        with self._engine.connect() as connection:
            return tuple(connection.execute(query).scalars())

    def say(self, word: PersonWord) -> None:
        """Remember it; a word that is known already stays as it was."""
        statement = insert(self._engine, person_words).values(_columns(word))
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_nothing(index_elements=["id"]))

    def words(self, repo_id: int, number: int) -> tuple[PersonWord, ...]:
        """All there ever were, newest first."""
        table = person_words.c
        query = select(person_words).where(table.repo_id == repo_id, table.number == number)
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(table.said_at.desc(), table.id.desc())).all()
        return tuple(PersonWord(**row._mapping) for row in rows)

    def standing(self, repo_id: int, number: int) -> PersonWord | None:
        """The newest word that was not ended."""
        return next((word for word in self.words(repo_id, number) if word.ended_at is None), None)

    def end(self, repo_id: int, number: int, *, by: str, at: datetime, until: datetime) -> int:
        """End what stands and was said up to `until`, by GitHub's clock; how many words that were."""
        table = person_words.c
        stands = (table.repo_id == repo_id, table.number == number, table.ended_at.is_(None), table.said_at <= until)
        statement = update(person_words).where(*stands).values(ended_at=at, ended_by=by)
        with self._engine.begin() as connection:
            return int(connection.execute(statement).rowcount)


def _columns(row: Push | PersonWord) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__dataclass_fields__}
