"""What Bouncer reads from GitHub, as frozen plain values. Fields hold exactly what GitHub sent; texts are untrusted."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Repository:
    """id is stable across renames and transfers; full_name is `owner/name`. private: unless GitHub said otherwise."""

    id: int
    full_name: str
    default_branch: str = "main"
    private: bool = True


@dataclass(frozen=True, slots=True)
class Issue:
    """association is GitHub's `author_association` in lower case; times are ISO 8601 UTC as GitHub writes them.
    type: the name of its issue type, where the organisation has such. app_id: the App that wrote it for its author, if
    any. state_reason: `completed`, `not_planned`, `duplicate` or `reopened`, where GitHub says so. closed_by: a login;
    deliveries do not tell it."""

    number: int
    title: str
    body: str
    author: str
    author_is_bot: bool
    association: str
    state: str
    locked: bool
    labels: tuple[str, ...]
    comments: int
    created_at: str
    updated_at: str
    html_url: str
    is_pull_request: bool = False
    type: str = ""
    app_id: int | None = None
    state_reason: str = ""
    closed_at: str = ""
    closed_by: str = ""


class CommentPlace(StrEnum):
    """Where people write: below an issue or a pull request, in a review, or beside a line."""

    CONVERSATION = "comment"
    REVIEW = "review"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class Comment:
    """app_id is the App that wrote it (`performed_via_github_app.id`), if any; GitHub tells none of reviews. against:
    how many put a thumbs down or a confused face below it, as far as GitHub said. place: what it stands in. commit:
    that a review, or a remark of one, was made of."""

    id: int
    author: str
    author_is_bot: bool
    association: str
    body: str
    created_at: str
    updated_at: str
    html_url: str
    app_id: int | None = None
    against: int = 0
    place: CommentPlace = CommentPlace.CONVERSATION
    commit: str = ""

    @property
    def name(self) -> str:
        """Names this version of it."""
        return f"{self.place} {self.id} of {self.updated_at}"


@dataclass(frozen=True, slots=True)
class PullCommit:
    """A commit of a pull request. The author's name and address are what the commit says: anybody can write any."""

    sha: str
    author_name: str
    author_email: str
    message: str


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request. author: the login of whoever opened it, which GitHub vouches for. head, base: full SHAs;
    head_repository: where the head lies, another one for a fork. head_branch: its name there, without the owner.
    head_repository is empty once the fork is deleted. created_at, updated_at: as an issue's. commits: oldest first,
    perhaps not all of them; none where nobody asked for them."""

    number: int = 0
    title: str = ""
    body: str = ""
    author: str = ""
    author_is_bot: bool = False
    head: str = ""
    head_repository: str = ""
    base: str = ""
    base_branch: str = ""
    state: str = "open"
    draft: bool = False
    html_url: str = ""
    head_branch: str = ""
    labels: tuple[str, ...] = ()
    merged: bool = False
    updated_at: str = ""
    created_at: str = ""
    commits: tuple[PullCommit, ...] = ()


@dataclass(frozen=True, slots=True)
class ForcedPush:
    """before, after: what a pull request stood on, SHAs; empty for a commit that is gone. at: by GitHub's clock."""

    before: str
    after: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a commit has that another lacks.

    status: `identical`, `ahead` (it only adds to the other), `behind` or `diverged`. files: how many GitHub lists, from
    `merge_base` on. complete: whether that is all of them; it lists at most 300.
    """

    status: str
    merge_base: str
    files: int
    complete: bool


@dataclass(frozen=True, slots=True)
class OpenPull:
    """An open pull request that would close an issue of its own repository, and is no draft. author: the login as REST
    writes it. head: a full SHA."""

    number: int
    author: str
    head: str
    base_branch: str


@dataclass(frozen=True, slots=True)
class LinkedIssue:
    """An issue that a pull request names, or that GitHub links to it. Its texts come from strangers.

    author: the login as REST writes it, `[bot]` included; editors: the same of whoever edited its text, as far as that
    is known. place: its repository as GitHub spells it, `owner/name`; empty for the pull request's own. guess: told
    from the branch's name alone.
    """

    number: int
    title: str = ""
    body: str = ""
    author: str = ""
    labels: tuple[str, ...] = ()
    open: bool = True
    place: str = ""
    guess: bool = False
    editors: tuple[str, ...] = ()
    private: bool = True


@dataclass(frozen=True, slots=True)
class Background:
    """What there is about a pull request beside itself. issues: in GitHub's order. commits: oldest first. head: the
    commit it was on by then; empty where GitHub did not say."""

    issues: tuple[LinkedIssue, ...] = ()
    commits: tuple[PullCommit, ...] = ()
    head: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """A submitted review. commit: the SHA it was made of. state: `approved`, `changes_requested` or `commented`."""

    id: int
    author: str
    author_is_bot: bool
    state: str
    body: str
    commit: str
    html_url: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A line comment of a review, on lines `start_line` to `line` of `path` at `commit`, on its new side.

    review: its number. reply_to: the number of the line comment that it answers, 0 for none.
    """

    id: int
    path: str
    start_line: int
    line: int
    commit: str
    body: str
    author: str = ""
    author_is_bot: bool = False
    review: int = 0
    reply_to: int = 0


