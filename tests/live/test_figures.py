"""Weeks and months of a dashboard: every one is there, and together they come to what the rows say."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bot.live.figures import figures_of, periods_of
from bot.live.precision import Event, PersonAct, Subject, VerdictRow, bounces_of, tallies_of
from bot.policy_choices import Mode
from bot.verdicts import Decision, Usage

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
