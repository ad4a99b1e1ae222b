"""Maintainers' answers to what verification left open. An answer is a test for every later pull request."""

from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import select

from bot.storage.database import Database
from bot.storage.tables import answers, insert


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """number: of the pull request it was given on. specification: hash of the text it is about.

    expected: the outcome that is right, as `bot.verification.questions` writes it; `None` when either will do.
    """

    repo_id: int
    number: int
    question: str
    specification: str
    call: str
    expected: str | None
    who: str
    at: datetime


class Answers:
    """One row a question; whoever answers again changes the answer."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def keep(self, answer: Answer) -> None:
        """Remember it, in place of an earlier answer to the same question."""
        values = asdict(answer)
        statement = insert(self._engine, answers).values(values)
        changed = {name: values[name] for name in ("specification", "call", "expected", "who", "at")}
        with self._engine.begin() as connection:
            connection.execute(
                statement.on_conflict_do_update(index_elements=["repo_id", "number", "question"], set_=changed)
            )

    def about(self, repo_id: int, specification: str) -> tuple[Answer, ...]:
        """The newest answer to each call under this specification, newest first."""
        query = (
            select(answers)
            .where(answers.c.repo_id == repo_id, answers.c.specification == specification)
            .order_by(answers.c.at.desc(), answers.c.question)
        )
        with self._engine.connect() as connection:
            found = [Answer(**row) for row in connection.execute(query).mappings()]
        newest: dict[str, Answer] = {}
        for answer in found:
            newest.setdefault(answer.call, answer)
        return tuple(newest.values())
