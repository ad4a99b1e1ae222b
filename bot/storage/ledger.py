"""The ledger: what was decided, what it cost, and who disagreed. Rows are added, never changed."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import CompoundSelect, Index, cast, func, insert, or_, select

from bot.live.precision import Subject, VerdictRow, VerdictTally
from bot.policy_choices import Mode
from bot.storage.endings import EndingSort, endings
from bot.storage.store import Numbers, Store, within, write
from bot.storage.tables import row_id, table
from bot.verdicts import Decision, SpecificationLabel, Usage, Verdict

LONGEST_RUN = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One decision. author: who pays for it by the day's budget; of a pull request whoever pushed its commit, of
    a review who wrote it.

    subject: what was judged.
    applied: what was written on GitHub, one short phrase each, e.g. `label needs-clarification`.
    """

    workflow_id: str
    repo_id: int
    number: int
    author: str
    at: datetime
    seq: int
    mode: Mode
    verdict: Verdict
    subject: Subject
    applied: tuple[str, ...] = ()
    usage: Usage = Usage()


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


_LABELS = {label.value: label for label in SpecificationLabel}
_COST: dict[str, Any] = {field.name: field.type for field in fields(Usage)}
# All that figures are made of, for beside it a row is long, and dashboards count very many.
_COUNTED = ("repo_id", "at", "seq", "subject", "decision", "number", "mode", "kind", "ground", "judge")
decisions = table(
    "decisions",
    Entry,
    Index("decisions_repo_at", *_COUNTED, *_COST),
    primary="workflow_id",
    usage=None,
    **_COST,
    decision=Decision,
    label=str | None,
    judge=str,
    kind=str | None,
    ground=str,
)
spending = table("spending", None, row_id("id"), index="at", workflow_id=str, at=datetime, judge=str, **_COST)
disagreements = table(
    "disagreements",
    Disagreement,
    Index("disagreements_subject", "repo_id", "number"),
    primary="workflow_id",
)
_COUNTS = or_(  # towards the day's budget of looks
    decisions.c.subject != Subject.ISSUE,
    decisions.c.decision != Decision.UNAVAILABLE,
)


class Disagreements(Store[Disagreement], table=disagreements):
    """A row for each word against a verdict, told once or twice."""

    def about(self, repo_id: int, number: int) -> tuple[Disagreement, ...]:
        """Those on one subject, oldest first."""
        table = disagreements.c
        return self._all(table.repo_id == repo_id, table.number == number, order=[table.at])

    def acts(self, moment: datetime, repo_id: int | None = None) -> Iterator[tuple[int, int, datetime, Act]]:
        """Repository, subject, time and act of each from then on. repo_id: in this repository alone."""
        rows = disagreements.c
        where = within(disagreements, moment, repo_id)
        for row in self._rows(select(rows.repo_id, rows.number, rows.at, rows.act).where(*where).order_by(rows.at)):
            yield row.repo_id, row.number, row.at, row.act


