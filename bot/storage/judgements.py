"""Every judgement of a commit, and the secret address of its page. Rows are added, never changed."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from bot.github.values import Annotation
from bot.storage.store import Store, add, as_json, as_value
from bot.storage.tables import judgements
from bot.storage.tokens import at_token, digest, new_token
from bot.verdicts import Decision

MOST = 50  # judgements of one pull request that are listed

_annotations = as_json(tuple[Annotation, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementRecord:
    """run_id: of the run that judged. repository: `owner/name` then. sentence: the verdict's first reason. result: what
    came of it, as `bot.pulls.result` writes it; empty once retention removed it. annotations: what is said beside its
    lines."""

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
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgementListing:
    """One of a pull request's judgements. sentence: the verdict's first reason. token: of its own page."""

    head: str
    at: datetime
    decision: Decision
    sentence: str
    token: str


class Judgements(
    Store[JudgementRecord],
    table=judgements,
    kind=JudgementRecord,
    decision=as_value(Decision),
    annotations=_annotations,
):
    """Keeping is idempotent by `run_id`: a step that runs twice leaves one row, and one token.

    Whoever knows a judgement's token may read its page, and finds the way to the others of the same pull request.
    """

    def keep(self, judgement: JudgementRecord) -> None:
        """Write it down under a new token."""
        token = new_token()
        add(self._engine, judgements, self._columns(judgement) | {"token": token, "digest": digest(token)})

    def find(self, token: str) -> JudgementRecord | None:
        """The one at this address."""
        row = at_token(self._engine, judgements, token)
        return None if row is None else self._record(row._mapping)

    def trail(self, repo_id: int, number: int) -> tuple[JudgementListing, ...]:
        """Those of one pull request, newest first, at most `MOST`."""
        table = judgements.c
        query = (
            select(table.head, table.at, table.decision, table.sentence, table.token)
            .where(table.repo_id == repo_id, table.number == number)
            .order_by(table.at.desc(), table.run_id.desc())
            .limit(MOST)
        )
        rows = self._rows(query)
        return tuple(
            JudgementListing(row.head, row.at, Decision(row.decision), row.sentence, row.token) for row in rows
        )

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
