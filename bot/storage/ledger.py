"""The ledger: what was decided, what it cost, and who disagreed. Rows are added, never changed."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Row, func, select

from bot.policy import Mode
from bot.storage.database import Database
from bot.storage.tables import decisions, disagreements, insert, spending
from bot.verdicts import Decision, Usage, Verdict

_verdict = TypeAdapter(Verdict)
_applied = TypeAdapter(tuple[str, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One decision. author: who pays for it by the day's budget; of a pull request whoever pushed its commit.

    applied: what was written on GitHub, one short phrase each, e.g. `label needs-clarification`.
    seconds: how long gathering, judging and applying took.
    """

    workflow_id: str
    repo_id: int
    number: int
    author: str
    at: datetime
    seq: int
    mode: Mode
    verdict: Verdict
    applied: tuple[str, ...] = ()
    usage: Usage = Usage()
    seconds: float = 0.0


class Act(StrEnum):
    """How somebody disagreed."""

    LABEL_REMOVED = "label removed"
    ACCEPT = "accept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A maintainer's word against a verdict; `verdict` is the one that was beaten."""

    workflow_id: str
    repo_id: int
    number: int
    who: str
    at: datetime
    act: Act
    verdict: Verdict | None


class Ledger:
    """Recording is idempotent by `workflow_id`: a step that runs twice leaves one row."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def record(self, entry: Entry) -> None:
        """Write a decision down."""
        verdict = entry.verdict
        statement = insert(self._engine, decisions).values(
            workflow_id=entry.workflow_id,
            repo_id=entry.repo_id,
            number=entry.number,
            author=entry.author,
            at=entry.at,
            seq=entry.seq,
            mode=entry.mode.value,
            decision=verdict.decision.value,
            label=verdict.label and verdict.label.value,
            probability=verdict.probability,
            judge=verdict.judge,
            kind=verdict.kind and verdict.kind.value,
            applied=_applied.dump_json(entry.applied).decode(),
            calls=entry.usage.calls,
            tokens_in=entry.usage.tokens_in,
            tokens_out=entry.usage.tokens_out,
            money=entry.usage.money,
            seconds=entry.seconds,
            verdict=_verdict.dump_json(verdict).decode(),
        )
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_nothing(index_elements=["workflow_id"]))

    def spend(self, workflow_id: str, judge: str, usage: Usage, *, at: datetime) -> None:
        """What model calls cost, whether or not they led to a verdict. Every call counts: a repeated one cost twice."""
        statement = insert(self._engine, spending).values(
            workflow_id=workflow_id,
            at=at,
            judge=judge,
            calls=usage.calls,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            money=usage.money,
        )
        with self._engine.begin() as connection:
            connection.execute(statement)

    def disagree(self, disagreement: Disagreement) -> None:
        """Write a disagreement down."""
        verdict = disagreement.verdict
        statement = insert(self._engine, disagreements).values(
            workflow_id=disagreement.workflow_id,
            repo_id=disagreement.repo_id,
            number=disagreement.number,
            who=disagreement.who,
            at=disagreement.at,
            act=disagreement.act.value,
            verdict=None if verdict is None else _verdict.dump_json(verdict).decode(),
        )
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_nothing(index_elements=["workflow_id"]))

    def entries(self, repo_id: int, number: int) -> tuple[Entry, ...]:
        """Every decision about one subject, oldest first."""
        query = (
            select(decisions)
            .where(decisions.c.repo_id == repo_id, decisions.c.number == number)
            .order_by(decisions.c.at, decisions.c.seq)
        )
        with self._engine.connect() as connection:
            return tuple(_entry(row) for row in connection.execute(query))

    def judged_today(self, repo_id: int, *, now: datetime, author: str | None = None) -> int:
        """Verdicts reached this UTC day in a repository, or for one author's subjects there. UNAVAILABLE is none."""
        query = (
            select(func.count())
            .select_from(decisions)
            .where(
                decisions.c.repo_id == repo_id,
                decisions.c.at >= _midnight(now),
                decisions.c.decision != Decision.UNAVAILABLE.value,
            )
        )
        if author is not None:
            query = query.where(decisions.c.author == author)
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one()

    def looks_today(self, repo_id: int, *, now: datetime) -> dict[str, int]:
        """All that was decided this UTC day in a repository, for each author, UNAVAILABLE too: finding out costs as
        much."""
        today = decisions.c.repo_id == repo_id, decisions.c.at >= _midnight(now)
        query = select(decisions.c.author, func.count()).where(*today).group_by(decisions.c.author)
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def own_looks_today(self, repo_id: int, number: int, makers: Collection[str], *, now: datetime) -> int:
        """Those of one subject, and of all others that these made."""
        own = (decisions.c.number == number) | decisions.c.author.in_(makers)
        query = select(func.count()).select_from(decisions)
        with self._engine.connect() as connection:
            today = query.where(decisions.c.repo_id == repo_id, decisions.c.at >= _midnight(now), own)
            return connection.execute(today).scalar_one()

    def spent_today(self, now: datetime) -> float:
        """Money spent this UTC day, in the currency of the configured token prices."""
        query = select(func.coalesce(func.sum(spending.c.money), 0.0)).where(spending.c.at >= _midnight(now))
        with self._engine.connect() as connection:
            return float(connection.execute(query).scalar_one())


def _entry(row: Row[Any]) -> Entry:
    return Entry(
        workflow_id=row.workflow_id,
        repo_id=row.repo_id,
        number=row.number,
        author=row.author,
        at=row.at,
        seq=row.seq,
        mode=Mode(row.mode),
        verdict=_verdict.validate_json(row.verdict),
        applied=_applied.validate_json(row.applied),
        usage=Usage(row.calls, row.tokens_in, row.tokens_out, row.money),
        seconds=row.seconds,
    )


def _midnight(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
