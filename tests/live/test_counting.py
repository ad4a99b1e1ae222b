"""What a dashboard counts in the database is what counting verdicts one by one comes to, each week and month of it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from random import Random

import pytest

from bot.live.figures import Figures, Period, figures_of, periods_of, starts
from bot.live.precision import Bounce, Event, PersonAct, Subject, VerdictRow, VerdictTally, Word, bounces_of, tallies_of
from bot.live.verdicts import read_verdicts
from bot.policy_choices import Mode
from bot.storage.database import Database
from bot.storage.endings import EndingRecord, Endings, EndingSort
from bot.storage.judgements import Judgements
from bot.storage.ledger import Act, Disagreement, Disagreements, Entry, Ledger
from bot.storage.overrides import Override, Overrides
from bot.storage.retention import Retention
from bot.verdicts import Decision, IssueKind, SpecificationLabel, Usage, Verdict
from tests.webhooks.judged import heard_of, judged, judgement
from webhooks import figures as figures_module
from webhooks.figures import FiguresCache

NOW = datetime(2026, 5, 20, 15, tzinfo=UTC)
MIDNIGHTS = [datetime.combine(NOW - timedelta(days=days), time(), UTC) for days in (30, 90, 365)]
ISSUES, PULLS = range(1, 13), range(13, 53)
REPO, OTHER = 7, 8


class Past:
    """What happened to a few subjects of two repositories, so that much of it hangs together. Those with an even number
    are never bounced."""

    def __init__(self, database: Database, seed: int) -> None:
        self._database, self._random, self._made = database, Random(seed), 0
        for repo in (REPO, OTHER):
            heard_of(database, f"tea-house/kettle-{repo}", repo)

    def goes_on(self, many: int) -> None:
        for _ in range(many):
            self._made += 1
            acts = (self._word, self._ending, self._taken_back)
            happened = self._random.choice((*acts, self._verdict, self._verdict, self._verdict))
            happened(f"{self._made}", self._random.choice((REPO, REPO, OTHER)), self._moment())

    def _moment(self) -> datetime:
        """Some of them the same; and midnight, where days and figures begin."""
        days = self._random.choice((3, 20, 40, 100, 150, 400))
        at = NOW - timedelta(hours=self._random.randrange(24 * days))
        return self._random.choice((at, at, at.replace(hour=0), self._random.choice(MIDNIGHTS)))

    def _verdict(self, name: str, repo: int, at: datetime, number: int = 0) -> None:
        some = self._random
        number = number or some.choice((*ISSUES, *PULLS))
        subject = Subject.ISSUE if number in ISSUES else some.choice((Subject.PULL, Subject.PULL, Subject.REVIEW))
        of_issue = subject is Subject.ISSUE
        verdict = Verdict(
            some.choice((*Decision, Decision.BOUNCE) if number % 2 else (Decision.ACCEPT, Decision.UNAVAILABLE)),
            some.choice([*SpecificationLabel]) if of_issue else None,
            0.9,
            some.choice(("offline/1", "gpt-4.1 with issue/3", "")),
            some.choice([*IssueKind]) if of_issue else None,
            ("Something is missing.",),
            ground=some.choice(("steps", "regression")),
        )
        usage = some.choice((Usage(), Usage(2, 1000, 100, 0.25)))
        mode = some.choice((Mode.ADVISE, Mode.ENFORCE, Mode.OBSERVE))
        entry = Entry(
            workflow_id=f"run:{name}", repo_id=repo, number=number, author="somebody", at=at, seq=self._made,
            mode=mode, verdict=verdict, usage=usage, subject=subject,
        )  # fmt: skip
        Ledger(self._database).add(entry)
        if subject is Subject.PULL:
            Judgements(self._database).keep(replace(judgement(judged(), entry.workflow_id, number), repo_id=repo))

    def _word(self, name: str, repo: int, at: datetime) -> None:
        if self._random.random() < 0.5:
            told = Disagreement(
                workflow_id=name, repo_id=repo, number=self._random.choice(ISSUES), who="m", at=at,
                act=self._random.choice([*Act]), verdict=None,
            )  # fmt: skip
            return Disagreements(self._database).add(told)
        beaten = Verdict(self._random.choice([*Decision]), None, None, "", None)
        override = Override(
            id=name, repo_id=repo, number=self._random.choice(PULLS), head="a" * 40, who="m", permission="maintain",
            reason="", at=at, verdict=self._random.choice((beaten, None)), ended_at=self._random.choice((None, NOW)),
            carried_from=self._random.choice(("", "", "b" * 40)),
        )  # fmt: skip
        return Overrides(self._database).add(override)

    def _ending(self, name: str, repo: int, at: datetime) -> None:
        sort = self._random.choice([*EndingSort])
        of_issue = sort in (EndingSort.DONE, EndingSort.NOT_PLANNED, EndingSort.REOPENED)
        number = self._random.choice(ISSUES if of_issue else PULLS)
        closes = tuple(self._random.sample(ISSUES, self._random.choice((0, 2)))) if sort is EndingSort.MERGED else ()
        by = self._random.random() < 0.7
        Endings(self._database).add(EndingRecord(name, repo, number, sort, "m", by, at, closes))

    def _taken_back(self, name: str, repo: int, at: datetime) -> None:
        """A pull request that was judged and merged; then it was reverted, or its issue opened again."""
        number, issue = 1000 + 2 * self._made, 2000 + 2 * self._made
        self._verdict(name, repo, at, number)
        back = self._random.choice(((EndingSort.REVERTED, number), (EndingSort.REOPENED, issue)))
        for place, (sort, whose) in enumerate(((EndingSort.MERGED, number), back)):
            closes = (issue,) if sort is EndingSort.MERGED else ()
            ending = EndingRecord(f"{name} {sort}", repo, whose, sort, "m", True, at + timedelta(hours=place), closes)
            Endings(self._database).add(ending)


def counted_alone(database: Database, since: datetime) -> tuple[Figures, list[Bounce], list[VerdictTally]]:
    """The whole ledger, verdict by verdict, as `bouncer report --repo` does."""
    decided, acts = read_verdicts(database, since)
    here = f"tea-house/kettle-{REPO}"
    its: list[VerdictRow] = [each for each in decided if each.repository == here]
    tallies = tallies_of(its)
    figures = figures_of(tallies, its, [act for act in acts if act.repository == here])
    return figures, list(figures.bounces), tallies


def held_together(database: Database, directory: Path) -> int:
    """Every figure, of each time and door. Returns how many bounces people had a word about."""
    told = 0
    for since in MIDNIGHTS:
        found = FiguresCache(database, directory).of(REPO, since, NOW)
        figures, bounces, tallies = counted_alone(database, since)
        assert rounded(found.figures) == rounded(replace(figures, bounces=()))
        for door in (None, *Subject):
            its = [each for each in bounces if door in (None, each.first.subject)]
            wanted = periods_of([one for one in tallies if door in (None, one.subject)], its, since, NOW)
            assert cents(found.periods[door]) == cents(wanted)
            assert [each.start for each in wanted] == starts(since, NOW)
            with_word = sum(each.word is not Word.NONE for each in its)
            assert found.standing[door] == (with_word, len(its))
            told += with_word
    return told


def rounded(figures: Figures) -> Figures:
    """Without what adding in another order makes of a float."""
    rows = tuple(replace(row, money=round(row.money, 6)) for row in figures.rows)
    return replace(figures, rows=rows)


def cents(periods: Sequence[Period]) -> list[Period]:
    return [replace(each, money=round(each.money, 6)) for each in periods]


@pytest.mark.parametrize("seed", range(2))
def test_the_figures_are_those_of_counting_one_by_one(
    database: Database, seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(figures_module, "SECONDS_AT_ONCE", 600.0)  # nothing is kept
    past = Past(database, seed)
    assert held_together(database, tmp_path) == 0
    past.goes_on(240)
    assert held_together(database, tmp_path) > 10
    past.goes_on(60)  # what was decided changes what earlier verdicts were worth
    held_together(database, tmp_path)
    Retention(database).remove_records(NOW - timedelta(days=35, hours=5))
    held_together(database, tmp_path)


START = datetime(2026, 1, 7, tzinfo=UTC)  # a Wednesday
ONE = VerdictRow(
    Subject.ISSUE, "tea/pot", 1, START, Mode.ADVISE, Decision.BOUNCE, "bug", "steps", "offline/1", Usage(money=0.5)
)
CLEAR = replace(ONE, number=2, decision=Decision.ACCEPT, at=START + timedelta(days=8))
OPEN = replace(ONE, number=3, decision=Decision.UNAVAILABLE, at=START + timedelta(days=9))
SILENT = replace(ONE, number=4, mode=Mode.OBSERVE)
OFF = PersonAct(Subject.ISSUE, "tea/pot", 1, START + timedelta(hours=1), Event.LABEL_REMOVED)


def test_every_verdict_stands_in_its_week() -> None:
    decided, acts = [ONE, SILENT, CLEAR, OPEN], [OFF, replace(OFF, number=4)]
    tallies = tallies_of(decided)
    figures = figures_of(tallies, decided, acts)
    periods = periods_of(tallies, figures.bounces, START, START + timedelta(days=20))
    assert [each.start for each in periods] == [date(2026, 1, day) for day in (5, 12, 19, 26)]
    first, second, *later = periods
    assert (first.judged, first.held, first.passes, first.bounced, first.money) == (2, 2, 0, 2, 1.0)
    assert (first.right, first.wrong, first.precision.share) == (0, 1, 0.0)  # nobody was told of the silent one
    assert (second.judged, second.passes, second.undecided, second.precision.share) == (2, 1, 1, None)
    assert all(each.judged == 0 and each.precision.interval is None for each in later)
    (row,) = (row for row in figures.rows if row.rule == "all")
    assert (row.right, row.wrong) == (sum(each.right for each in periods), sum(each.wrong for each in periods))


def test_what_is_bounced_again_before_anything_else_happens_is_bounced_once() -> None:
    hour = timedelta(hours=1)
    again, undecided = replace(ONE, at=START + hour), replace(OPEN, number=1, at=START + 2 * hour)
    clear, after = replace(CLEAR, number=1, at=START + 4 * hour), replace(ONE, at=START + 5 * hour)
    off = replace(OFF, at=START + 3 * hour)
    pull = replace(ONE, subject=Subject.PULL)
    bounces = bounces_of([after, clear, undecided, again, ONE, pull], [off])
    assert [(each.first, each.event, each.after) for each in bounces] == [
        (ONE, Event.LABEL_REMOVED, 3 * hour),
        (pull, Event.NOTHING, None),
        (after, Event.NOTHING, None),
    ]


@pytest.mark.parametrize(
    ("days", "starts"),
    [
        (0, [date(2026, 1, 5)]),
        (105, 16),
        (106, [date(2026, month, 1) for month in (1, 2, 3, 4)]),
        (365, [*(date(2026, month, 1) for month in range(1, 13)), date(2027, 1, 1)]),
    ],
)
def test_a_long_time_is_shown_by_months(days: int, starts: list[date] | int) -> None:
    found = [each.start for each in periods_of([], [], START, START + timedelta(days=days))]
    assert found == starts if isinstance(starts, list) else len(found) == starts


def test_what_is_older_than_the_time_is_left_out() -> None:
    (period,) = periods_of(tallies_of([replace(ONE, at=START - timedelta(days=30))]), [], START, START)
    assert period.judged == 0
