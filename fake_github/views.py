"""What tests and the demo look at: frozen pictures of one moment."""

from dataclasses import dataclass, field

from fake_github.world import FakeCheckRun, FakeComment, FakeIssue


@dataclass(frozen=True)
class CommentView:
    """A comment; `by_bouncer` when the App wrote it, `edits` how often its text was changed since."""

    id: int
    author: str
    body: str
    by_bouncer: bool
    edits: int
    reactions: tuple[str, ...]


@dataclass(frozen=True)
class IssueView:
    """An issue or pull request; `history` holds the kinds of its timeline events, oldest first."""

    number: int
    title: str
    body: str
    author: str
    state: str
    state_reason: str | None
    labels: tuple[str, ...]
    comments: tuple[CommentView, ...]
    history: tuple[str, ...]

    @property
    def bouncer_comments(self) -> tuple[CommentView, ...]:
        return tuple(comment for comment in self.comments if comment.by_bouncer)


@dataclass(frozen=True)
class CheckView:
    """A check run."""

    id: int
    name: str
    head_sha: str
    external_id: str
    status: str
    conclusion: str | None
    title: str
    summary: str
    text: str
    annotations: tuple[dict[str, object], ...] = field(default=())
    buttons: tuple[dict[str, str], ...] = field(default=())
    details_url: str = ""


def view_issue(issue: FakeIssue) -> IssueView:
    return IssueView(
        issue.number,
        issue.title,
        issue.body or "",
        issue.user.login,
        issue.state,
        issue.state_reason,
        tuple(label.name for label in issue.labels),
        tuple(_view_comment(comment) for comment in issue.comments),
        tuple(event.kind for event in issue.timeline),
    )


def _view_comment(comment: FakeComment) -> CommentView:
    given = tuple(content for _, _, content, _ in comment.reactions)
    return CommentView(comment.id, comment.user.login, comment.body, comment.via_app, comment.edits, given)


def view_check(run: FakeCheckRun) -> CheckView:
    texts = {part: run.output.get(part) or "" for part in ("title", "summary", "text")}
    return CheckView(
        run.id,
        run.name,
        run.head_sha,
        run.external_id,
        run.status,
        run.conclusion,
        **texts,
        annotations=tuple(run.annotations),
        buttons=tuple(run.actions),
        details_url=run.details_url,
    )
