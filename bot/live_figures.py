"""The figures of `bouncer report` and of the dashboards: one function makes them, so that no two surfaces disagree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bot.live_precision import (
    Bounce,
    Decided,
    Event,
    PersonAct,
    PrecisionRow,
    Subject,
    Word,
    bounces_of,
    missed_of,
    precision_rows,
    wilson,
)
from bot.policy_choices import Mode
from bot.verdicts import Decision

_AGAINST = (Event.LABEL_REMOVED, Event.ACCEPTED, Event.OVERRIDDEN, Event.OVERRIDDEN_UNDECIDED)
_MOST_WEEKS = 15  # a longer time is shown by months

Key = tuple[Subject, str, Decision]


@dataclass(frozen=True, slots=True)
class Period:
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
    def passed(self) -> int:
        return self.judged - self.held - self.undecided

    @property
    def with_word(self) -> int:
        return self.right + self.wrong

    @property
    def precision(self) -> float | None:
        return self.right / self.with_word if self.with_word else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's, 95%."""
        return wilson(self.right, self.with_word) if self.with_word else None


@dataclass(frozen=True, slots=True)
class Figures:
    """verdicts: how many. without_verdict: words of maintainers against verdicts that are not here. newest: the last
    verdict of each rule. undecided: how many verdicts of each rule are `UNAVAILABLE`."""

    verdicts: int
    bounces: tuple[Bounce, ...]
    rows: tuple[PrecisionRow, ...]
    without_verdict: int
    newest: Mapping[Key, Decided]
    undecided: Mapping[tuple[Subject, str], int]

    @property
    def with_word(self) -> int:
        """Bounces of which an act says whether they were right."""
        return sum(bounce.word is not Word.NONE for bounce in self.bounces)


def figures_of(decided: Sequence[Decided], acts: Sequence[PersonAct]) -> Figures:
    """decided: oldest first."""
    bounces = bounces_of(decided, acts)
    undecided: dict[tuple[Subject, str], int] = {}
    for one in decided:
        if one.decision is Decision.UNAVAILABLE:
            undecided[one.subject, one.rule] = undecided.get((one.subject, one.rule), 0) + 1
    return Figures(
        verdicts=len(decided),
        bounces=tuple(bounces),
        rows=tuple(precision_rows(decided, bounces, missed_of(decided, acts))),
        without_verdict=_without_verdict(decided, acts),
        newest={(one.subject, one.rule, one.decision): one for one in decided},
        undecided=undecided,
    )


def periods_of(decided: Iterable[Decided], bounces: Iterable[Bounce], start: datetime, end: datetime) -> list[Period]:
    """Every week, or month where the time is long, from start to end, those without a verdict too."""
    weeks = end - start <= timedelta(weeks=_MOST_WEEKS)
    counts = {each: dict.fromkeys(_COUNTED, 0.0) for each in _starts(start.date(), end.date(), weeks)}
    day, found = None, None
    for one in decided:
        if (at := one.at.date()) != day:  # the oldest come first, so many of one day follow each other
            day, found = at, counts.get(_start(at, weeks))
        if found is None:
            continue
        found["judged"] += 1
        found["held"] += one.decision is Decision.BOUNCE
        found["undecided"] += one.decision is Decision.UNAVAILABLE
        found["money"] += one.money
    for bounce in bounces:
        found = counts.get(_start(bounce.first.at.date(), weeks))
        if found is None:
            continue
        told = bounce.first.mode is not Mode.OBSERVE
        found["bounced"] += 1
        found["right"] += told and bounce.word is Word.RIGHT
        found["wrong"] += told and bounce.word is Word.WRONG
    return [_period(each, found) for each, found in counts.items()]


_COUNTED = ("judged", "held", "undecided", "bounced", "right", "wrong", "money")


def _period(start: date, counted: Mapping[str, float]) -> Period:
    whole = {name: int(counted[name]) for name in _COUNTED[:-1]}
    return Period(start, money=counted["money"], **whole)


def _start(day: date, weeks: bool) -> date:
    return day - timedelta(days=day.weekday()) if weeks else day.replace(day=1)


def _starts(first: date, last: date, weeks: bool) -> list[date]:
    found = [_start(first, weeks)]
    while (following := _start(found[-1] + timedelta(days=7 if weeks else 31), weeks)) <= last:
        found.append(following)
    return found


def _without_verdict(decided: Sequence[Decided], acts: Sequence[PersonAct]) -> int:
    """Words against verdicts that are not here: people may delete those of past days, and a time leaves some out."""
    against = [act for act in acts if act.event in _AGAINST]
    wanted = {act.number for act in against}
    known = {(each.subject, each.repository, each.number) for each in decided if each.number in wanted}
    return sum((act.subject, act.repository, act.number) not in known for act in against)
