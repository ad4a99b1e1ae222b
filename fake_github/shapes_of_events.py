"""How GitHub writes what happened to an issue as JSON: its timeline."""

from datetime import datetime

from fake_github.diffs import own_commits
from fake_github.shapes_of_issues import IssueShapes, Json, node_id, stamp
from fake_github.world import App, Commit, FakeIssue, FakePull, Repo, TimelineEvent

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
    pull = [*_commits(shapes, repo, issue.pull), *_reviews(shapes, repo, issue)] if issue.pull else []
    return [shape for _, shape in sorted([*events, *comments, *pull], key=lambda pair: pair[0])]


def _commits(shapes: IssueShapes, repo: Repo, pull: FakePull) -> list[tuple[datetime, Json]]:
    return [(each.at, _commit(shapes, repo, each)) for each in own_commits(repo, pull)]


def _commit(shapes: IssueShapes, repo: Repo, commit: Commit) -> Json:
    url, page = shapes.repo_url(repo), f"{shapes.world.web_url}/{repo.full_name}"
    who = {"date": stamp(commit.at), "email": commit.author.email, "name": commit.author.login}
    parents = [commit.parent] if commit.parent else []
    return {
        "sha": commit.sha,
        "node_id": node_id("Commit", 0),
        "url": f"{url}/git/commits/{commit.sha}",
        "html_url": f"{page}/commit/{commit.sha}",
        "author": who,
        "committer": who,
        "tree": {"sha": commit.tree, "url": f"{url}/git/trees/{commit.tree}"},
        "message": commit.message,
        "parents": [
            {"sha": sha, "url": f"{url}/git/commits/{sha}", "html_url": f"{page}/commit/{sha}"} for sha in parents
        ],
        "verification": {"verified": False, "reason": "unsigned", "signature": None, "payload": None},
        "event": "committed",
    }


def _reviews(shapes: IssueShapes, repo: Repo, issue: FakeIssue) -> list[tuple[datetime, Json]]:
    assert issue.pull is not None
    url = f"{shapes.repo_url(repo)}/pulls/{issue.number}"
    page = f"{shapes.world.web_url}/{repo.full_name}/pull/{issue.number}"
    return [
        (
            each.at,
            {
                "id": each.id,
                "node_id": node_id("Review", each.id),
                "user": shapes.user(each.user),
                "body": each.body,
                "state": each.state,
                "html_url": f"{page}#pullrequestreview-{each.id}",
                "pull_request_url": url,
                "author_association": repo.association(each.user),
                "_links": {"html": {"href": page}, "pull_request": {"href": url}},
                "submitted_at": stamp(each.at),
                "commit_id": each.head,
                "event": "reviewed",
            },
        )
        for each in issue.pull.reviews
    ]


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