@dataclass(frozen=True, slots=True)
class LineNote:
    """What a review is to say about the lines `first` to `last` of a file, on the new side. body: Markdown."""

    path: str
    first: int
    last: int
    body: str


@dataclass(frozen=True, slots=True)
class Commits:
    """The part of a push or pull request the policy check needs.

    head, base: full SHAs (base may be all zeros for a new branch).
    branch: the branch pushed to; empty for a pull request.
    touches_policy: whether the payload says the policy file changed; `None` when the payload cannot tell.
    number: the pull request's number, if it is one.
    """

    head: str
    base: str
    branch: str
    touches_policy: bool | None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A file at one ref. etag: for the next conditional read; empty when GitHub gave none."""

    path: str
    sha: str
    content: bytes
    etag: str = ""


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """One entry of a directory. sort: `file`, `dir`, `symlink` or `submodule`. sha: changes with whatever is in it."""

    name: str
    sort: str
    sha: str
    size: int


@dataclass(frozen=True, slots=True)
class Directory:
    """What is directly in it. etag: for asking again, free while nothing changed."""

    entries: tuple[DirectoryEntry, ...]
    etag: str


@dataclass(frozen=True, slots=True)
class NotModified:
    """The file is still what the given ETag stood for."""


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no such file."""


@dataclass(frozen=True, slots=True)
class NotReadable:
    """Something is at the path, but no file that can be read. `reason` is a plain phrase, as `it is a directory`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark on lines of a file in a check run. level is `notice`, `warning` or `failure`; lines count from 1.

    start_column, end_column: from 1, within one line only; GitHub refuses them for more.
    """

    path: str
    start_line: int
    end_line: int
    level: str
    message: str
    title: str = ""
    start_column: int | None = None
    end_column: int | None = None


MOST_BUTTONS = 3


@dataclass(frozen=True, slots=True)
class Button:
    """A button beside a completed check. Pressing it brings a `Press` with this identifier.

    label, identifier: at most 20 characters; description: at most 40. Raises ValueError for more.
    """

    label: str
    description: str
    identifier: str

    def __post_init__(self) -> None:
        for text, most in ((self.label, 20), (self.description, 40), (self.identifier, 20)):
            if not 0 < len(text) <= most:
                raise ValueError(f"GitHub takes 1 to {most} characters here: {text!a}")


@dataclass(frozen=True, slots=True)
class Check:
    """A check run as Bouncer wants it. external_id names it among the runs of one commit.

    status is `queued`, `in_progress` or `completed`; conclusion only with `completed`: `success`, `neutral`, `skipped`,
    `failure`, `action_required`, `cancelled` or `timed_out`. Markdown in summary and text. buttons: at most three;
    raises ValueError for more.
    """

    name: str
    head_sha: str
    external_id: str
    status: str
    conclusion: str | None
    title: str
    summary: str
    text: str = ""
    annotations: tuple[Annotation, ...] = ()
    details_url: str = ""
    buttons: tuple[Button, ...] = ()

    def __post_init__(self) -> None:
        if len(self.buttons) > MOST_BUTTONS:
            raise ValueError(f"GitHub shows at most {MOST_BUTTONS} buttons")


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A check run as GitHub has it. annotations: how many it carries. text: the last part of what it says."""

    id: int
    html_url: str
    status: str
    conclusion: str | None
    external_id: str = ""
    annotations: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Installation:
    """The App on one account."""

    id: int
    account: str
    suspended: bool
    permissions: tuple[tuple[str, str], ...]
