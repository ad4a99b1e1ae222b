"""The GraphQL queries Bouncer asks: which issues a pull request closes, with its commits; and how texts were edited.

Errors come with status 200, as on GitHub.
"""

import re
from collections.abc import Set
from typing import Any

from fake_github.access import AccessRefused
from fake_github.objects import own_commits
from fake_github.shapes import stamp
from fake_github.world import Commit, FakeIssue, FakePull, Repo, World

_KEYWORD = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #(\d+)\b", re.IGNORECASE)
_WANTED = "closingIssuesReferences"


def answer_query(world: World, covered: Set[int], sent: Any) -> dict[str, Any]:
    """covered: the repositories the caller's installation covers; what is private elsewhere does not exist for it."""
    query, variables = str(sent.get("query")), sent.get("variables") or {}
    if "userContentEdits" in query:
        return _revisions(world, covered, query, variables)
    return _of_pull(world, covered, query, variables)


def _revisions(world: World, covered: Set[int], query: str, variables: Any) -> dict[str, Any]:
    """A cursor is the place of the last issue that was listed."""
    repo = world.find_repo(f"{variables['owner']}/{variables['name']}")
    if repo is None or not _visible(repo, covered):
        return _missing(f"Could not resolve to a Repository with the name '{variables['name']}'.", "repository")
    kind, most = re.findall(r"(issues|pullRequests)\(first: (\d+)", query)[0]
    issues = sorted(repo.issues.values(), key=lambda issue: (issue.created_at, issue.number), reverse=True)
    issues = [issue for issue in issues if not issue.deleted and (issue.pull is None) == (kind == "issues")]
    start = int(variables.get("after") or 0)
    page = {"hasNextPage": start + int(most) < len(issues), "endCursor": str(start + int(most))}
    nodes = [_edited(issue) for issue in issues[start : start + int(most)]]
    return {"data": {"repository": {kind: {"pageInfo": page, "nodes": nodes}}}}


def _edited(issue: FakeIssue) -> dict[str, Any]:
    edits = [{"editedAt": stamp(at), "diff": text} for at, text in reversed(issue.revisions)]
    return {
        "number": issue.number,
        "lastEditedAt": edits[0]["editedAt"] if edits else None,
        "includesCreatedEdit": bool(edits),
        "userContentEdits": {"nodes": edits, "pageInfo": {"hasNextPage": False}},
    }


def _of_pull(world: World, covered: Set[int], query: str, variables: Any) -> dict[str, Any]:
    first = re.search(rf"{_WANTED}\(first: (\d+)\)", query)
    most = re.search(r"commits\(first: (\d+)\)", query)
    timeline = "timelineItems" in query
    checked = re.search(r"commits\(last: (\d+)\)", query)
    if not timeline and not checked and not (first and most):
        message = f"the fake GitHub answers no query but {_WANTED}(first: …) with commits(first: …)"
        return {"errors": [{"message": message}]}
    full_name = f"{variables['owner']}/{variables['name']}"
    moved = world.renamed.get(full_name.lower())
    repo = world.find_repo(full_name) if moved is None else world.repos[moved]
    if repo is None or not _visible(repo, covered):
        return _missing(f"Could not resolve to a Repository with the name '{full_name}'.", "repository")
    pull = repo.issues.get(variables["number"])
    if pull is None or pull.deleted or pull.pull is None:
        message = f"Could not resolve to a PullRequest with the number of {variables['number']}."
        return _missing(message, "repository", "pullRequest")
    if timeline:
        nodes = next(nodes_of(pull) for kind, nodes_of in _TIMELINE.items() if kind in query)
        last = re.findall(r"timelineItems\(last: (\d+)", query)[0]
        return {"data": {"repository": {"pullRequest": {"timelineItems": {"nodes": nodes[-int(last) :]}}}}}
    if checked:
        return {
            "data": {"repository": {"pullRequest": {"commits": _checked(repo, pull.pull, int(checked[1]), variables)}}}
        }
    assert first and most
    issues = [_issue(*item) for item in _closes(world, repo, pull) if _visible(item[0], covered)]
    commits = own_commits(repo, pull.pull)
    shown = {"totalCount": len(commits), "nodes": [_commit(commit) for commit in commits[: int(most[1])]]}
    found = {"headRefOid": pull.pull.head, _WANTED: {"nodes": issues[: int(first[1])]}, "commits": shown}
    return {"data": {"repository": {"pullRequest": found}}}


