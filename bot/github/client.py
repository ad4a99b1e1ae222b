"""Everything Bouncer does in one repository, as plain calls with plain values."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from urllib.parse import quote, urlsplit

from bot.github.channel import Channel
from bot.github.checks import CheckCalls
from bot.github.errors import Forbidden, Gone, NotFound, Rejected
from bot.github.fields import json_object, text
from bot.github.graphql import SECURITY_POLICY, WRITERS, to_writers
from bot.github.payloads import (
    to_comment,
    to_file,
    to_issue,
    to_remark,
    to_repository,
    to_role,
)
from bot.github.pulls import PullCalls
from bot.github.transport import HttpAnswer
from bot.github.values import (
    Absent,
    Comment,
    CommentPlace,
    Directory,
    DirectoryEntry,
    File,
    Issue,
    NotModified,
    NotReadable,
    Remark,
    Repository,
)

MAX_FILE = 1_000_000  # bytes; GitHub sends no more than this inline
MAX_REMARKS = 500
MOST_LISTED = 300  # issues and pull requests, a hundred a call, that are read for the newest issues
_PLACES = {
    CommentPlace.CONVERSATION: "issues/comments",
    CommentPlace.REVIEW: "pulls/{}/reviews",
    CommentPlace.REMARK: "pulls/comments",
}
DEFAULT_LABEL_COLOR = "ededed"  # what GitHub gives a label that is created by naming it on an issue


class RepositoryClient(CheckCalls, PullCalls):
    """Thread-safe and cheap to make. Every method raises `bot.github.errors.GitHubError`."""

    def __init__(self, channel: Channel, repository: Repository, app_id: int, bot_login: Callable[[], str]) -> None:
        self.repository = repository
        self._channel = channel
        self._base = f"/repos/{repository.full_name}"
        self._app_id = app_id
        self._bot_login = bot_login

    # Reading

    def about(self) -> Repository:
        """What GitHub says of it now: its name, its default branch, whether it is private."""
        return to_repository(self._channel.call("GET", self._base).data)

    def is_guarded(self, branch: str) -> bool:
        """Whether it is the default branch, or a protected one: nobody pushes there unasked. At most one call."""
        if branch == self.repository.default_branch:
            return True
        try:
            listed = self._channel.pages(f"{self._base}/branches", parameters={"protected": "true"})
            return any(text(item, "name") == branch for item in islice(listed, MOST_LISTED))
        except (NotFound, Forbidden):
            return False

    def newest_issues(self, most: int) -> tuple[Issue, ...]:
        """Open and closed ones, of the newest issues and pull requests, which GitHub lists together; in a call, or in
        a few where most are pull requests."""
        parameters = {"state": "all", "sort": "created", "direction": "desc"}
        listed = islice(self._channel.pages(f"{self._base}/issues", parameters=parameters), MOST_LISTED)
        issues = (issue for issue in map(to_issue, listed) if not issue.is_pull_request)
        return tuple(islice(issues, most))

    def get_issue(self, number: int) -> Issue:
        """Raises `Gone` when it was deleted, or transferred: GitHub answers with the one in the other repository, whose
        number belongs to something else here."""
        issue = to_issue(self._channel.call("GET", f"{self._base}/issues/{number}").data)
        if issue.number != number or not self._is_here(issue):
            raise Gone(f"issue {number} was transferred", 301)
        return issue

    def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments of an issue, oldest first."""
        return tuple(self._comments(number))

    def find_closed_issues(self, words: tuple[str, ...], most: int = 20) -> tuple[Issue, ...]:
        """Closed issues whose title, text or comments hold all of these words, the best first by GitHub's measure.

        words: of letters, digits and underscores. GitHub answers few searches a minute.
        """
        quoted = " ".join(f'"{word}"' for word in words)
        query = f"repo:{self.repository.full_name} is:issue is:closed {quoted}"
        answer = self._channel.call("GET", "/search/issues", parameters={"q": query, "per_page": most})
        return tuple(map(to_issue, answer.data["items"]))

    def get_comment(self, comment_id: int) -> Comment:
        """Raises `NotFound` when somebody deleted it."""
        return to_comment(self._channel.call("GET", f"{self._base}/issues/comments/{comment_id}").data)

    def html_of(self, comment: Comment, number: int) -> str | None:
        """What GitHub makes of this version of a comment on an issue or a pull request; `None` once somebody changed or
        deleted it. Of a review GitHub does not tell when it was changed."""
        where = f"{self._base}/{_PLACES[comment.place].format(number)}/{comment.id}"
        try:
            shape = self._channel.call("GET", where, headers={"Accept": "application/vnd.github.full+json"}).data
        except NotFound:
            return None
        same = text(shape, "body") == comment.body and text(shape, "updated_at") in ("", comment.updated_at)
        return text(shape, "body_html") if same else None

    def find_own_comment(self, number: int, marker: str) -> Comment | None:
        """The first comment by this App that carries the marker, which anybody else may have pasted."""
        found = (comment for comment in self._comments(number) if marker in comment.body)
        return next((comment for comment in found if self.is_own(comment)), None)

    def is_own(self, comment: Comment) -> bool:
        """Whether this App wrote it, by its id; where an old server tells none, by the bot's name, which is unique."""
        if comment.app_id is not None:
            return comment.author_is_bot and comment.app_id == self._app_id
        return comment.author_is_bot and comment.author == self._bot_login()

    def get_file(
        self, path: str, ref: str | None = None, etag: str | None = None, limit: int = MAX_FILE
    ) -> File | NotModified | Absent | NotReadable:
        """A file at a branch, tag or commit; the default branch unless named.

        etag: of an earlier `File` with the same path and ref; an unchanged file then costs no rate limit.
        limit: the most bytes wanted, at most `MAX_FILE`. A larger file is `NotReadable`, and so is what is no file.
        Raises `NotFound` when the ref does not exist.
        """
        try:
            answer = self._contents(path, etag, {"ref": ref} if ref else None)
        except NotFound as error:
            if "No commit found" in str(error):
                raise
            return Absent()
        if answer.status == 304:
            return NotModified()
        shape = answer.data
        if not isinstance(shape, dict):
            return NotReadable("it is a directory")
        if shape.get("type") != "file":
            return NotReadable("it is a broken link or a submodule")
        if shape["size"] > min(limit, MAX_FILE):
            return NotReadable(f"it is too large ({shape['size']} bytes)")
        return to_file(shape, answer.headers.get("etag", ""))

    def list_directory(self, path: str, etag: str | None = None) -> Directory | NotModified | Absent:
        """What the default branch has there; GitHub lists a thousand entries at most. etag: of an earlier listing."""
        try:
            answer = self._contents(path, etag)
        except NotFound:
            return Absent()
        if answer.status == 304:
            return NotModified()
        if not isinstance(answer.data, list):
            return Absent()
        entries = tuple(DirectoryEntry(each["name"], each["type"], each["sha"], each["size"]) for each in answer.data)
        return Directory(entries, answer.headers.get("etag", ""))

    def remarks(self, number: int, most: int = MAX_REMARKS) -> tuple[Remark, ...]:
        """The line comments of a pull request's reviews and the answers to them, newest first, at most so many; those
        of a whole file or of the old side are left out. GitHub's list for one review tells no lines."""
        path = f"{self._base}/pulls/{number}/comments"
        listed = self._channel.pages(path, parameters={"sort": "created", "direction": "desc"})
        found = islice(listed, most)
        return tuple(to_remark(item) for item in found if item.get("original_line") and item.get("side") != "LEFT")

    def permission(self, login: str) -> str | None:
        """`admin`, `maintain`, `write`, `triage`, `read` or `none`; `None` when GitHub knows no such user."""
        try:
            path = f"{self._base}/collaborators/{quote(login, safe='')}/permission"
            return to_role(self._channel.call("GET", path).data)
        except NotFound:
            return None

    def writers(self, number: int) -> frozenset[str]:
        """The logins of all who wrote, edited or renamed an issue, or moved it here; an empty one is among them where
        GitHub does not name all."""
        try:
            return to_writers(self._query(WRITERS, number=number))
        except (Forbidden, NotFound, Rejected):
            return frozenset({""})

    def security_policy(self) -> str:
        """The address of the file that says how to report a vulnerability; empty where GitHub knows of none."""
        try:
            repository = json_object(self._query(SECURITY_POLICY), "repository")
        except (Forbidden, NotFound, Rejected):  # it is gone, or this GitHub too old
            return ""
        return text(repository, "securityPolicyUrl") if repository.get("isSecurityPolicyEnabled") is True else ""

    # Writing

    def create_comment(self, number: int, body: str) -> Comment:
        """Never repeated when it may have been done: after `Unavailable` with `maybe_done` look before trying again."""
        return to_comment(
            self._channel.call("POST", f"{self._base}/issues/{number}/comments", body={"body": body}).data
        )

    def update_comment(self, comment_id: int, body: str) -> Comment:
        """Raises `NotFound` when somebody deleted it."""
        path = f"{self._base}/issues/comments/{comment_id}"
        return to_comment(self._channel.call("PATCH", path, body={"body": body}).data)

    def reply(self, number: int, remark: int, body: str, standing: Remark | None) -> None:
        """Answer a line comment in its thread, or bring the answer that stands there up to date.

        Never repeated when it may have been done: after `Unavailable` with `maybe_done` look before trying again.
        """
        where = f"{number}/comments/{remark}/replies" if standing is None else f"comments/{standing.id}"
        self._channel.call("POST" if standing is None else "PATCH", f"{self._base}/pulls/{where}", body={"body": body})

    def is_own_remark(self, remark: Remark) -> bool:
        """Whether this App wrote it; of line comments GitHub does not tell the App's number."""
        return remark.author_is_bot and remark.author == self._bot_login()

    def add_label(self, number: int, name: str, *, color: str, description: str) -> None:
        """Put a label on an issue or pull request; having it already is fine. One call, two for a label that is new.

        Naming a label nobody created makes GitHub create it, grey and without description; that one gets `color` (six
        hexadecimal digits) and `description` (at most 100 characters). A label somebody designed is left alone.
        """
        answer = self._channel.call(
            "POST", f"{self._base}/issues/{number}/labels", body={"labels": [name]}, repeatable=True
        )
        label = next((item for item in answer.data if item["name"].lower() == name.lower()), None)
        if label and label["color"] == DEFAULT_LABEL_COLOR and not label["description"]:
            path = f"{self._base}/labels/{quote(name, safe='')}"
            self._channel.call("PATCH", path, body={"color": color, "description": description})

    def remove_label(self, number: int, name: str) -> None:
        """Take a label off an issue or pull request; not having it is fine."""
        try:
            self._channel.call("DELETE", f"{self._base}/issues/{number}/labels/{quote(name, safe='')}")
        except NotFound as error:
            if "Label does not exist" not in str(error):
                raise

    def close_issue(self, number: int, reason: str = "not_planned") -> None:
        """reason: `completed` or `not_planned`."""
        body = {"state": "closed", "state_reason": reason}
        self._channel.call("PATCH", f"{self._base}/issues/{number}", body=body)

    def reopen_issue(self, number: int) -> None:
        """Open a closed issue again; an open one stays so."""
        body = {"state": "open", "state_reason": "reopened"}
        self._channel.call("PATCH", f"{self._base}/issues/{number}", body=body, repeatable=True)

    def has_closed(self, issue: Issue) -> bool:
        """Whether this App closed it, the last time that it was closed."""
        return issue.state == "closed" and issue.closed_by == self._bot_login()

    def react(self, comment_id: int, content: str) -> None:
        """Put a reaction on a comment, e.g. `+1` or `eyes`; having it already is fine."""
        path = f"{self._base}/issues/comments/{comment_id}/reactions"
        self._channel.call("POST", path, body={"content": content}, repeatable=True)

    def _is_here(self, issue: Issue) -> bool:
        """By its address, in which this repository may have another name by now."""
        where = urlsplit(issue.html_url).path.lower()
        if not where or where.startswith(f"/{self.repository.full_name.lower()}/"):
            return True
        return where.startswith(f"/{self.about().full_name.lower()}/")

    def _contents(self, path: str, etag: str | None, parameters: Mapping[str, str] | None = None) -> HttpAnswer:
        headers = {"If-None-Match": etag} if etag else None
        where = f"{self._base}/contents/{quote(path)}"
        return self._channel.call("GET", where, parameters=parameters, headers=headers)

    def _comments(self, number: int) -> Iterator[Comment]:
        """Page by page, so that whoever has found what it looks for asks no further."""
        return (to_comment(item) for item in self._channel.pages(f"{self._base}/issues/{number}/comments"))
