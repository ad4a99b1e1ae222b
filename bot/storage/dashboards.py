"""What a repository's dashboard lists: the newest verdicts, what is under way, and whether anything is new."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, or_, select

from bot.live.precision import Subject
from bot.storage.database import Database
from bot.storage.endings import endings
from bot.storage.gates import GateRecord, Gates, MergeGroupState, merge_groups
from bot.storage.judgements import judgements, rejections
from bot.storage.ledger import Entry, Ledger, decisions, disagreements
from bot.storage.overrides import overrides
from bot.storage.subjects import subjects
from bot.verdicts import Decision, State


@dataclass(frozen=True, slots=True)
class ListedVerdict:
    """A verdict. token: of its page, empty where there is none. overridden_by: whose word beats it."""

    entry: Entry
    token: str = ""
    overridden_by: str = ""


@dataclass(frozen=True, slots=True)
class Queue:
    """judging: at most `MOST_UNDER_WAY`. groups: of the merge queue. later: issues that are looked at again because
    they could not be judged. held: issues that wait for an answer. labels: which they have, if all are
    known."""

    judging: tuple[GateRecord, ...]
    groups: int
    later: int
    held: int
    labels: tuple[str, ...]


MOST_UNDER_WAY = 20


class Dashboards(Ledger):
    """The ledger with what stands beside it. Each query has its index: a repository may have very many verdicts."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._gates = Gates(database)

    def recent(
        self,
        repo_id: int,
        since: datetime,
        *,
        most: int,
        subject: Subject | None = None,
        decision: Decision | None = None,
        before: datetime | None = None,
        run: str = "",
    ) -> tuple[ListedVerdict, ...]:
        """The newest verdicts, the newest first. before, run: those alone that come after the verdict of this moment
        and run; two may have been made at the same."""
        rows = decisions.c
        wanted = [rows.repo_id == repo_id, rows.at >= since]
        if subject is not None:
            wanted.append(rows.subject == subject)
        if decision is not None:
            wanted.append(rows.decision == decision)
        if before is not None:
            same = and_(rows.at == before, rows.workflow_id < run)
            wanted += [rows.at <= before, or_(rows.at < before, same)]
        return self._linked(repo_id, self._all(*wanted, order=(rows.at.desc(), rows.workflow_id.desc()), most=most))

    def first_reasons(
        self, repo_id: int, wanted: Mapping[tuple[Subject, str, Decision], datetime]
    ) -> dict[tuple[Subject, str, Decision], str]:
        """The first sentence of each of these verdicts: of what was judged, the rule, the decision, and its moment."""
        found = {}
        for key, at in wanted.items():
            here = (decisions.c.repo_id == repo_id, decisions.c.at == at, decisions.c.decision == key[2])
            for entry in self._all(*here):
                if (entry.subject, entry.verdict.ground) == key[:2]:
                    found[key] = entry.verdict.reasons[0] if entry.verdict.reasons else ""
        return found

    def queue(self, repo_id: int) -> Queue:
        """What is under way now."""
        active = (subjects.c.repo_id == repo_id, subjects.c.state == State.ACTIVE)
        held = select(subjects.c.label, func.count()).where(*active, subjects.c.held.is_(True))
        by_label = dict(tuple(row) for row in self._rows(held.group_by(subjects.c.label)))
        running = (merge_groups.c.repo_id == repo_id, merge_groups.c.state == MergeGroupState.RUNNING)
        return Queue(
            self._gates.under_way(repo_id, MOST_UNDER_WAY),
            self._count(merge_groups, *running),
            self._count(subjects, subjects.c.repo_id == repo_id, subjects.c.retry_at.is_not(None)),
            sum(by_label.values()),
            tuple(sorted(by_label)) if all(by_label) else (),
        )

    def state(self, repo_id: int, since: datetime) -> tuple[Any, ...]:
        """Changes whenever a figure could: a count and the newest time of all that figures are made of."""
        found: list[Any] = []
        for table in (decisions, disagreements, overrides, endings):
            query = select(func.count(), func.max(table.c.at)).where(table.c.repo_id == repo_id, table.c.at >= since)
            found += self._rows(query)[0]
        return tuple(found)

    def verdicts(self, repo_ids: Collection[int], since: datetime) -> Mapping[int, int]:
        """How many each repository has."""
        rows = decisions.c
        query = select(rows.repo_id, func.count()).where(rows.repo_id.in_(sorted(repo_ids)), rows.at >= since)
        return {row[0]: row[1] for row in self._rows(query.group_by(rows.repo_id))}

    def _linked(self, repo_id: int, entries: Collection[Entry]) -> tuple[ListedVerdict, ...]:
        runs, numbers = [each.workflow_id for each in entries], {each.number for each in entries}
        pages: dict[str, tuple[str, str]] = {}
        for table in (judgements, rejections):
            query = select(table.c.run_id, table.c.token, table.c.head).where(table.c.run_id.in_(runs))
            pages |= {row.run_id: (row.token, row.head) for row in self._rows(query)}
        this = (subjects.c.repo_id == repo_id, subjects.c.number.in_(numbers))
        issues = dict(tuple(row) for row in self._rows(select(subjects.c.number, subjects.c.token).where(*this)))
        stands = (overrides.c.repo_id == repo_id, overrides.c.number.in_(numbers), overrides.c.ended_at.is_(None))
        words = {
            (row.number, row.head): row.who
            for row in self._rows(select(overrides.c.number, overrides.c.head, overrides.c.who).where(*stands))
        }
        listed = []
        for entry in entries:
            token, head = pages.get(entry.workflow_id, (issues.get(entry.number) or "", ""))
            of_pull = entry.subject is Subject.PULL
            listed.append(ListedVerdict(entry, token, words.get((entry.number, head), "") if of_pull else ""))
        return tuple(listed)
