"""A reviewer that says what was written down."""

from bot.judges.code import CodeReview, Opinion
from bot.judges.protocol import NoJudgement
from bot.judges.recorded import RecordedReviewer


def test_reviews_come_in_order_and_end() -> None:
    no, yes = CodeReview(Opinion.NO, "recorded", fix="x = 1"), CodeReview(Opinion.YES, "recorded")
    reviewer = RecordedReviewer([no, yes])
    assert [reviewer.review("", "", ()) for _ in range(2)] == [no, yes]
    assert isinstance(reviewer.review("", "", ()), NoJudgement)
