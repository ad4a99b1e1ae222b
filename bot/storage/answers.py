"""Maintainers' answers to what verification left open. An answer is a test for every later pull request."""

from dataclasses import dataclass
from datetime import datetime

from bot.storage.store import Store
from bot.storage.tables import answers


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintainersAnswer:
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


class Answers(Store[MaintainersAnswer], table=answers, kind=MaintainersAnswer):
    """One row a question; whoever answers again changes the answer."""

    def about(self, repo_id: int, specification: str) -> tuple[MaintainersAnswer, ...]:
        """The newest answer to each call under this specification, newest first."""
        same = (answers.c.repo_id == repo_id, answers.c.specification == specification)
        newest: dict[str, MaintainersAnswer] = {}
        for answer in self._all(*same, order=(answers.c.at.desc(), answers.c.question)):
            newest.setdefault(answer.call, answer)
        return tuple(newest.values())
