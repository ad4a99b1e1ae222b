"""The state of the fake GitHub: who and what exists. No HTTP and no events here; `actions.py` changes it.

Everything lies behind one re-entrant lock (`World.lock`): the server answers on many threads and tests look on.
"""

import itertools
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

ZERO_SHA = "0" * 40
CLIENT_ID = "Iv23fakeclient"
CLIENT_SECRET = "fake-client-secret"  # noqa: S105 - the fake's own, on loopback
PASSING = ("success", "neutral", "skipped")  # conclusions of a required check that let a pull request merge


@dataclass(eq=False)
class User:
    """A person, an organization or an App's bot; `type` is `User`, `Organization` or `Bot` as on GitHub."""

    id: int
    login: str
    type: str = "User"

    @property
    def email(self) -> str:
        return f"{self.login.removesuffix('[bot]')}@example.com"

    @property
    def page(self) -> str:
        return f"/apps/{self.login.removesuffix('[bot]')}" if self.type == "Bot" else f"/{self.login}"


@dataclass(eq=False)
class Label:
    """A label of a repository. GitHub gives labels that are created by naming them the colour `ededed`."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(eq=False)
class FakeComment:
    """A comment on an issue; `via_app` when the App wrote it with its installation token."""

    id: int
    user: User
    body: str
    created_at: datetime
    updated_at: datetime
    via_app: bool = False
    edits: int = 0
    reactions: list[tuple[int, User, str, datetime]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class TimelineEvent:
    """One line of an issue's history.

    kind: `opened`, `labeled`, `unlabeled`, `closed`, `reopened`, `renamed`, `edited`, `transferred` or `pushed`.
    """

    id: int
    kind: str
    actor: User
    at: datetime
    detail: str = ""


@dataclass(eq=False)
class FakeRemark:
    """A remark of a review on lines `start_line` to `line` of a file at the head commit. reply_to: the one it answers.
    edited_at: `None` until it was."""

    id: int
    path: str
    line: int
    start_line: int | None
    body: str
    reply_to: int | None = None
    deleted: bool = False
    edited_at: datetime | None = None


@dataclass(eq=False)
class FakeReview:
    """A submitted review. state: `approved`, `changes_requested` or `commented`; head: the commit it was made of.
    edited_at: `None` until its text was."""

    id: int
    user: User
    body: str
    state: str
    head: str
    at: datetime
    remarks: tuple[FakeRemark, ...] = ()
    edited_at: datetime | None = None


@dataclass(eq=False)
class FakePull:
    """What makes an issue a pull request.

    source: where the head branch lies, `None` once that repository is deleted.
    linked: the issues somebody linked by hand, as repository and number. forced_away: what a push with
    force replaced, by what, and when, oldest first. retargeted: when it was pointed at another branch.
    """

    id: int
    head: str
    head_branch: str
    base: str
    base_branch: str
    source: "Repo | None"
    draft: bool = False
    merged: bool = False
    merge_commit: str | None = None
    reviews: list[FakeReview] = field(default_factory=list)
    linked: list[tuple[str, int]] = field(default_factory=list)
    force_pushes: list[tuple[str, str, datetime]] = field(default_factory=list)
    base_changes: list[datetime] = field(default_factory=list)


@dataclass(eq=False)
class FakeIssue:
    """An issue, or a pull request when `pull` is set. A deleted one answers 410, a transferred one redirects. `app`
    wrote it for its author. revisions: each text it had with its time, once it was edited."""

    id: int
    number: int
    title: str
    body: str | None
    user: User
    created_at: datetime
    updated_at: datetime
    state: str = "open"
    state_reason: str | None = None
    closed_at: datetime | None = None
    closed_by: User | None = None
    locked: bool = False
    deleted: bool = False
    transferred_to: str = ""
    labels: list[Label] = field(default_factory=list)
    comments: list[FakeComment] = field(default_factory=list)
    timeline: list[TimelineEvent] = field(default_factory=list)
    revisions: list[tuple[datetime, str]] = field(default_factory=list)
    pull: FakePull | None = None
    app: "App | None" = None

    @property
    def merged_at(self) -> datetime | None:
        return self.closed_at if self.pull and self.pull.merged else None


@dataclass(frozen=True)
class Commit:
    """A commit with its whole tree: path -> content. sha, tree: as git names them."""

    sha: str
    tree: str
    parent: str
    message: str
    author: User
    at: datetime
    files: Mapping[str, bytes]


@dataclass(eq=False)
class CheckSuite:
    """The check runs of one App on one commit."""

    id: int
    head_sha: str
    app: "App"
    created_at: datetime


@dataclass(eq=False)
class FakeCheckRun:
    """A check run of an App; `output`, `annotations` and `actions` (its buttons) as they were sent.

    edits: how often it was changed.
    """

    id: int
    name: str
    head_sha: str
    external_id: str
    status: str
    conclusion: str | None
    started_at: datetime
    completed_at: datetime | None
    details_url: str
    output: dict[str, str | None]
    suite: CheckSuite
    annotations: list[dict[str, object]] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)
    edits: int = 0

    @property
    def app(self) -> "App":
        return self.suite.app

    @property
    def passes(self) -> bool:
        """Whether GitHub lets a pull request merge that requires it."""
        return self.status == "completed" and self.conclusion in PASSING


@dataclass(frozen=True, eq=False)
class QueueEntry:
    """A merge group: the pull request it adds, its branch, and the commit it comes upon."""

    number: int
    branch: str
    head: str
    base: str


@dataclass(eq=False)
class Repo:
    """A repository; `collaborators` maps logins to GitHub's role names.

    required: names of checks that must pass before a merge, from the App alone. queue: the merge queue, first first.
    protected: names of branches.
    """

    id: int
    owner: User
    name: str
    private: bool
    default_branch: str
    created_at: datetime
    description: str = ""
    collaborators: dict[str, str] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    issues: dict[int, FakeIssue] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    commits: dict[str, Commit] = field(default_factory=dict)
    deleted_branches: set[str] = field(default_factory=set)
    suites: dict[tuple[str, int], CheckSuite] = field(default_factory=dict)
    checks: dict[int, FakeCheckRun] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    queue: list[QueueEntry] = field(default_factory=list)
    protected: set[str] = field(default_factory=set)
    is_fork: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    def role(self, login: str) -> str:
        """GitHub's role of `login` here, or `none`; anybody may read a public repository."""
        if login.lower() == self.owner.login.lower():
            return "admin"
        granted = next((role for name, role in self.collaborators.items() if name.lower() == login.lower()), None)
        return granted or ("none" if self.private else "read")

    def association(self, user: User) -> str:
        """GitHub's `author_association` of `user`, in capitals as GitHub writes it."""
        if user.login.lower() == self.owner.login.lower():
            return "OWNER"
        if any(name.lower() == user.login.lower() for name in self.collaborators):
            return "MEMBER" if self.owner.type == "Organization" else "COLLABORATOR"
        return "NONE"

    def resolve(self, ref: str) -> Commit | None:
        """The commit a branch, a full ref or a SHA names."""
        sha = self.branches.get(ref.removeprefix("refs/heads/"), ref)
        return self.commits.get(sha)


