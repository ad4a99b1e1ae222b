"""What pull requests propose, who may decide about them, this App's reviews of them, and which of them the merge queue
holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any
from urllib.parse import quote

from bot.github.channel import Channel
from bot.github.deliveries import QUEUED_PULL, MergeGroup
from bot.github.downloads import download
from bot.github.errors import Forbidden, NotFound, Rejected
from bot.github.graphql import BACKGROUND, CLOSING, to_background, to_open_pulls
from bot.github.payloads import to_comparison, to_pull, to_pull_commit, to_review
from bot.github.values import Background, Comparison, LineNote, OpenPull, Pull, PullCommit, Repository, Review

MAX_COMMITS = 250  # GitHub lists no more of one pull request
_HEADS, _QUEUE = "refs/heads/", "gh-readonly-queue"  # where GitHub keeps the groups, and nobody else may write
_DIFF = {"Accept": "application/vnd.github.diff"}


class PullCalls:
    """The part of `RepositoryClient` that concerns pull requests."""

    repository: Repository
    _channel: Channel
    _base: str
    _bot_login: Callable[[], str]

    def get_pull(self, number: int) -> Pull:
        """As it is now, labels and head included."""
        return to_pull(self._channel.call("GET", f"{self._base}/pulls/{number}").data)

    def commits(self, number: int) -> tuple[PullCommit, ...]:
        """The commits of a pull request, oldest first, at most `MAX_COMMITS`."""
        listed = self._channel.pages(f"{self._base}/pulls/{number}/commits")
        return tuple(to_pull_commit(item) for item in islice(listed, MAX_COMMITS))

    def background(self, number: int) -> Background:
        """Its commits and the issues GitHub itself links to it, at most 20, perhaps of other repositories; those this
        installation may not see are left out. One call, more only beyond a hundred commits.

        An old GitHub that does not know of such links gives none. Raises `NotFound` when there is no such pull request.
        """
        try:
            found, whole = to_background(self._query(BACKGROUND, number=number))
        except Rejected as error:
            if error.status != 422:
                raise
            found, whole = Background(), False
        return found if whole else replace(found, commits=self.commits(number))

    def pulls_that_close(self, issue: int) -> tuple[OpenPull, ...]:
        """The open pull requests here whose merge would close an issue, at most 50; none where this GitHub is too old
        to tell, or there is no such issue. One call."""
        try:
            return to_open_pulls(self._query(CLOSING, number=issue))
        except (Forbidden, NotFound, Rejected):
            return ()

    def artifact(self, number: int, most: int, within: float) -> bytes:
        """The zip archive of an artifact of this repository's workflow runs, at most `most` bytes in `within`
        seconds.

        Raises `Forbidden` without the permission `actions: read`, which Bouncer does not ask for by itself.
        """
        return download(self._channel.location(f"{self._base}/actions/artifacts/{number}/zip"), most, within)

    def merge_base(self, base: str, head: str) -> str:
        """The newest commit that both have: where a pull request's branch left its base, which may have moved on."""
        path = f"{self._base}/compare/{base}...{head}"
        answer = self._channel.call("GET", path, parameters={"per_page": 1})
        return str(answer.data["merge_base_commit"]["sha"])

    def compare(self, base: str, head: str) -> Comparison:
        """What `head` has that `base` lacks. Raises `NotFound` for a commit that is not there any more."""
        path = f"{self._base}/compare/{base}...{head}"
        return to_comparison(self._channel.call("GET", path, parameters={"per_page": 1}).data)

    def difference(self, base: str, head: str) -> str:
        """What `head` has that `base` lacks, as `git diff` prints it. Raises `NotFound`, or `Rejected` when it is too
        large for GitHub to show."""
        return str(self._channel.call("GET", f"{self._base}/compare/{base}...{head}", headers=_DIFF).data)

    def in_team(self, team: str, login: str) -> bool | None:
        """Whether somebody is an active member of a team of the organisation that owns the repository.

        team: its slug. `None`: GitHub does not let this installation know, which is no yes. A team that is not there
        has no members.
        """
        owner = self.repository.full_name.partition("/")[0]
        path = f"/orgs/{owner}/teams/{quote(team, safe='')}/memberships/{quote(login, safe='')}"
        try:
            return bool(self._channel.call("GET", path).data["state"] == "active")
        except NotFound:
            return False
        except Forbidden:
            return None

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

    def merge_groups(self, branch: str) -> tuple[MergeGroup, ...]:
        """The groups that are in the queue for a branch now, as the names of their own branches tell."""
        path = f"{self._base}/git/matching-refs/heads/{_QUEUE}/{quote(branch)}/pr-"
        found = []
        for item in self._channel.call("GET", path).data:
            if named := QUEUED_PULL.fullmatch(item["ref"].removeprefix(f"{_HEADS}{_QUEUE}/{branch}")):
                found.append(MergeGroup(item["object"]["sha"], named[2], branch, int(named[1])))
        return tuple(found)

    def _query(self, query: str, **more: int) -> Mapping[str, Any]:
        """What GraphQL says of this repository."""
        owner, name = self.repository.full_name.split("/")
        found: Mapping[str, Any] = self._channel.query(query, {"owner": owner, "name": name, **more})
        return found


def _note(item: LineNote) -> dict[str, str | int]:
    shape: dict[str, str | int] = {"path": item.path, "body": item.body, "line": item.last, "side": "RIGHT"}
    return shape if item.first == item.last else {**shape, "start_line": item.first, "start_side": "RIGHT"}
