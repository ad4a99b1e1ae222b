"""What Bouncer remembers of each pull request whose rejection it put to the test."""

from dataclasses import dataclass

from bot.github.values import Review
from bot.storage.store import Store, as_json
from bot.storage.tables import reviews


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRecord:
    """review: the newest rejection; `None` when there was none yet. comment_id: Bouncer's one comment, once written.

    question: the one that stands open in that comment, as the workflow wrote it; empty when nothing is asked.
    """

    repo_id: int
    number: int
    installation_id: int
    review: Review | None = None
    comment_id: int | None = None
    question: str = ""


class Reviews(Store[ReviewRecord], table=reviews, kind=ReviewRecord, review=as_json(Review)):
    """One row a pull request. Only the workflow that holds it saves it."""
