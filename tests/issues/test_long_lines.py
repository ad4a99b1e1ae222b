"""A line of any length is read in pieces; the pieces say no more than the line."""

import time
from collections.abc import Callable

import pytest

from bot.already_fixed.project import UNKNOWN
from bot.already_fixed.reading import python
from bot.already_fixed.reading.extract import extract
from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge
from bot.judges.protocol import Judgement
from bot.reports import IssueText


@pytest.mark.parametrize("times", [1, 40, 1000, 3600])
def test_saying_nothing_often_says_nothing(times: int) -> None:
    report = parse(IssueText("It does not work", "it does not work " * times))
    judged = OfflineJudge().judge(report)
    assert report.features["specific_words"] == 0
    assert isinstance(judged, Judgement)
    assert judged.probability > 0.9


@pytest.mark.parametrize("blank", ["\n", " \n", "\r\n", "\t\n\n"])
@pytest.mark.parametrize(
    "read",
    [
        lambda text: parse(IssueText("It fails", text)),
        lambda text: extract("It fails", text, UNKNOWN),
        lambda text: python.readable(f"half(1)\n{text}print 1"),
    ],
    ids=["an issue", "a report", "an example"],
)
def test_line_breaks_cost_what_they_are_long(read: Callable[[str], object], blank: str) -> None:
    def work(times: int) -> float:
        began = time.thread_time()
        read("It is\nwrong." + blank * times + "x")
        return time.thread_time() - began

    assert any((long := work(16_000)) < 0.05 or long < 10 * work(4_000) for _ in range(3))
