"""How often a bounce was right, told by what maintainers and reporters did afterwards.

Nobody labels Bouncer's verdicts, so acts stand for labels. They are noisy ones: people who label the same issues agree
moderately (published kappa 0.44 to 0.62). Most bounces have no act that says anything; their share is printed too.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from math import sqrt
from operator import attrgetter
from statistics import median

from bot.policy_choices import Mode
from bot.verdicts import Decision, SpecificationLabel, Usage

_Z = 1.96  # of an interval of 95%


class Subject(StrEnum):
    ISSUE = "issue"
    PULL = "pull request"
    REVIEW = "review bot's rejection"


class Word(StrEnum):
    """What an act says of the bounce before it."""

    RIGHT = "right"
    WRONG = "wrong"
    NONE = "no word"


class Event(StrEnum):
    """What people did after a bounce."""

    LABEL_REMOVED = "a maintainer took the label off"
    ACCEPTED = "a maintainer wrote `/bouncer accept`"
    ANSWERED = "the reporter added what was asked for, and the issue was accepted"
    OVERRIDDEN = "a maintainer overrode the bounce"
    OVERRIDDEN_UNDECIDED = "a maintainer overrode a verdict that asked for a person"
    PUSHED = "another commit was pushed, and accepted"
    NOT_PLANNED = "a maintainer closed the held issue as not planned"
    DONE = "a maintainer closed the held issue as done"
    MERGED = "it was merged in spite of the bounce"
    CLOSED = "a maintainer closed it without a merge"
    REVERTED = "it was reverted"
    REOPENED = "a maintainer reopened an issue that it closes"
    NOTHING = "nothing, or nothing in time"


# The reporter's own acts are not among these: a stranger can act so as to be counted.
BY_MAINTAINERS = frozenset({*Event} - {Event.ANSWERED, Event.PUSHED, Event.NOTHING})
LATELY = timedelta(days=90)  # after the bounce; what happens later says nothing of it
WORDS = {
    Event.LABEL_REMOVED: Word.WRONG,
    Event.ACCEPTED: Word.WRONG,
    Event.ANSWERED: Word.RIGHT,
    Event.NOT_PLANNED: Word.RIGHT,
    Event.DONE: Word.WRONG,
    Event.OVERRIDDEN: Word.WRONG,
    Event.OVERRIDDEN_UNDECIDED: Word.NONE,
    Event.PUSHED: Word.RIGHT,
    Event.MERGED: Word.WRONG,
    Event.CLOSED: Word.RIGHT,
    Event.REVERTED: Word.NONE,
    Event.REOPENED: Word.NONE,
    Event.NOTHING: Word.NONE,
}
# Nothing of a bounce, but that a pull request which was accepted should have been bounced.
MISSED = frozenset({Event.REVERTED, Event.REOPENED})


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One verdict. rule: the name of the rule that decided. judge: who judged, with the version of its prompt. label:
    its label of an issue. author: of the issue; whoever pushed, of a pull request."""

    subject: Subject
    repository: str
    number: int
    at: datetime
    mode: Mode
    decision: Decision
    kind: str
    rule: str
    judge: str
    usage: Usage = Usage()
    label: SpecificationLabel | None = None
    author: str = ""


@dataclass(frozen=True, slots=True)
class VerdictTally:
    """Verdicts that one rule of one judge decided alike. start: the first day of the time they are from. many: how many
    they are. newest: the moment of the last one."""

    subject: Subject
    kind: str
    rule: str
    judge: str
    decision: Decision
    start: date
    many: int
    newest: datetime
    usage: Usage


@dataclass(frozen=True, slots=True)
class PersonAct:
    """What a maintainer did to a verdict."""

    subject: Subject
    repository: str
    number: int
    at: datetime
    event: Event


@dataclass(frozen=True, slots=True)
class Bounce:
    """The first verdict of those that bounced a subject, and what came next. after: until then."""

    first: VerdictRow
    event: Event
    word: Word
    after: timedelta | None


@dataclass(frozen=True, slots=True)
class CountedShare:
    """hits of total, as a share with Wilson's interval of 95%; both are `None` of nothing."""

    hits: int
    total: int

    @property
    def share(self) -> float | None:
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        return wilson(self.hits, self.total) if self.total else None


class Precision:
    """Of so many that people told of."""

    __slots__ = ()

    right: int
    wrong: int

    @property
    def precision(self) -> CountedShare:
        return CountedShare(self.right, self.right + self.wrong)


@dataclass(frozen=True, slots=True)
class PrecisionRow(Precision):
    """What one rule of one judge did. judged: verdicts. bounced: subjects, each time that they were. right, wrong: of
    those that people were told of. missed: accepted, and people found later that it should not have been.
    observed: bounced where nothing was written, which no person could answer; accepted_later: those of them that were
    accepted later all the same. answer: median time until an act that counts.
    """

    subject: str
    kind: str
    rule: str
    judge: str
    judged: int
    bounced: int
    right: int
    wrong: int
    missed: int
    observed: int
    accepted_later: int
    answer: timedelta | None
    money: float


