"""Reviews of this App's own: comments on lines, found again before they are made."""

from collections.abc import Callable, Sequence

from bot.github.channel import Channel
from bot.github.payloads import to_review
from bot.github.values import LineNote, Review


class ReviewCalls:
    """The part of `RepositoryClient` that concerns this App's reviews."""

    _channel: Channel
    _base: str
    _bot_login: Callable[[], str]

    def find_own_review(self, number: int, marker: str) -> Review | None:
        """The first review by this App that carries the marker, which anybody else may have pasted."""
        listed = self._channel.pages(f"{self._base}/pulls/{number}/reviews")
        found = (to_review(item) for item in listed if marker in (item["body"] or "") and item["commit_id"])
        return next((item for item in found if item.author_is_bot and item.author == self._bot_login()), None)

    def comment_on_lines(self, number: int, head: str, body: str, notes: Sequence[LineNote]) -> Review:
        """A review that neither approves nor rejects: comments on lines of a pull request's commit, all at once.

        Never repeated when it may have been done: after `Unavailable` with `maybe_done` look before trying again.
        Raises `Rejected` when a line is not part of what the pull request shows.
        """
        sent = {"commit_id": head, "body": body, "event": "COMMENT", "comments": [_note(item) for item in notes]}
        return to_review(self._channel.call("POST", f"{self._base}/pulls/{number}/reviews", body=sent).data)


def _note(item: LineNote) -> dict[str, str | int]:
    shape: dict[str, str | int] = {"path": item.path, "body": item.body, "line": item.last, "side": "RIGHT"}
    return shape if item.first == item.last else {**shape, "start_line": item.first, "start_side": "RIGHT"}
