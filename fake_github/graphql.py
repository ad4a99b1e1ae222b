"""The GraphQL queries Bouncer asks: which issues a pull request closes, with its commits; and how texts were edited.

Errors come with status 200, as on GitHub.
"""

import re
from collections.abc import Set
from typing import Any

from fake_github.access import AccessRefused
from fake_github.app_world import AppWorld
from fake_github.fields import Json
from fake_github.objects import own_commits
from fake_github.world import FakeIssue, FakePull, Repo, User

_KEYWORD = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #(\d+)\b", re.IGNORECASE)
_LINKED = "closingIssuesReferences"
_CLOSING = "closedByPullRequestsReferences"
_LIST = re.compile(rf"\b(issues|pullRequests|{_LINKED}|{_CLOSING}|commits|timelineItems)\((first|last): (\d+)")


def answer_query(world: AppWorld, covered: Set[int], sent: Any) -> Json:
    """covered: the repositories the caller's installation covers; what is private elsewhere does not exist for it."""
    query, variables = str(sent.get("query")), sent.get("variables") or {}
    lists = {(name, end): int(most) for name, end, most in _LIST.findall(query)}
    known = lists or "securityPolicyUrl" in query
    if not known or ((_LINKED, "first") in lists) != (("commits", "first") in lists):
        message = f"the fake GitHub answers no query but {_LINKED}(first: …) with commits(first: …)"
        return {"errors": [{"message": message}]}
    full_name = f"{variables['owner']}/{variables['name']}"
    moved = world.renamed.get(full_name.lower())
    repo = world.find_repo(full_name) if moved is None else world.repos[moved]
    if repo is None or not _visible(repo, covered):
        return _missing(f"Could not resolve to a Repository with the name '{full_name}'.", "repository")
    if "securityPolicyUrl" in query:
        address = _security_policy(world, repo)
        return {"data": {"repository": {"isSecurityPolicyEnabled": bool(address), "securityPolicyUrl": address}}}
    for kind in ("issues", "pullRequests"):
        if most := lists.get((kind, "first")):
            page = _revisions(world, repo, kind == "pullRequests", most, int(variables.get("after") or 0))
            return {"data": {"repository": {kind: page}}}
    issue = repo.issues.get(variables["number"])
    if "RENAMED_TITLE_EVENT" in query and issue is not None and not issue.deleted:
        return {"data": {"repository": {"issue": _writers(issue)}}}
    if most := lists.get((_CLOSING, "first")):
        if issue is None or issue.pull is not None or issue.deleted:
            message = f"Could not resolve to an Issue with the number of {variables['number']}."
            gone = _missing(message, "repository", "issue")
            gone["data"]["repository"]["nameWithOwner"] = repo.full_name
            return gone
        closing = {"nodes": [_closing(world, repo, each) for each in _closing_pulls(world, repo, issue)[:most]]}
        return {"data": {"repository": {"nameWithOwner": repo.full_name, "issue": {_CLOSING: closing}}}}
    if issue is None or issue.deleted or issue.pull is None:
        message = f"Could not resolve to a PullRequest with the number of {variables['number']}."
        return _missing(message, "repository", "pullRequest")
    if most := lists.get(("timelineItems", "last")):
        found: Json = {"timelineItems": {"nodes": _timeline(world, issue, issue.pull, query)[-most:]}}
    elif most := lists.get(("commits", "last")):
        found = {"commits": _checked(repo, issue.pull, most, variables["app"])}
    else:
        linked = [_linked(world, *item) for item in _closes(world, repo, issue) if _visible(item[0], covered)]
        commits = [
            world.shapes.write("commit of a pull request", commit=each) for each in own_commits(repo, issue.pull)
        ]
        found = {
            "headRefOid": issue.pull.head,
            _LINKED: {"nodes": linked[: lists[_LINKED, "first"]]},
            "commits": {"totalCount": len(commits), "nodes": commits[: lists["commits", "first"]]},
        }
    return {"data": {"repository": {"pullRequest": found}}}


def _revisions(world: AppWorld, repo: Repo, pulls: bool, most: int, start: int) -> Json:
    """A cursor is the place of the last issue that was listed."""
    issues = [issue for issue in repo.issues.values() if not issue.deleted and (issue.pull is not None) == pulls]
    issues.sort(key=lambda issue: (issue.created_at, issue.number), reverse=True)
    page = {"hasNextPage": start + most < len(issues), "endCursor": str(start + most)}
    return {"pageInfo": page, "nodes": [_edited(world, issue) for issue in issues[start : start + most]]}


def _edited(world: AppWorld, issue: FakeIssue) -> Json:
    edits = [world.shapes.write("edit", at=at, text=text) for at, text in reversed(issue.revisions)]
    last = edits[0]["editedAt"] if edits else None
    return world.shapes.write("edits", issue=issue, last=last, edited=bool(edits), edits=edits)


