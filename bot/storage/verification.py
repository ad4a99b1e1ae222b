"""What putting changes to the test leaves for later: maintainers' answers to what stayed open, each a test for every
later pull request; what models answered; and what was rejected and asked last."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Index, select

from bot.github.values import Review
from bot.storage.database import Database
from bot.storage.store import Reader, Store, upsert
from bot.storage.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintainersAnswer:
    """number: of the pull request it was given on. specification: hash of the text it is about.

    expected: the outcome that is right, as `questions.py` of the filter writes it; `None` when either will do.
    """

    repo_id: int
    number: int
    question: str
    specification: str
    call: str
    expected: str | None
    who: str
    at: datetime


answers = table(
    "answers",
    MaintainersAnswer,
    Index("answers_specification", "repo_id", "specification"),
    primary="repo_id number question",
)
model_answers = table(
    "model_answers", None, primary="repo_id key", repo_id=int, key=str, answer=str, answered_at=datetime
)


class Answers(Store[MaintainersAnswer], table=answers):
    """One row a question; whoever answers again changes the answer."""

    def about(self, repo_id: int, specification: str) -> tuple[MaintainersAnswer, ...]:
        """The newest answer to each call under this specification, newest first."""
        same = (answers.c.repo_id == repo_id, answers.c.specification == specification)
        newest: dict[str, MaintainersAnswer] = {}
        for answer in self._all(*same, order=(answers.c.at.desc(), answers.c.question)):
            newest.setdefault(answer.call, answer)
        return tuple(newest.values())


class ModelAnswers(Reader):
    """A cache for one repository, so that a repeat costs no call: what was quoted from one is never seen by another.
    It has tests that models wrote, and what blind judges said. Rows may be deleted."""

    def __init__(
        self, database: Database, repo_id: int, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        super().__init__(database)
        self._repo_id = repo_id
        self._now = now

    def get(self, key: str) -> str | None:
        """`None` when nothing is kept under this key."""
        here = (model_answers.c.repo_id == self._repo_id, model_answers.c.key == key)
        found: str | None = self._scalar(select(model_answers.c.answer).where(*here))
        return found

    def put(self, key: str, text: str) -> None:
        """Keep it, in place of what was kept under this key."""
        row = {"repo_id": self._repo_id, "key": key, "answer": text, "answered_at": self._now()}
        upsert(self._engine, model_answers, [row])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRecord:
    """Of a pull request whose review was put to the test.

    review: the newest that says something of lines; `None` when there was none yet. question: the one that stands open
    in an answer to it, as the workflow wrote it; empty when nothing is asked.
    """

    repo_id: int
    number: int
    installation_id: int
    review: Review | None = None
    question: str = ""


reviews = table("reviews", ReviewRecord, primary="repo_id number", index="installation_id")


class Reviews(Store[ReviewRecord], table=reviews):
    """One row a pull request. Only the workflow that holds it saves it."""