@dataclass(eq=False)
class FakeInstallation:
    """The App on one account; `repositories` are ids. `suspended` and removed ones give no tokens.

    permissions: what the account has accepted, where that is not all the App asks for by now."""

    id: int
    account: User
    created_at: datetime
    repositories: set[int]
    suspended: bool = False
    permissions: dict[str, str] | None = None


@dataclass(eq=False)
class App:
    """The GitHub App: its public key verifies the JSON Web Tokens Bouncer signs."""

    id: int
    slug: str
    owner: User
    public_key: str
    webhook_secret: str
    webhook_url: str | None
    created_at: datetime
    permissions: dict[str, str]
    events: list[str]


@dataclass(frozen=True)
class Token:
    """An installation token and when it ends. permissions: where it may less than the App, as a workflow's job."""

    installation: int
    expires_at: datetime
    permissions: Mapping[str, str] | None = None


class World:
    """All there is. Names are case-insensitive, as on GitHub.

    clock: what time it is, as an aware datetime; tests may put their own here.
    """

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.lock = threading.RLock()
        self.clock = clock
        self.url = ""
        self.web_url = ""
        self.users: dict[str, User] = {}
        self.repos: dict[int, Repo] = {}
        self.installations: dict[int, FakeInstallation] = {}
        self.tokens: dict[str, Token] = {}
        self.user_tokens: dict[str, User] = {}
        self.client = (CLIENT_ID, CLIENT_SECRET)
        self.renamed: dict[str, int] = {}
        self.teams: dict[tuple[str, str], set[str]] = {}
        self._ids = itertools.count(1001)

    def now(self) -> datetime:
        return self.clock().replace(microsecond=0)

    def next_id(self) -> int:
        return next(self._ids)

    def user(self, login: str, kind: str = "") -> User:
        """The user of that name, created on first mention."""
        found = self.users.get(login.lower())
        if found is None:
            kind = kind or ("Bot" if login.endswith("[bot]") else "User")
            found = self.users[login.lower()] = User(self.next_id(), login, kind)
        return found

    def find_repo(self, full_name: str) -> Repo | None:
        wanted = full_name.lower()
        return next((repo for repo in self.repos.values() if repo.full_name.lower() == wanted), None)

    def repo(self, full_name: str) -> Repo:
        found = self.find_repo(full_name)
        if found is None:
            raise LookupError(f"the fake GitHub has no repository {full_name}")
        return found

    def installation_of(self, repo: Repo) -> FakeInstallation | None:
        return next((item for item in self.installations.values() if repo.id in item.repositories), None)

    def find_comment(self, repo: Repo, comment_id: int) -> tuple[FakeIssue, FakeComment] | None:
        comments = (
            (issue, comment) for issue in repo.issues.values() if not issue.deleted for comment in issue.comments
        )
        return next((found for found in comments if found[1].id == comment_id), None)
