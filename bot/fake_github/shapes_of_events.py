"""How GitHub writes what happened to an issue as JSON: its timeline."""

from bot.fake_github.shapes_of_issues import IssueShapes, Json, node_id, stamp
from bot.fake_github.world import App, FakeIssue, Repo, TimelineEvent

_SHOWN = ("labeled", "unlabeled", "renamed", "closed", "reopened")


def timeline(shapes: IssueShapes, repo: Repo, issue: FakeIssue, app: App) -> list[Json]:
    """Comments and acts, oldest first. What the fake notes for itself alone is left out."""
    events = [(each.at, _event(shapes, repo, issue, each)) for each in issue.timeline if each.kind in _SHOWN]
    comments = [
        (
            each.created_at,
            shapes.comment(repo, issue, each, app) | {"event": "commented", "actor": shapes.user(each.user)},
        )
        for each in issue.comments
    ]
    return [shape for _, shape in sorted([*events, *comments], key=lambda pair: pair[0])]


def _event(shapes: IssueShapes, repo: Repo, issue: FakeIssue, event: TimelineEvent) -> Json:
    shape: Json = {
        "id": event.id,
        "node_id": node_id("Event", event.id),
        "url": f"{shapes.repo_url(repo)}/issues/events/{event.id}",
        "actor": shapes.user(event.actor),
        "event": event.kind,
        "commit_id": None,
        "commit_url": None,
        "created_at": stamp(event.at),
        "performed_via_github_app": None,
    }
    if event.kind in ("labeled", "unlabeled"):
        label = repo.labels[event.detail.lower()]
        shape["label"] = {"name": label.name, "color": label.color}
    elif event.kind == "renamed":
        before, _, after = event.detail.partition(" → ")
        shape["rename"] = {"from": before, "to": after}
    elif event.kind == "closed":
        shape["state_reason"] = event.detail or None
    return shape
