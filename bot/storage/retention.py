"""What is removed once it was kept long enough: pages with what verdicts stand on, and records of verdicts.

Everything is removed in batches, a transaction each, so that nobody waits for it; any number of workers may do it at
once: on PostgreSQL each leaves alone what another one has under its hands. A worker that is killed in the middle leaves
nothing half.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Table,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)

from bot.storage.database import Database
from bot.storage.endings import EndingSort, endings
from bot.storage.fixes import fixes, fixes_used
from bot.storage.gates import GateState, gates
from bot.storage.judgements import judgements, rejections
from bot.storage.ledger import decisions, disagreements, spending
from bot.storage.overrides import overrides
from bot.storage.pull_authors import agent_pulls, person_words, pushes
from bot.storage.store import insert, write
from bot.storage.subjects import subjects
from bot.storage.tables import table
from bot.storage.verification import answers, model_answers, reviews

# How many verdicts of each repository were removed because they were kept long enough, and up to when.
removals = table("removals", None, primary="repo_id", repo_id=int, verdicts=int, until=datetime)

BATCH = 500  # rows
_AT_A_TIME = 20  # batches of issues that are looked for together: it takes a look through all newer verdicts
_OF_PULLS = (overrides, person_words, pushes, agent_pulls, answers)  # what goes once a pull request is closed
_NOTED = or_(fixes.c.found != "", fixes.c.said != "", fixes.c.brief != "")
# The next look begins anew. Bouncer speaks there again once the issue was reopened, which objects to what was said.
_UNNOTED = {
    **dict.fromkeys(("found", "said", "brief", "digest"), ""),
    "objected": or_(fixes.c.objected, fixes.c.said != ""),
}
_REVIEWED = or_(reviews.c.review.is_not(None), reviews.c.question != "")
_NOT_CLOSED = gates.c.state != GateState.CLOSED


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
        """Reduce pages of older verdicts to the verdict, and forget the last verdict of issues that nobody looks at,
        with what was found of fixes, rejected and answered by models.

        What is open stays whole: pull requests that are not closed, and issues that are held. Returns how many.
        """
        emptied = self._empty(judgements, {"result": "", "annotations": ()}, before)
        emptied += self._empty(rejections, {"result": ""}, before)
        return emptied + self._forget_judged(before) + self._forget_issues(before) + self._forget_beside(before)

    def remove_records(self, before: datetime) -> int:
        """Delete older verdicts, spending, what people did to verdicts, and who made pull requests that are closed.
        Returns how many rows; `removed` counts the verdicts."""
        rows = self._batches(lambda connection: _delete_decisions(connection, before))
        rows += sum(self._delete(table, table.c.at < before, _closed(table)) for table in _OF_PULLS)
        # Endings say what is closed: they stay as long as anything that asks.
        asking = [_of_same(endings, table) for table in _OF_PULLS]
        asking += [_of_same(endings, fixes, _NOTED), _of_same(endings, reviews, _REVIEWED)]
        rows += self._delete(endings, endings.c.at < before, *(~each for each in asking))
        return rows + sum(self._delete(table, table.c.at < before) for table in (disagreements, spending))

    def count_removed(self, repo_id: int | None = None) -> RemovedVerdicts:
        """The verdicts that `remove_records` deleted, of one repository or of all."""
        here = () if repo_id is None else (removals.c.repo_id == repo_id,)
        query = select(func.coalesce(func.sum(removals.c.verdicts), 0), func.max(removals.c.until)).where(*here)
        with self._engine.connect() as connection:
            count, until = connection.execute(query).one()
        return RemovedVerdicts(int(count), until)

    def _empty(self, table: Table, values: Mapping[str, Any], before: datetime) -> int:
        """What verdicts stand on, of pull requests that are not open."""
        old = table.c.at < before, table.c.result != "", ~_open(table)
        return self._batches(lambda connection: _set(connection, table, values, *old))

    def _forget_judged(self, before: datetime) -> int:
        """What closed pull requests' verdicts stand on, once no judgement of them is newer."""
        newer = _of_same(gates, judgements, judgements.c.at >= before)
        closed = gates.c.state == GateState.CLOSED, gates.c.judged != "", ~newer
        return self._batches(lambda connection: _set(connection, gates, {"judged": ""}, *closed))

    def _forget_issues(self, before: datetime) -> int:
        total = 0
        while True:
            with self._engine.connect() as connection:
                found = _settled_issues(connection, before)
            done = 0
            for first in range(0, len(found), BATCH):
                unchanged = tuple_(*_AS_FOUND).in_(found[first : first + BATCH])  # unless it was looked at meanwhile
                done += write(self._engine, update(subjects).where(unchanged, *_SETTLED).values(verdict=None))
            total += done
            if not done:
                return total

    def _forget_beside(self, before: datetime) -> int:
        """What was found and said of the fix of an issue that is closed; the rejection that a closed pull request was
        judged by, and by which issues; and what models answered, who are asked again."""
        ended = _ended(before)
        held = gates.c.repo_id == fixes_used.c.repo_id, gates.c.number == fixes_used.c.pull, _NOT_CLOSED
        answering = fixes_used.c.repo_id == fixes.c.repo_id, fixes_used.c.issue == fixes.c.number, *held
        looked = tuple_(fixes.c.repo_id, fixes.c.number).in_(ended), fixes.c.close_at.is_(None)
        judged = tuple_(reviews.c.repo_id, reviews.c.number).in_(ended), ~_open(reviews)
        using = tuple_(fixes_used.c.repo_id, fixes_used.c.pull).in_(ended), ~exists().where(*held)
        return (
            self._batches(lambda it: _set(it, fixes, _UNNOTED, _NOTED, *looked, ~exists().where(*answering)))
            + self._batches(lambda it: _set(it, reviews, {"review": None, "question": ""}, _REVIEWED, *judged))
            + self._delete(fixes_used, *using)
            + self._delete(model_answers, model_answers.c.answered_at < before)
        )

    def _delete(self, table: Table, *where: ColumnElement[bool]) -> int:
        return self._batches(lambda connection: connection.execute(delete(table).where(_batch(table, *where))).rowcount)

    def _batches(self, batch: Callable[[Connection], int]) -> int:
        """Until one finds nothing more."""
        total = 0
        while True:
            with self._engine.begin() as connection:
                done = batch(connection)
            total += done
            if not done:
                return total


