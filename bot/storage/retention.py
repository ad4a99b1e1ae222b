"""What is removed once it was kept long enough: pages with what verdicts stand on, and records of verdicts.

Everything is removed in batches, a transaction each, so that nobody waits for it; any number of workers may do it at
once, and a worker that is killed in the middle leaves nothing half.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    Table,
    bindparam,
    delete,
    exists,
    func,
    select,
    tuple_,
    update,
)

from bot.storage.database import Database
from bot.storage.endings import EndingSort
from bot.storage.gates import GateState
from bot.storage.store import insert
from bot.storage.tables import (
    agent_pulls,
    decisions,
    disagreements,
    endings,
    gates,
    judgements,
    overrides,
    person_words,
    pushes,
    rejections,
    removals,
    spending,
    subjects,
)

BATCH = 500  # rows
_REMOVED = ', "removed": true}'  # how a page ends that was reduced


@dataclass(frozen=True, slots=True)
class RemovedVerdicts:
    """How many there were, and up to when; `None` where none was removed."""

    count: int
    until: datetime | None


class Retention:
    """`before` is always the moment from which on everything stays."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def remove_pages(self, before: datetime) -> int:
        """Reduce pages of older verdicts to the verdict, and forget the last verdict of issues that nobody looks at.

        What is open stays whole: pull requests that are not closed, and issues that are held. Returns how many.
        """
        old = judgements.c.at < before, ~judgements.c.page.endswith(_REMOVED), ~_open(judgements)
        shortened = self._batches(lambda connection: _shorten(connection, *old))
        done = rejections.c.at < before, rejections.c.result != "", ~_open(rejections)
        emptied = self._batches(lambda connection: _empty(connection, *done))
        return shortened + emptied + self._forget_judged(before) + self._forget_issues(before)

    def remove_records(self, before: datetime) -> int:
        """Delete older verdicts, spending, what people did to verdicts, and who made pull requests that are closed.
        Returns how many rows; `removed` counts the verdicts."""
        of_pulls = (overrides, person_words, pushes, agent_pulls)  # before the endings, which say what is closed
        rows = self._batches(lambda connection: _delete_decisions(connection, before))
        rows += sum(self._delete(table, table.c.at < before, _closed(table)) for table in of_pulls)
        return rows + sum(self._delete(table, table.c.at < before) for table in (disagreements, endings, spending))

    def removed(self, repo_id: int | None = None) -> RemovedVerdicts:
        """The verdicts that `remove_records` deleted, of one repository or of all."""
        here = () if repo_id is None else (removals.c.repo_id == repo_id,)
        query = select(func.coalesce(func.sum(removals.c.verdicts), 0), func.max(removals.c.until)).where(*here)
        with self._engine.connect() as connection:
            count, until = connection.execute(query).one()
        return RemovedVerdicts(int(count), until)

    def _forget_judged(self, before: datetime) -> int:
        """What closed pull requests' verdicts stand on, once no judgement of them is newer."""
        newer = exists().where(
            judgements.c.repo_id == gates.c.repo_id, judgements.c.number == gates.c.number, judgements.c.at >= before
        )
        closed = gates.c.state == GateState.CLOSED.value, gates.c.judged != "", ~newer
        with self._engine.begin() as connection:
            return int(connection.execute(update(gates).where(*closed).values(judged="")).rowcount)

    def _forget_issues(self, before: datetime) -> int:
        newer = exists().where(
            decisions.c.repo_id == subjects.c.repo_id, decisions.c.number == subjects.c.number, decisions.c.at >= before
        )
        # One that was judged stays one that was seen: `judged_hash` says so.
        judged = subjects.c.verdict.is_not(None), subjects.c.judged_hash != "", subjects.c.retry_at.is_(None)
        over = (*judged, subjects.c.held.is_(False), ~newer)
        with self._engine.begin() as connection:
            return int(connection.execute(update(subjects).where(*over).values(verdict=None)).rowcount)

    def _delete(self, table: Table, *where: ColumnElement[bool]) -> int:
        return self._batches(lambda connection: connection.execute(_batch_of(table, *where)).rowcount)

    def _batches(self, batch: Callable[[Connection], int]) -> int:
        """Until one finds nothing more."""
        total = 0
        while True:
            with self._engine.begin() as connection:
                done = batch(connection)
            total += done
            if not done:
                return total


def _open(table: Table) -> ColumnElement[bool]:
    """Whether a row's pull request may still be judged or merged."""
    return exists().where(
        gates.c.repo_id == table.c.repo_id, gates.c.number == table.c.number, gates.c.state != GateState.CLOSED.value
    )


def _closed(table: Table) -> ColumnElement[bool]:
    """Whether it ended for all that is known. Nobody has a gate for what people make."""
    of_it = [(each.c.repo_id == table.c.repo_id, each.c.number == table.c.number) for each in (gates, endings)]
    closed = exists().where(*of_it[0], gates.c.state == GateState.CLOSED.value)
    ended = exists().where(*of_it[1], endings.c.sort.in_([EndingSort.MERGED.value, EndingSort.CLOSED.value]))
    return closed | (~exists().where(*of_it[0]) & ended)


def _shorten(connection: Connection, *where: ColumnElement[bool]) -> int:
    rows = connection.execute(
        select(judgements.c.run_id, judgements.c.decision, judgements.c.sentence).where(*where).limit(BATCH)
    ).all()
    if rows:
        short = update(judgements).where(judgements.c.run_id == bindparam("run"))
        values = {"result": "", "annotations": "[]", "page": bindparam("short")}
        pages = [{"run": run, "short": removed_page(decision, sentence)} for run, decision, sentence in rows]
        connection.execute(short.values(values), pages)
    return len(rows)


def removed_page(decision: str, sentence: str) -> str:
    """What is left of a page: a verdict's decision and its first reason."""
    return f"{json.dumps({'decision': decision, 'reasons': [sentence]})[:-1]}{_REMOVED}"


def _empty(connection: Connection, *where: ColumnElement[bool]) -> int:
    these = select(rejections.c.run_id).where(*where).limit(BATCH)
    emptied = update(rejections).where(rejections.c.run_id.in_(these.scalar_subquery())).values(result="")
    return int(connection.execute(emptied).rowcount)


def _batch_of(table: Table, *where: ColumnElement[bool]) -> Delete:
    key = list(table.primary_key)
    return delete(table).where(tuple_(*key).in_(select(*key).where(*where).limit(BATCH)))


def _delete_decisions(connection: Connection, before: datetime) -> int:
    """Delete a batch and count it: both or neither."""
    old = _batch_of(decisions, decisions.c.at < before).returning(decisions.c.repo_id)
    removed = Counter(connection.execute(old).scalars())
    for repo_id, verdicts in removed.items():
        adding = insert(connection.engine, removals).values(repo_id=repo_id, verdicts=verdicts, until=before)
        counted = {"verdicts": removals.c.verdicts + adding.excluded.verdicts, "until": before}
        connection.execute(adding.on_conflict_do_update(index_elements=removals.primary_key, set_=counted))
    return removed.total()