def _forced(issue: FakeIssue) -> list[dict[str, Any]]:
    assert issue.pull is not None
    return [
        {
            "__typename": "HeadRefForcePushedEvent",
            "createdAt": stamp(at),
            "beforeCommit": {"oid": before},
            "afterCommit": {"oid": after},
        }
        for before, after, at in issue.pull.force_pushes
    ]


def _checked(repo: Repo, pull: FakePull, most: int, variables: Any) -> dict[str, Any]:
    suites = {(run.head_sha, run.suite.id) for run in repo.checks.values() if run.app.id == variables["app"]}
    commits = [each.sha for each in own_commits(repo, pull)]
    many = {sha: sum(head == sha for head, _ in suites) for sha in commits[-most:]}
    nodes = [{"commit": {"oid": sha, "checkSuites": {"totalCount": count}}} for sha, count in many.items()]
    return {"totalCount": len(commits), "nodes": nodes}


def _retargeted(issue: FakeIssue) -> list[dict[str, Any]]:
    assert issue.pull is not None
    return [{"__typename": "BaseRefChangedEvent", "createdAt": stamp(at)} for at in issue.pull.base_changes]


def _reopened(issue: FakeIssue) -> list[dict[str, Any]]:
    events = [each for each in issue.timeline if each.kind == "reopened"]
    return [{"__typename": "ReopenedEvent", "createdAt": stamp(each.at)} for each in events]


_TIMELINE = {
    "HEAD_REF_FORCE_PUSHED_EVENT": _forced,
    "BASE_REF_CHANGED_EVENT": _retargeted,
    "REOPENED_EVENT": _reopened,
}


def _issue(repo: Repo, number: int) -> dict[str, Any]:
    issue = repo.issues[number]
    return {
        "number": number,
        "title": issue.title,
        "body": issue.body or "",
        "state": issue.state.upper(),
        "author": {"login": issue.user.login.removesuffix("[bot]"), "resourcePath": issue.user.page},
        "labels": {"nodes": [{"name": label.name} for label in issue.labels]},
        "repository": {"nameWithOwner": repo.full_name, "isPrivate": repo.private},
    }


def _commit(commit: Commit) -> dict[str, Any]:
    author = {"name": commit.author.login, "email": commit.author.email}
    return {"commit": {"oid": commit.sha, "message": commit.message, "author": author}}


def refusal(error: AccessRefused) -> dict[str, Any]:
    """What REST says with 403."""
    kind = "RATE_LIMITED" if error.headers else "FORBIDDEN"
    return {"errors": [{"type": kind, "message": str(error)}]}


def _closes(world: World, repo: Repo, issue: FakeIssue) -> list[tuple[Repo, int]]:
    """By keyword, then by hand; each issue once."""
    assert issue.pull is not None
    named = [(repo, int(number)) for number in _KEYWORD.findall(issue.body or "")]
    linked = [(world.repo(name), number) for name, number in issue.pull.linked]
    there = [(where, where.issues[number]) for where, number in named + linked if number in where.issues]
    issues = [(where, found.number) for where, found in there if found.pull is None and not found.deleted]
    return [item for place, item in enumerate(issues) if item not in issues[:place]]


def _visible(repo: Repo, covered: Set[int]) -> bool:
    return not repo.private or repo.id in covered


def _missing(message: str, *path: str) -> dict[str, Any]:
    data: Any = None
    for name in reversed(path):
        data = {name: data}
    where = [{"line": 2 + len(path) - 1, "column": 3}]
    return {"data": data, "errors": [{"type": "NOT_FOUND", "path": [*path], "locations": where, "message": message}]}
