"""Everything Bouncer does in one repository, as plain calls with plain values."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any
from urllib.parse import quote

from bot.github.answers import (
    Shape,
    to_check_run,
    to_comment,
    to_file,
    to_issue,
    to_pull,
    to_remark,
    to_repository,
    to_role,
)
from bot.github.channel import Channel
from bot.github.errors import Gone, NotFound, NotInstalled
from bot.github.values import (
    Absent,
    Annotation,
    Check,
    CheckRun,
    Comment,
    File,
    Issue,
    NotModified,
    NotReadable,
    Pull,
    Remark,
    Repository,
)

MAX_FILE = 1_000_000  # bytes; GitHub sends no more than this inline
MAX_CHECK_TEXT = 65_535
MAX_REMARKS = 500
MAX_ANNOTATIONS = 50  # in one call
CUT = "\n\n(The rest does not fit here.)"
DEFAULT_LABEL_COLOR = "ededed"  # what GitHub gives a label that is created by naming it on an issue


class RepositoryClient:
    """Thread-safe and cheap to make. Every method raises `bot.github.errors.GitHubError`."""

    def __init__(self, channel: Channel, repository: Repository, app_id: int, bot_login: Callable[[], str]) -> None:
        self.repository = repository
        self._channel = channel
        self._base = f"/repos/{repository.full_name}"
        self._app_id = app_id
        self._bot_login = bot_login

    # Reading

    def default_branch(self) -> str:
        """Asked anew; the name a delivery carries may be old."""
        return to_repository(self._channel.call("GET", self._base).data).default_branch

    def get_issue(self, number: int) -> Issue:
        """Raises `Gone` when it was deleted, or transferred to another repository, where its number is another."""
        issue = to_issue(self._channel.call("GET", f"{self._base}/issues/{number}").data)
        if issue.number != number:
            raise Gone(f"issue {number} was transferred", 301)
        return issue

    def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments of an issue, oldest first."""
        return tuple(self._comments(number))

    def get_comment(self, comment_id: int) -> Comment:
        """Raises `NotFound` when somebody deleted it."""
        return to_comment(self._channel.call("GET", f"{self._base}/issues/comments/{comment_id}").data)

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
        headers = {"If-None-Match": etag} if etag else None
        parameters = {"ref": ref} if ref else None
        try:
            answer = self._channel.call(
                "GET", f"{self._base}/contents/{quote(path)}", parameters=parameters, headers=headers
            )
        except NotFound as error:
            if isinstance(error, NotInstalled) or "No commit found" in str(error):
                raise
            return Absent()
        if answer.status == 304:
            return NotModified()
        shape = answer.data
        if not isinstance(shape, dict):
            return NotReadable("it is a directory")
        if shape.get("type") != "file":
            return NotReadable("it is a link to nowhere or a submodule")
        if shape["size"] > min(limit, MAX_FILE):
            return NotReadable(f"it is too large ({shape['size']} bytes)")
        return to_file(shape, answer.headers.get("etag", ""))

    def get_pull(self, number: int) -> Pull:
        return to_pull(self._channel.call("GET", f"{self._base}/pulls/{number}").data)

    def merge_base(self, base: str, head: str) -> str:
        """The newest commit that both have: where a pull request's branch left its base, which may have moved on."""
        path = f"{self._base}/compare/{base}...{head}"
        answer = self._channel.call("GET", path, parameters={"per_page": 1})
        return str(answer.data["merge_base_commit"]["sha"])

    def remarks(self, number: int, review_id: int) -> tuple[Remark, ...]:
        """The line comments of one review, newest first; those of a whole file or of the old side are left out.

        GitHub's list for one review tells no lines, so all of the pull request are read, at most `MAX_REMARKS`.
        """
        path = f"{self._base}/pulls/{number}/comments"
        listed = self._channel.pages(path, parameters={"sort": "created", "direction": "desc"})
        found = islice(listed, MAX_REMARKS)
        own = (item for item in found if item.get("pull_request_review_id") == review_id)
        return tuple(to_remark(item) for item in own if item.get("original_line") and item.get("side") != "LEFT")

    def permission(self, login: str) -> str | None:
        """`admin`, `maintain`, `write`, `triage`, `read` or `none`; `None` when GitHub knows no such user."""
        try:
            path = f"{self._base}/collaborators/{quote(login, safe='')}/permission"
            return to_role(self._channel.call("GET", path).data)
        except NotInstalled:
            raise
        except NotFound:
            return None

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

    def add_label(self, number: int, name: str, *, color: str, description: str) -> None:
        """Put a label on an issue; having it already is fine. One call, two when the label did not exist.

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
        """Take a label off an issue; not having it is fine."""
        try:
            self._channel.call("DELETE", f"{self._base}/issues/{number}/labels/{quote(name, safe='')}")
        except NotFound as error:
            if "Label does not exist" not in str(error):
                raise

    def close_issue(self, number: int, reason: str = "not_planned") -> None:
        """reason: `completed` or `not_planned`."""
        body = {"state": "closed", "state_reason": reason}
        self._channel.call("PATCH", f"{self._base}/issues/{number}", body=body)

    def react(self, comment_id: int, content: str) -> None:
        """Put a reaction on a comment, e.g. `+1` or `eyes`; having it already is fine."""
        path = f"{self._base}/issues/comments/{comment_id}/reactions"
        self._channel.call("POST", path, body={"content": content}, repeatable=True)

    def put_check(self, check: Check) -> CheckRun:
        """Create the check run, or bring the one with the same `external_id` up to date.

        GitHub only ever adds annotations to a run. So those it already counts are not sent again, which makes a
        repeated call whole; different annotations need another `external_id`.
        """
        old = self._find_check(check)
        batches = _batches(check.annotations[old["output"]["annotations_count"] if old else 0 :])
        if old is None:
            sent = {**_check_body(check, batches.pop(0)), "head_sha": check.head_sha}
            run = self._channel.call("POST", f"{self._base}/check-runs", body=sent).data
        else:
            run = old
        for batch in batches:
            path = f"{self._base}/check-runs/{run['id']}"
            run = self._channel.call("PATCH", path, body=_check_body(check, batch)).data
        return to_check_run(run)

    def _comments(self, number: int) -> Iterator[Comment]:
        """Page by page, so that whoever has found what it looks for asks no further."""
        return (to_comment(item) for item in self._channel.pages(f"{self._base}/issues/{number}/comments"))

    def _find_check(self, check: Check) -> Shape | None:
        runs = self._channel.pages(
            f"{self._base}/commits/{check.head_sha}/check-runs",
            parameters={"check_name": check.name, "filter": "all"},
            key="check_runs",
        )
        own = (run for run in runs if run["app"] and run["app"]["id"] == self._app_id)
        return next((run for run in own if run["external_id"] == check.external_id), None)


def _batches(annotations: tuple[Annotation, ...]) -> list[tuple[Annotation, ...]]:
    """At least one, perhaps empty: the check run itself has to be written too."""
    starts = range(0, len(annotations) or 1, MAX_ANNOTATIONS)
    return [annotations[start : start + MAX_ANNOTATIONS] for start in starts]


def _check_body(check: Check, annotations: tuple[Annotation, ...]) -> dict[str, Any]:
    output: dict[str, Any] = {"title": check.title, "summary": cut(check.summary)}
    if check.text:
        output["text"] = cut(check.text)
    if annotations:
        output["annotations"] = [_annotation(item) for item in annotations]
    body = {"name": check.name, "external_id": check.external_id, "status": check.status, "output": output}
    if check.conclusion:
        body["conclusion"] = check.conclusion
    if check.details_url:
        body["details_url"] = check.details_url
    return body


def _annotation(item: Annotation) -> dict[str, Any]:
    lines = {"start_line": item.start_line, "end_line": item.end_line}
    if item.start_line == item.end_line and item.start_column is not None:
        lines |= {"start_column": item.start_column, "end_column": item.end_column or item.start_column}
    shape = {"path": item.path, **lines, "annotation_level": item.level, "message": item.message}
    return {**shape, "title": item.title} if item.title else shape


def cut(text: str, limit: int = MAX_CHECK_TEXT) -> str:
    """At most `limit` bytes of UTF-8, so also characters whichever way GitHub counts; whole characters only."""
    raw = text.encode()
    if len(raw) <= limit:
        return text
    return raw[: limit - len(CUT)].decode(errors="ignore") + CUT
