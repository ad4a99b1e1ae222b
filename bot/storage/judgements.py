"""Every judgement of a commit, and what became of each review bot's rejection that was put to the test."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from bot.github.values import Annotation
from bot.storage.store import as_json, as_value
from bot.storage.tables import judgements, rejections
from bot.storage.tokens import RunStore
from bot.verdicts import Decision

_annotations = as_json(tuple[Annotation, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What came of a run on a commit. repository: `owner/name` then. sentence: the verdict's first reason. result: what
    was found, as `bot.pulls.result` writes it; empty once retention removed it."""

    run_id: str
    repo_id: int
    number: int
    installation_id: int
    repository: str
    head: str
    at: datetime
    decision: Decision
    sentence: str
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementRecord(RunRecord):
    """annotations: what is said beside the commit's lines."""

    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectionRecord(RunRecord):
    """Of the rejected commit. reviewer: who rejected."""

    reviewer: str


class Judgements(
    RunStore[JudgementRecord],
    table=judgements,
    kind=JudgementRecord,
    decision=as_value(Decision),
    annotations=_annotations,
):
    """Whoever knows a judgement's token may read its page, and finds the way to the others of the same pull request."""

    def newest(self, repo_id: int, number: int, head: str) -> datetime | None:
        """When this commit of a pull request was judged last."""
        table = judgements.c
        here = (table.repo_id == repo_id, table.number == number, table.head == head)
        found: datetime | None = self._scalar(select(func.max(table.at)).where(*here))
        return found

    def annotations(self, repo_id: int, head: str) -> tuple[Annotation, ...]:
        """What was first said beside the lines of a commit: GitHub never takes that back."""
        query = (
            select(judgements.c.annotations)
            .where(judgements.c.repo_id == repo_id, judgements.c.head == head, judgements.c.annotations != "[]")
            .order_by(judgements.c.at, judgements.c.run_id)
            .limit(1)
        )
        found = self._scalar(query)
        return _annotations.load(found) if found else ()


class Rejections(RunStore[RejectionRecord], table=rejections, kind=RejectionRecord, decision=as_value(Decision)):
    """The page of each says what became of it."""