def _security_policy(world: AppWorld, repo: Repo) -> str | None:
    """Its own, or that of its owner's `.github` repository."""
    for where in (repo, world.find_repo(f"{repo.owner.login}/.github")):
        commit = where.resolve(where.default_branch) if where else None
        paths = (f"{folder}SECURITY.md" for folder in (".github/", "", "docs/"))
        if where and commit and (path := next((each for each in paths if each in commit.files), None)):
            return f"{world.web_url}/{where.full_name}/blob/{where.default_branch}/{path}"
    return None


def _writers(issue: FakeIssue) -> Json:
    def actors(key: str, kinds: dict[str, str]) -> Json:
        named = [(kinds[each.kind], each.actor) for each in issue.timeline if each.kind in kinds]
        nodes = [{key: _actor(who), **({"__typename": kind} if kind else {})} for kind, who in named]
        return {"totalCount": len(nodes), "nodes": nodes}

    return {
        "author": _actor(issue.user),
        "lastEditedAt": issue.revisions[-1][0].isoformat() if issue.revisions else None,
        "userContentEdits": actors("editor", {"edited": ""}),
        "timelineItems": actors("actor", {"renamed": "RenamedTitleEvent", "transferred": "TransferredEvent"}),
    }


def _actor(user: User) -> Json:
    return {"login": user.login.removesuffix("[bot]"), "resourcePath": user.page}


def _timeline(world: AppWorld, issue: FakeIssue, pull: FakePull, query: str) -> list[Json]:
    write = world.shapes.write
    if "HEAD_REF_FORCE_PUSHED_EVENT" in query:
        return [write("push with force", before=old, after=new, at=at) for old, new, at in pull.force_pushes]
    if "BASE_REF_CHANGED_EVENT" in query:
        return [write("change of base", at=at) for at in pull.base_changes]
    return [write("reopening", at=each.at) for each in issue.timeline if each.kind == "reopened"]


def _checked(repo: Repo, pull: FakePull, most: int, app: int) -> Json:
    suites = {(run.head_sha, run.suite.id) for run in repo.checks.values() if run.app.id == app}
    commits = [each.sha for each in own_commits(repo, pull)]
    many = {sha: sum(head == sha for head, _ in suites) for sha in commits[-most:]}
    nodes = [{"commit": {"oid": sha, "checkSuites": {"totalCount": count}}} for sha, count in many.items()]
    return {"totalCount": len(commits), "nodes": nodes}


def _linked(world: AppWorld, repo: Repo, issue: FakeIssue) -> Json:
    return world.shapes.write(
        "linked issue",
        repo,
        issue=issue,
        body=issue.body or "",
        state=issue.state.upper(),
        login=issue.user.login.removesuffix("[bot]"),
        edits=[{"editor": _actor(each.actor)} for each in reversed(issue.timeline) if each.kind == "edited"],
        labels=[{"name": label.name} for label in issue.labels],
    )


def _closing_pulls(world: AppWorld, repo: Repo, issue: FakeIssue) -> list[FakeIssue]:
    """The open pull requests of its repository that would close it, oldest first."""
    there = (each for each in repo.issues.values() if each.pull is not None and each.state == "open")
    return [each for each in there if (repo, issue) in _closes(world, repo, each)]


def _closing(world: AppWorld, repo: Repo, issue: FakeIssue) -> Json:
    login = issue.user.login.removesuffix("[bot]")
    return world.shapes.write("closing pull request", repo, issue=issue, pull=issue.pull, login=login)


def refusal(error: AccessRefused) -> Json:
    """What REST says with 403."""
    kind = "RATE_LIMITED" if error.headers else "FORBIDDEN"
    return {"errors": [{"type": kind, "message": str(error)}]}


def _closes(world: AppWorld, repo: Repo, issue: FakeIssue) -> list[tuple[Repo, FakeIssue]]:
    """By keyword, then by hand; each issue once."""
    assert issue.pull is not None
    named = [(repo, int(number)) for number in _KEYWORD.findall(issue.body or "")]
    linked = [(world.repo(name), number) for name, number in issue.pull.linked]
    there = {(where.id, number): where for where, number in named + linked if number in where.issues}
    issues = [(where, where.issues[number]) for (_, number), where in there.items()]
    return [(where, found) for where, found in issues if found.pull is None and not found.deleted]


def _visible(repo: Repo, covered: Set[int]) -> bool:
    return not repo.private or repo.id in covered


def _missing(message: str, *path: str) -> Json:
    data: Any = None
    for name in reversed(path):
        data = {name: data}
    where = [{"line": 2 + len(path) - 1, "column": 3}]
    return {"data": data, "errors": [{"type": "NOT_FOUND", "path": [*path], "locations": where, "message": message}]}
