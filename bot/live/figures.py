"""The figures of `bouncer report` and of the dashboards: one function makes them, so that no two surfaces disagree. And
those of the report alone: what a cheap model that is asked first saved, from the money that single verdicts cost; what
became of the questions that held issues were asked, told by what people did afterwards."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import mean
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, PlainSerializer

from bot.live.precision import (
    Bounce,
    Event,
    PersonAct,
    Precision,
    PrecisionRow,
    Subject,
    VerdictRow,
    VerdictTally,
    Word,
    bounces_of,
    misses_of,
    precision_rows,
)
from bot.policy_choices import Mode
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Decision, Item, Usage

_AGAINST = (Event.LABEL_REMOVED, Event.ACCEPTED, Event.OVERRIDDEN, Event.OVERRIDDEN_UNDECIDED)
_MOST_WEEKS = 15  # a longer time is shown by months

Key = tuple[Subject, str, Decision]
K = TypeVar("K")
V = TypeVar("V")
_by_key: Any = BeforeValidator(lambda pairs: {tuple(key) if isinstance(key, list) else key: one for key, one in pairs})
Pairs = Annotated[Mapping[K, V], PlainSerializer(lambda found: [*found.items()]), _by_key]  # JSON's keys are texts


@dataclass(frozen=True, slots=True)
class Period(Precision):
    """A week or a month. judged: verdicts; passed, held, undecided: of those. bounced: subjects, at their first verdict
    of a row; right, wrong: of those that people were told of."""

    start: date
    judged: int = 0
    held: int = 0
    undecided: int = 0
    bounced: int = 0
    right: int = 0
    wrong: int = 0
    money: float = 0.0

    @property
    def passes(self) -> int:
        return self.judged - self.held - self.undecided


@dataclass(frozen=True, slots=True)
class Figures:
    """verdicts: how many. newest: when each rule decided so last. undecided: how many verdicts of each rule are
    `UNAVAILABLE`. spent: on the calls of each judge that made any."""

    verdicts: int
    bounces: tuple[Bounce, ...]
    rows: tuple[PrecisionRow, ...]
    newest: Pairs[Key, datetime]
    undecided: Pairs[tuple[Subject, str], int]
    spent: Mapping[str, Usage]

    @property
    def with_word(self) -> int:
        """Bounces of which an act says whether they were right."""
        return sum(bounce.word is not Word.NONE for bounce in self.bounces)


def figures_of(tallies: Sequence[VerdictTally], decided: Sequence[VerdictRow], acts: Sequence[PersonAct]) -> Figures:
    """tallies: of every verdict. decided, acts: of every subject that was bounced, or accepted when it should not have
    been; others change nothing."""
    bounces = bounces_of(decided, acts)
    newest: dict[Key, datetime] = {}
    undecided: Counter[tuple[Subject, str]] = Counter()
    spent: defaultdict[str, Usage] = defaultdict(Usage)
    for one in tallies:
        key = (one.subject, one.rule, one.decision)
        newest[key] = max(one.newest, newest.get(key, one.newest))
        if one.decision is Decision.UNAVAILABLE:
            undecided[one.subject, one.rule] += one.many
        if one.usage.calls:
            spent[one.judge] += one.usage
    return Figures(
        verdicts=sum(one.many for one in tallies),
        bounces=tuple(bounces),
        rows=tuple(precision_rows(tallies, bounces, misses_of(decided, acts))),
        newest=newest,
        undecided=undecided,
        spent=spent,
    )


def periods_of(
    tallies: Iterable[VerdictTally], bounces: Iterable[Bounce], start: datetime, end: datetime
) -> list[Period]:
    """Every week, or month where the time is long, from start to end, those without a verdict too."""
    weeks = _weeks(start, end)
    judged, bounced = defaultdict[date, list[VerdictTally]](list), defaultdict[date, list[Bounce]](list)
    for tally in tallies:
        judged[_start(tally.start, weeks)].append(tally)
    for bounce in bounces:
        bounced[_start(bounce.first.at.date(), weeks)].append(bounce)
    return [_period(each, judged[each], bounced[each]) for each in starts(start, end)]


def _period(start: date, tallies: Sequence[VerdictTally], bounces: Sequence[Bounce]) -> Period:
    told = [bounce.word for bounce in bounces if bounce.first.mode is not Mode.OBSERVE]
    return Period(
        start,
        judged=sum(each.many for each in tallies),
        held=sum(each.many for each in tallies if each.decision is Decision.BOUNCE),
        undecided=sum(each.many for each in tallies if each.decision is Decision.UNAVAILABLE),
        bounced=len(bounces),
        right=told.count(Word.RIGHT),
        wrong=told.count(Word.WRONG),
        money=sum(each.usage.money for each in tallies),
    )


def starts(start: datetime, end: datetime) -> list[date]:
    """The first day of each of these periods."""
    weeks, last = _weeks(start, end), end.date()
    found = [_start(start.date(), weeks)]
    while (following := _start(found[-1] + timedelta(days=7 if weeks else 31), weeks)) <= last:
        found.append(following)
    return found


def without_verdict(decided: Sequence[VerdictRow], acts: Sequence[PersonAct]) -> int:
    """Maintainers' words against verdicts that are not here: people may delete those of past days, and a time leaves
    some out."""
    against = [act for act in acts if act.event in _AGAINST]
    wanted = {act.number for act in against}
    known = {(each.subject, each.repository, each.number) for each in decided if each.number in wanted}
    return sum((act.subject, act.repository, act.number) not in known for act in against)


def _weeks(start: datetime, end: datetime) -> bool:
    return end - start <= timedelta(weeks=_MOST_WEEKS)


def _start(day: date, weeks: bool) -> date:
    return day - timedelta(days=day.weekday()) if weeks else day.replace(day=1)


@dataclass(frozen=True, slots=True)
class FirstModelSaving:
    """settled: issues that the cheap model judged alone. passed_on: those that others judged after it. money: what
    those would have cost for the settled ones; `None` where no verdict tells."""

    model: str
    settled: int
    passed_on: int
    money: float | None


def first_model_saving(decided: Iterable[VerdictRow], model: str) -> FirstModelSaving:
    """model: the cheap one. Only issues that a model judged count. What others cost is a passed-on verdict's cost less
    a settled one's, on average."""
    by_model = [one for one in decided if one.subject is Subject.ISSUE and " with " in one.judge]
    settled = [one.usage.money for one in by_model if one.judge.startswith(f"{model} with ")]
    passed_on = [one.usage.money for one in by_model if not one.judge.startswith(f"{model} with ")]
    each = mean(passed_on) - mean(settled) if settled and passed_on else None
    money = len(settled) * each if each is not None and each > 0 else None
    return FirstModelSaving(model, len(settled), len(passed_on), money)


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One item. answered: the reporter supplied it. needless: nobody did, and a maintainer's act says that the issue
    should not have been held. open: neither."""

    item: Item
    asked: int
    answered: int
    needless: int
    open: int


def question_rows(issues: Mapping[tuple[str, int], SubjectRecord], bounces: Sequence[Bounce]) -> list[QuestionRow]:
    """Of each item that was asked for in an issue which people saw held, the most frequent first."""
    of_issues = [bounce for bounce in bounces if bounce.first.subject is Subject.ISSUE]
    told = [bounce for bounce in of_issues if bounce.first.mode is not Mode.OBSERVE]
    wrong = {(bounce.first.repository, bounce.first.number) for bounce in told if bounce.word is Word.WRONG}
    counted: Counter[tuple[Item, str]] = Counter()
    for key in dict.fromkeys((bounce.first.repository, bounce.first.number) for bounce in told):
        unanswered = "needless" if key in wrong else "open"
        if issue := issues.get(key):
            counted.update((item, "answered" if item in issue.satisfied else unanswered) for item in issue.asked)
    rows = []
    for item in Item:
        answered, needless, left = (counted[item, what] for what in ("answered", "needless", "open"))
        rows.append(QuestionRow(item, answered + needless + left, answered, needless, left))
    return sorted((row for row in rows if row.asked), key=lambda row: -row.asked)
