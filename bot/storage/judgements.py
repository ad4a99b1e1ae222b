"""Every judgement of a commit, and the secret address of its page. Rows are added, never changed."""

import hmac
import json
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter
from sqlalchemy import select

from bot.github.values import Annotation
from bot.storage.database import Database
from bot.storage.tables import insert, judgements
from bot.storage.tokens import digest, is_token, new_token
from bot.verdicts import Decision

MOST = 50  # judgements of one pull request that are listed

_annotations = TypeAdapter(tuple[Annotation, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """run_id: of the run that judged. repository: `owner/name` then. sentence: the verdict's first reason. result: what
    came of it, as `bot.pulls.result` writes it; empty where the version before wrote `page`, the values of a page.
    annotations: what is said beside its lines."""

    run_id: str
    repo_id: int
    number: int
    installation_id: int
    repository: str
    head: str
    at: datetime
    decision: Decision
    sentence: str
    result: str = ""
    page: str = ""
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """One of a pull request's judgements. sentence: the verdict's first reason. token: of its own page."""

    head: str
    at: datetime
    decision: Decision
    sentence: str
    token: str


class Judgements:
    """Keeping is idempotent by `run_id`: a step that runs twice leaves one row, and one token.

    Whoever knows a judgement's token may read its page, and finds the way to the others of the same pull request.
    """

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def keep(self, judgement: Judgement) -> None:
        """Write it down under a new token."""
        token = new_token()
        statement = insert(self._engine, judgements).values(
            run_id=judgement.run_id,
            digest=digest(token),
            token=token,
            repo_id=judgement.repo_id,
            number=judgement.number,
            installation_id=judgement.installation_id,
            repository=judgement.repository,
            head=judgement.head,
            at=judgement.at,
            decision=judgement.decision.value,
            sentence=judgement.sentence,
            annotations=_annotations.dump_json(judgement.annotations).decode(),
            result=judgement.result,
            page=judgement.page or _short(judgement),
        )
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_nothing(index_elements=["run_id"]))

    def find(self, token: str) -> Judgement | None:
        """The one at this address. It is looked up by its hash, so the time this takes tells nothing of a token."""
        if not is_token(token):
            return None
        query = select(judgements).where(judgements.c.digest == digest(token))
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None or not hmac.compare_digest(row.token, token):
            return None
        return Judgement(
            run_id=row.run_id,
            repo_id=row.repo_id,
            number=row.number,
            installation_id=row.installation_id,
            repository=row.repository,
            head=row.head,
            at=row.at,
            decision=Decision(row.decision),
            sentence=row.sentence,
            result=row.result,
            page=row.page,
            annotations=_annotations.validate_json(row.annotations),
        )

    def trail(self, repo_id: int, number: int) -> tuple[Listed, ...]:
        """Those of one pull request, newest first, at most `MOST`."""
        table = judgements.c
        query = (
            select(table.head, table.at, table.decision, table.sentence, table.token)
            .where(table.repo_id == repo_id, table.number == number)
            .order_by(table.at.desc(), table.run_id.desc())
            .limit(MOST)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(Listed(row.head, row.at, Decision(row.decision), row.sentence, row.token) for row in rows)

    def annotations(self, repo_id: int, head: str) -> tuple[Annotation, ...]:
        """What was first said beside the lines of a commit: GitHub never takes that back."""
        query = (
            select(judgements.c.annotations)
            .where(judgements.c.repo_id == repo_id, judgements.c.head == head, judgements.c.annotations != "[]")
            .order_by(judgements.c.at, judgements.c.run_id)
            .limit(1)
        )
        with self._engine.connect() as connection:
            found = connection.execute(query).scalar_one_or_none()
        return _annotations.validate_json(found) if found else ()


def _short(judgement: Judgement) -> str:
    """What a web process of the version before shows, until it is replaced."""
    return json.dumps({"decision": judgement.decision.value, "reasons": [judgement.sentence]})
