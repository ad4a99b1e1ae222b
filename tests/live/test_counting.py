"""What a dashboard counts in the database is what counting every verdict one by one comes to."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from random import Random

import pytest

from bot.live.figures import Figures, Period, figures_of, periods_of, starts
from bot.live.precision import Bounce, Subject, VerdictRow, VerdictTally, Word, tallies_of
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
