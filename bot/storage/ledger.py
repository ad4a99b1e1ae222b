"""The ledger: what was decided, what it cost, and who disagreed. Rows are added, never changed."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, cast, func, insert, or_, select

from bot.live.precision import Subject, VerdictRow, VerdictTally
from bot.policy_choices import Mode
from bot.storage.endings import EndingSort
from bot.storage.store import Numbers, Store, add, as_json, as_value, within, write
from bot.storage.tables import decisions, disagreements, endings, spending
from bot.verdicts import Decision, SpecificationLabel, Usage, Verdict

LONGEST_RUN = timedelta(days=1)
_COUNTS = or_(  # towards the day's budget of looks
    decisions.c.subject != Subject.ISSUE.value,
    decisions.c.decision != Decision.UNAVAILABLE.value,
)

_verdict = as_json(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One decision. author: who pays for it by the day's budget; of a pull request whoever pushed its commit, of
    a review who wrote it.

    subject: what was judged.
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
    subject: Subject
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


# Of dictionaries: an enumeration takes several times as long to find its member.
_ACTS = {act.value: act for act in Act}
_SUBJECTS = {each.value: each for each in Subject}
_MODES = {each.value: each for each in Mode}
_DECISIONS = {each.value: each for each in Decision}
_LABELS = {None: None} | {label.value: label for label in SpecificationLabel}
_COST = tuple(Usage.__dataclass_fields__)


class Ledger(
    Store[Entry],
    table=decisions,
    kind=Entry,
    mode=as_value(Mode),
    verdict=_verdict,
    applied=as_json(tuple[str, ...]),
    subject=as_value(Subject),
):
    """Adding is idempotent by `workflow_id`: a step that runs twice leaves one row."""

    def spend(self, workflow_id: str, judge: str, usage: Usage, *, at: datetime) -> None:
        """What model calls cost, whether or not they led to a verdict. Every call counts: a repeated one cost twice."""
        row = {"workflow_id": workflow_id, "at": at, "judge": judge, **asdict(usage)}
        write(self._engine, insert(spending).values(row))

    def usage_of_run(self, workflow_id: str, until: datetime) -> dict[str, Usage]:
        """What a run that ended then asked of each model, by the judge's name."""
        mine = (spending.c.workflow_id == workflow_id, spending.c.at > until - LONGEST_RUN, spending.c.at <= until)
        each = [func.sum(spending.c[name]).label(name) for name in Usage.__dataclass_fields__]
        query = select(spending.c.judge, *each).where(*mine).group_by(spending.c.judge).order_by(spending.c.judge)
        return {
            row.judge: Usage(int(row.calls), int(row.tokens_in), int(row.tokens_out), float(row.money))
            for row in self._rows(query)
        }

    def disagree(self, disagreement: Disagreement) -> None:
        """Write a disagreement down."""
        verdict = disagreement.verdict and _verdict.dump(disagreement.verdict)
        add(self._engine, disagreements, asdict(disagreement) | {"act": disagreement.act.value, "verdict": verdict})

    def entries(self, repo_id: int, number: int) -> tuple[Entry, ...]:
        """Every decision about one subject, oldest first."""
        this = (decisions.c.repo_id == repo_id, decisions.c.number == number)
        return self._all(*this, order=(decisions.c.at, decisions.c.seq))

    def since(self, moment: datetime) -> tuple[Entry, ...]:
        """Every decision from then on, oldest first."""
        return self._all(decisions.c.at >= moment, order=(decisions.c.at, decisions.c.seq))

    def verdict_rows(self, moment: datetime, name: Callable[[int], str]) -> Iterator[VerdictRow]:
        """The same, without what a verdict stands on: there may be very many. name: of a repository, by its number."""
        rows = decisions.c
        what = (rows.subject, rows.repo_id, rows.number, rows.at, rows.mode, rows.decision, rows.kind, rows.ground)
        query = select(*what, rows.judge, rows.label, rows.author, *(rows[each] for each in _COST))
        found = self._rows(query.where(rows.at >= moment).order_by(rows.at, rows.seq))
        for subject, repo, number, at, mode, decision, kind, ground, judge, label, author, *cost in found:
            here = _SUBJECTS[subject], name(repo), number, at, _MODES[mode], _DECISIONS[decision]
            yield VerdictRow(*here, kind or "", ground, judge, Usage(*cost), _LABELS.get(label), author)

    def tallies(self, repo_id: int, starts: Sequence[datetime]) -> Iterator[VerdictTally]:
        """All entries of a repository from the first of these moments on, added up from each to the next. It and
        `doubted` read nothing but an index."""
        rows = decisions.c
        same = (rows.subject, rows.kind, rows.ground, rows.judge, rows.decision)
        sums = [cast(func.sum(rows[name]), rows[name].type) for name in _COST]  # PostgreSQL makes decimals of them
        query = select(*same, func.count(), func.max(rows.at), *sums).where(rows.repo_id == repo_id)
        with self._engine.connect() as connection:
            for start, end in zip(starts, (*starts[1:], datetime.max.replace(tzinfo=UTC)), strict=True):
                found = connection.execute(query.where(rows.at >= start, rows.at < end).group_by(*same))
                for subject, kind, ground, judge, decision, many, newest, *cost in found.all():
                    what = Subject(subject), kind or "", ground, judge, Decision(decision)
                    yield VerdictTally(*what, start.date(), many, newest, Usage(*cost))

    def decisions_in_doubt(self, repo_id: int, moment: datetime, numbers: Numbers) -> Iterator[VerdictRow]:
        """Every decision from then on about subjects with these numbers, oldest first, without the repository's name,
        money, label and author."""
        rows = decisions.c
        names = (rows.number, rows.at, rows.mode, rows.decision, rows.kind, rows.ground, rows.judge, rows.subject)
        query = select(*names).where(*within(decisions, moment, repo_id, numbers))
        found = self._rows(query.order_by(rows.at, rows.seq))
        for number, at, mode, decision, kind, ground, judge, subject in found:
            what = _SUBJECTS[subject], "", number, at, _MODES[mode], _DECISIONS[decision]
            yield VerdictRow(*what, kind or "", ground, judge)

    def acts(self, moment: datetime, repo_id: int | None = None) -> Iterator[tuple[int, int, datetime, Act]]:
        """Repository, subject, time and act of every maintainer's word against a verdict from then on. repo_id: in this
        repository alone."""
        rows = disagreements.c
        where = within(disagreements, moment, repo_id)
        for row in self._rows(select(rows.repo_id, rows.number, rows.at, rows.act).where(*where).order_by(rows.at)):
            yield row.repo_id, row.number, row.at, _ACTS[row.act]

    def words(self, repo_id: int, number: int) -> tuple[Disagreement, ...]:
        """Maintainers' words against verdicts on one subject, oldest first."""
        return self._words(disagreements.c.repo_id == repo_id, disagreements.c.number == number)

    def _words(self, *where: ColumnElement[bool]) -> tuple[Disagreement, ...]:
        query = select(disagreements).where(*where).order_by(disagreements.c.at)
        return tuple(
            Disagreement(
                **dict(row._mapping) | {"act": Act(row.act), "verdict": row.verdict and _verdict.load(row.verdict)}
            )
            for row in self._rows(query)
        )

    def verdicts_today(self, repo_id: int, *, now: datetime, author: str | None = None) -> int:
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
        return int(self._scalar(query))

    def looks_today(self, repo_id: int, *, now: datetime) -> dict[str, int]:
        """All that was decided this UTC day in a repository, for each author, UNAVAILABLE too: finding out costs as
        much, except for an issue, which is only asked about again."""
        today = decisions.c.repo_id == repo_id, decisions.c.at >= _midnight(now), _COUNTS
        query = select(decisions.c.author, func.count().label("looks")).where(*today).group_by(decisions.c.author)
        return {row.author: row.looks for row in self._rows(query)}

    def own_looks_today(self, repo_id: int, number: int, makers: Collection[str], *, now: datetime) -> int:
        """Those of one subject, reviews of it apart, and of all others that these made."""
        itself = (decisions.c.number == number) & (decisions.c.subject != Subject.REVIEW.value)
        own = itself | decisions.c.author.in_(makers)
        today = (decisions.c.repo_id == repo_id, decisions.c.at >= _midnight(now), _COUNTS)
        return int(self._scalar(select(func.count()).select_from(decisions).where(*today, own)))

    def money_today(self, now: datetime, model: str = "") -> float:
        """Money spent this UTC day, in the currency of the configured token prices. model: on this one alone."""
        query = select(func.coalesce(func.sum(spending.c.money), 0.0)).where(spending.c.at >= _midnight(now))
        if model:
            query = query.where(spending.c.judge.startswith(f"{model} with ", autoescape=True))
        return float(self._scalar(query))

    def entry(self, row: Mapping[Any, Any]) -> Entry:
        """The entry in a row that somebody else selected."""
        return self._record(row)

    def _columns(self, record: Entry) -> dict[str, Any]:
        columns, verdict = super()._columns(record), record.verdict
        del columns["usage"]
        return (
            columns
            | asdict(record.usage)
            | {
                "decision": verdict.decision.value,
                "label": verdict.label and verdict.label.value,
                "probability": verdict.probability,
                "judge": verdict.judge,
                "kind": verdict.kind and verdict.kind.value,
                "ground": verdict.ground,
            }
        )

    def _record(self, row: Mapping[Any, Any]) -> Entry:
        return super()._record({**row, "usage": Usage(**{name: row[name] for name in Usage.__dataclass_fields__})})


def numbers_in_doubt(repo_id: int, moment: datetime) -> CompoundSelect[tuple[int]]:
    """The numbers of subjects that were bounced from then on, or accepted when people may say that they should not have
    been: those that were reverted, and those whose issue may be opened again."""
    bounced = decisions.c.decision == Decision.BOUNCE.value
    back = [EndingSort.REVERTED.value, EndingSort.REOPENED.value]
    taken_back = or_(endings.c.sort.in_(back), endings.c.issues != "")
    return (
        select(decisions.c.number)
        .where(*within(decisions, moment, repo_id), bounced)
        .union_all(select(endings.c.number).where(*within(endings, moment, repo_id), taken_back))
    )


def _midnight(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