def bounces_of(decided: Iterable[VerdictRow], acts: Iterable[PersonAct]) -> list[Bounce]:
    """Every bounce with what came of it, oldest first. Verdicts that bounce a subject again before anything else
    happened are the same bounce."""
    events: list[VerdictRow | PersonAct] = [one for one in decided if one.decision is not Decision.UNAVAILABLE]
    events += [act for act in acts if act.event not in MISSED]
    events.sort(key=attrgetter("at"))  # a verdict comes before an act of the same moment
    under_way: dict[tuple[Subject, str, int], VerdictRow] = {}
    found = []
    for event in events:
        key = (event.subject, event.repository, event.number)
        if isinstance(event, PersonAct):
            what = event.event
        elif event.decision is Decision.BOUNCE:
            under_way.setdefault(key, event)
            continue
        else:
            what = Event.PUSHED if event.subject is Subject.PULL else Event.ANSWERED
        if (first := under_way.pop(key, None)) is not None:
            late = event.at - first.at > LATELY
            found.append(_unanswered(first) if late else Bounce(first, what, WORDS[what], event.at - first.at))
    found += map(_unanswered, under_way.values())
    return sorted(found, key=lambda bounce: (bounce.first.at, bounce.first.number))


def _unanswered(first: VerdictRow) -> Bounce:
    return Bounce(first, Event.NOTHING, Word.NONE, None)


def misses_of(decided: Iterable[VerdictRow], acts: Iterable[PersonAct]) -> list[VerdictRow]:
    """The newest verdict before each act that says that a subject should have been bounced, where it accepted it."""
    acts = [act for act in acts if act.event in MISSED]
    wanted = {(act.repository, act.number) for act in acts}
    newest: dict[tuple[str, str, int], list[VerdictRow]] = defaultdict(list)
    for each in decided if wanted else ():
        if (each.repository, each.number) in wanted:
            newest[each.subject, each.repository, each.number].append(each)
    found: dict[tuple[str, str, int], VerdictRow] = {}
    for act in acts:
        before = [one for one in newest[act.subject, act.repository, act.number] if one.at <= act.at]
        last = max(before, key=lambda one: one.at, default=None)
        if last is not None and act.at - last.at <= LATELY and last.decision is Decision.ACCEPT:
            found.setdefault((act.subject, act.repository, act.number), last)
    return list(found.values())


def tallies_of(decided: Iterable[VerdictRow]) -> list[VerdictTally]:
    """The same as it is added up: a verdict alone on its day."""
    return [
        VerdictTally(one.subject, one.kind, one.rule, one.judge, one.decision, one.at.date(), 1, one.at, one.usage)
        for one in decided
    ]


def precision_rows(
    tallies: Iterable[VerdictTally], bounces: Iterable[Bounce], missed: Iterable[VerdictRow] = ()
) -> list[PrecisionRow]:
    """A row for each rule of each judge, then one for all of each subject; the most bounces first."""
    groups: dict[_Key, tuple[list[VerdictTally], list[Bounce]]] = defaultdict(lambda: ([], []))
    passed = Counter(key for one in missed for key in _keys(one))
    for tally in tallies:
        for key in _keys(tally):
            groups[key][0].append(tally)
    for bounce in bounces:
        for key in _keys(bounce.first):
            groups[key][1].append(bounce)
    rows = [_row(key, *group, passed[key]) for key, group in groups.items()]
    order = list(Subject)
    return sorted(
        rows,
        key=lambda row: (
            order.index(Subject(row.subject)),
            row.rule == "all",
            -row.bounced,
            -row.judged,
            (row.rule, row.kind, row.judge),
        ),
    )


_Key = tuple[str, str, str, str]


def _keys(one: VerdictRow | VerdictTally) -> tuple[_Key, _Key]:
    return (one.subject, one.kind, one.rule, one.judge), (one.subject, "all", "all", "all")


def _row(key: _Key, tallies: Sequence[VerdictTally], bounces: Sequence[Bounce], missed: int) -> PrecisionRow:
    told = [bounce for bounce in bounces if bounce.first.mode is not Mode.OBSERVE]
    silent = [bounce for bounce in bounces if bounce.first.mode is Mode.OBSERVE]
    answers = [bounce.after for bounce in told if bounce.word is not Word.NONE and bounce.after is not None]
    return PrecisionRow(
        *key,
        judged=sum(each.many for each in tallies),
        bounced=len(bounces),
        right=sum(bounce.word is Word.RIGHT for bounce in told),
        wrong=sum(bounce.word is Word.WRONG for bounce in told),
        missed=missed,
        observed=len(silent),
        accepted_later=sum(bounce.event in (Event.ANSWERED, Event.PUSHED) for bounce in silent),
        answer=timedelta(seconds=median(each.total_seconds() for each in answers)) if answers else None,
        money=sum(each.usage.money for each in tallies),
    )


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Wilson's interval of a share, 95%."""
    rate = hits / total
    middle = rate + _Z * _Z / (2 * total)
    spread = _Z * sqrt(rate * (1 - rate) / total + _Z * _Z / (4 * total * total))
    return max(0.0, (middle - spread) / (1 + _Z * _Z / total)), min(1.0, (middle + spread) / (1 + _Z * _Z / total))
