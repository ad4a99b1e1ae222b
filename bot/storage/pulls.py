"""What Bouncer remembers of each pull request whose rejection it put to the test."""

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Row, select

from bot.github.values import Review
from bot.storage.database import Database
from bot.storage.tables import insert, pulls

_review = TypeAdapter(Review)


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRecord:
    """review: the newest rejection; `None` when there was none yet. comment_id: Bouncer's one comment, once written.

    question: the one that stands open in that comment, as the workflow wrote it; empty when nothing is asked.
    """

    repo_id: int
    number: int
    installation_id: int
    review: Review | None = None
    comment_id: int | None = None
    question: str = ""


class Pulls:
    """One row a pull request. Only the workflow that holds it saves it."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def get(self, repo_id: int, number: int) -> PullRecord | None:
        """What is known, `None` when nothing is."""
        query = select(pulls).where(pulls.c.repo_id == repo_id, pulls.c.number == number)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _record(row)

    def save(self, record: PullRecord) -> None:
        """Store everything."""
        columns = {
            "repo_id": record.repo_id,
            "number": record.number,
            "installation_id": record.installation_id,
            "review": None if record.review is None else _review.dump_json(record.review).decode(),
            "comment_id": record.comment_id,
            "question": record.question,
        }
        statement = insert(self._engine, pulls).values(columns)
        changes = {name: statement.excluded[name] for name in ("installation_id", "review", "comment_id", "question")}
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=["repo_id", "number"], set_=changes))


def _record(row: Row[Any]) -> PullRecord:
    columns = dict(row._mapping)
    columns["review"] = None if row.review is None else _review.validate_json(row.review)
    return PullRecord(**columns)
