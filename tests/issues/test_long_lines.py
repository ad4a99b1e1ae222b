"""A line of any length is read in pieces; the pieces say no more than the line."""

import pytest

from bot.issues.parse import parse
from bot.judges.offline import OfflineJudge
from bot.judges.protocol import Judgement
from bot.reports import IssueText


@pytest.mark.parametrize("times", [1, 40, 1000, 3600])
def test_saying_nothing_often_says_nothing(times: int) -> None:
    report = parse(IssueText("It does not work", "it does not work " * times))
    judged = OfflineJudge().judge(report)
    assert report.features["specific_words"] == 0
    assert isinstance(judged, Judgement)
    assert judged.probability > 0.9
