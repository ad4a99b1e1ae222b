"""A reviewer that says what was written down beforehand: for demonstrations and benchmarks without a model."""

from collections.abc import Iterable

from bot.judges.code import CodeReview
from bot.judges.protocol import NoJudgement


class RecordedReviewer:
    """Gives its reviews in order, whatever it is asked; then it is `Unavailable`."""

    name = "recorded"

    def __init__(self, reviews: Iterable[CodeReview]) -> None:
        self._reviews = iter(tuple(reviews))

    def review(self, specification: str, source: str, failed_tests: tuple[str, ...]) -> CodeReview | NoJudgement:
        return next(self._reviews, None) or NoJudgement(self.name, "Nothing more was recorded.", False)
