"""What Bouncer reads from GitHub, as frozen plain values. Fields hold exactly what GitHub sent; texts are untrusted."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repository:
    """id is stable across renames and transfers; full_name is `owner/name`."""

    id: int
    full_name: str
    default_branch: str = "main"


@dataclass(frozen=True, slots=True)
class Issue:
    """association is GitHub's `author_association` in lower case; times are ISO 8601 UTC as GitHub writes them."""

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


@dataclass(frozen=True, slots=True)
class Comment:
    """app_id is the App that wrote it (`performed_via_github_app.id`), if any."""

    id: int
    author: str
    author_is_bot: bool
    association: str
    body: str
    created_at: str
    updated_at: str
    html_url: str
    app_id: int | None = None


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
class Delivery:
    """One webhook delivery, reduced to what Bouncer uses.

    label: the label added or removed (`issues` labeled, unlabeled).
    previous_body: the text before an edit of the issue or comment (`changes.body.from`), `None` when it was not edited.
    account: the account an `installation*` event is about.
    repositories: those an `installation*` event adds or removes (`full_name` and id).
    """

    event: str
    action: str
    installation_id: int
    sender: str
    sender_is_bot: bool
    repository: Repository | None = None
    issue: Issue | None = None
    comment: Comment | None = None
    label: str = ""
    previous_body: str | None = None
    commits: Commits | None = None
    account: str = ""
    repositories: tuple[Repository, ...] = ()


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing to do for this delivery; `reason` is the line GitHub's delivery log shows."""

    reason: str