class Ledger(Store[Entry], table=decisions):
    """Adding is idempotent by `workflow_id`: a step that runs twice leaves one row."""

    def spend(self, workflow_id: str, judge: str, usage: Usage, *, at: datetime) -> None:
        """What model calls cost, whether or not they led to a verdict. Every call counts: a repeated one cost twice."""
        row = {"workflow_id": workflow_id, "at": at, "judge": judge, **asdict(usage)}
        write(self._engine, insert(spending).values(row))

    def usage_of_run(self, workflow_id: str, until: datetime) -> dict[str, Usage]:
        """What a run that ended then asked of each model, by the judge's name."""
        mine = (spending.c.workflow_id == workflow_id, spending.c.at > until - LONGEST_RUN, spending.c.at <= until)
        each = [func.sum(spending.c[name]).label(name) for name in _COST]
        query = select(spending.c.judge, *each).where(*mine).group_by(spending.c.judge).order_by(spending.c.judge)
        return {
            row.judge: Usage(int(row.calls), int(row.tokens_in), int(row.tokens_out), float(row.money))
            for row in self._rows(query)
        }

    def entries(self, repo_id: int, number: int) -> tuple[Entry, ...]:
        """Every decision about one subject, oldest first."""
        this = (decisions.c.repo_id == repo_id, decisions.c.number == number)
        return self._all(*this, order=(decisions.c.at, decisions.c.seq))

    def verdict_rows(
        self,
        moment: datetime,
        name: Callable[[int], str],
        repo_id: int | None = None,
        among: Numbers = None,
        *,
        brief: bool = False,
    ) -> Iterator[VerdictRow]:
        """Every decision from then on, oldest first, without what it stands on: there may be very many. name: of a
        repository, by its number. repo_id: in this repository alone; among: and about subjects with one of these
        numbers. brief: without money, label and author."""
        rows = decisions.c
        what = (rows.subject, rows.repo_id, rows.number, rows.at, rows.mode, rows.decision, rows.kind, rows.ground)
        more = () if brief else (rows.label, rows.author, *(rows[each] for each in _COST))
        query = select(*what, rows.judge, *more).where(*within(decisions, moment, repo_id, among))
        found = self._rows(query.order_by(rows.at, rows.seq))
        for subject, repo, number, at, mode, decision, kind, ground, judge, *rest in found:
            label, author, *cost = rest or (None, "")
            here = subject, name(repo), number, at, mode, decision
            yield VerdictRow(*here, kind or "", ground, judge, Usage(*cost), _LABELS.get(label or ""), author)

    def tallies(self, repo_id: int, starts: Sequence[datetime]) -> Iterator[VerdictTally]:
        """All entries of a repository from the first of these moments on, added up from each to the next. It and
        what is `brief` read nothing but an index."""
        rows = decisions.c
        same = (rows.subject, rows.kind, rows.ground, rows.judge, rows.decision)
        sums = [cast(func.sum(rows[name]), rows[name].type) for name in _COST]  # PostgreSQL makes decimals of them
        query = select(*same, func.count(), func.max(rows.at), *sums).where(rows.repo_id == repo_id)
        with self._engine.connect() as connection:
            for start, end in zip(starts, (*starts[1:], datetime.max.replace(tzinfo=UTC)), strict=True):
                found = connection.execute(query.where(rows.at >= start, rows.at < end).group_by(*same))
                for subject, kind, ground, judge, decision, many, newest, *cost in found.all():
                    what = subject, kind or "", ground, judge, decision
                    yield VerdictTally(*what, start.date(), many, newest, Usage(*cost))

    def verdicts_today(self, repo_id: int, *, now: datetime, author: str | None = None) -> int:
        """Verdicts reached this UTC day in a repository, or for one author's subjects there. UNAVAILABLE is none."""
        today = (decisions.c.repo_id == repo_id, decisions.c.at >= _midnight(now))
        theirs = () if author is None else (decisions.c.author == author,)
        return self._count(decisions, *today, decisions.c.decision != Decision.UNAVAILABLE, *theirs)

    def looks_today(self, repo_id: int, *, now: datetime) -> dict[str, int]:
        """All that was decided this UTC day in a repository, for each author, UNAVAILABLE too: finding out costs as
        much, except for an issue, which is only asked about again."""
        today = decisions.c.repo_id == repo_id, decisions.c.at >= _midnight(now), _COUNTS
        query = select(decisions.c.author, func.count().label("looks")).where(*today).group_by(decisions.c.author)
        return {row.author: row.looks for row in self._rows(query)}

    def own_looks_today(self, repo_id: int, number: int, makers: Collection[str], *, now: datetime) -> int:
        """Those of one subject, reviews of it apart, and of all others that these made."""
        itself = (decisions.c.number == number) & (decisions.c.subject != Subject.REVIEW)
        own = itself | decisions.c.author.in_(makers)
        return self._count(decisions, decisions.c.repo_id == repo_id, decisions.c.at >= _midnight(now), _COUNTS, own)

    def money_today(self, now: datetime, model: str = "") -> float:
        """Money spent this UTC day, in the currency of the configured token prices. model: on this one alone."""
        query = select(func.coalesce(func.sum(spending.c.money), 0.0)).where(spending.c.at >= _midnight(now))
        if model:
            query = query.where(spending.c.judge.startswith(f"{model} with ", autoescape=True))
        return float(self._scalar(query))

    def _columns(self, record: Entry) -> dict[str, Any]:
        columns, verdict = super()._columns(record) | asdict(record.usage), record.verdict
        del columns["usage"]
        told = {name: getattr(verdict, name) for name in ("decision", "judge", "ground")}
        kind, label = (each and each.value for each in (verdict.kind, verdict.label))
        return columns | told | {"kind": kind, "label": label}

    def _record(self, row: Mapping[Any, Any]) -> Entry:
        return super()._record({**row, "usage": Usage(*(row[name] for name in _COST))})


def numbers_in_doubt(repo_id: int, moment: datetime) -> CompoundSelect[tuple[int]]:
    """The numbers of subjects that were bounced from then on, or accepted when people may say that they should not have
    been: those that were reverted, and those whose issue may be opened again."""
    bounced = decisions.c.decision == Decision.BOUNCE
    back = [EndingSort.REVERTED, EndingSort.REOPENED]
    taken_back = or_(endings.c.sort.in_(back), endings.c.issues != ())
    return (
        select(decisions.c.number)
        .where(*within(decisions, moment, repo_id), bounced)
        .union_all(select(endings.c.number).where(*within(endings, moment, repo_id), taken_back))
    )


def _midnight(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