# One that was judged stays one that was seen: `judged_hash` says so.
_SETTLED = (
    subjects.c.verdict.is_not(None),
    subjects.c.judged_hash != "",
    subjects.c.retry_at.is_(None),
    subjects.c.held.is_(False),
)
_AS_FOUND = (subjects.c.repo_id, subjects.c.number, subjects.c.judged_hash, subjects.c.latest_seq)


def _settled_issues(connection: Connection, before: datetime) -> list[tuple[Any, ...]]:
    """Issues that were not judged since, as they are now. One look through the newer verdicts for all of them: a look
    for each issue takes minutes where there are thousands.
    """
    newer = select(decisions.c.repo_id, decisions.c.number).where(decisions.c.at >= before).distinct().subquery()
    same = (newer.c.repo_id == subjects.c.repo_id) & (newer.c.number == subjects.c.number)
    settled = select(*_AS_FOUND).outerjoin(newer, same).where(*_SETTLED, newer.c.number.is_(None))
    return [tuple(row) for row in connection.execute(settled.limit(_AT_A_TIME * BATCH))]


def _of_same(table: FromClause, other: FromClause, *where: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether the other table has a row of the same issue or pull request."""
    return exists().where(other.c.repo_id == table.c.repo_id, other.c.number == table.c.number, *where)


def _open(table: Table) -> ColumnElement[bool]:
    """Whether a row's pull request may still be judged or merged."""
    return _of_same(table, gates, _NOT_CLOSED)


def _ended(before: datetime) -> Select[Any]:
    """Issues and pull requests that ended before then, for all that is known. Read once for all rows that ask."""
    closing = [sort for sort in EndingSort if sort not in (EndingSort.REOPENED, EndingSort.REVERTED)]
    ended = func.max(case((endings.c.sort.in_(closing), endings.c.at)))
    again = func.max(case((endings.c.sort == EndingSort.REOPENED, endings.c.at)))
    same = select(endings.c.repo_id, endings.c.number).group_by(endings.c.repo_id, endings.c.number)
    return same.having(ended < before, or_(again.is_(None), again < ended))


def _closed(table: Table) -> ColumnElement[bool]:
    """Whether it ended for all that is known. Nobody has a gate for what people make."""
    closed = _of_same(table, gates, gates.c.state == GateState.CLOSED)
    later = endings.alias()
    again = _of_same(endings, later, later.c.sort == EndingSort.REOPENED, later.c.at >= endings.c.at)
    sorts = [EndingSort.MERGED, EndingSort.CLOSED]
    ended = _of_same(table, endings, endings.c.sort.in_(sorts), ~again)
    return closed | (~_of_same(table, gates) & ended)


def _batch(table: Table, *where: ColumnElement[bool]) -> ColumnElement[bool]:
    """Rows that nobody else changes; SQLite has one writer at a time, and says nothing of locks."""
    key = list(table.primary_key)
    return tuple_(*key).in_(select(*key).where(*where).limit(BATCH).with_for_update(skip_locked=True))


def _set(connection: Connection, table: Table, values: Mapping[str, Any], *where: ColumnElement[bool]) -> int:
    return int(connection.execute(update(table).where(_batch(table, *where)).values(values)).rowcount)


def _delete_decisions(connection: Connection, before: datetime) -> int:
    """Delete a batch and count it: both or neither."""
    old = delete(decisions).where(_batch(decisions, decisions.c.at < before)).returning(decisions.c.repo_id)
    removed = Counter(connection.execute(old).scalars())
    for repo_id, verdicts in sorted(removed.items()):  # in one order: two workers would wait for each other
        adding = insert(connection.dialect.name, removals).values(repo_id=repo_id, verdicts=verdicts, until=before)
        counted = {"verdicts": removals.c.verdicts + adding.excluded.verdicts, "until": before}
        connection.execute(adding.on_conflict_do_update(index_elements=removals.primary_key, set_=counted))
    return removed.total()
