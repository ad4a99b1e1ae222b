"""The REST operations on repositories, their files and refs, their members, and the search through them."""

import re

from flask import Response, request

from fake_github.access import AccessRefused, invalid, not_found
from fake_github.objects import merge_base
from fake_github.rest_call import Answer, RestCall, operation, page
from fake_github.world import FakeIssue

_LEGACY = {"maintain": "write", "triage": "read"}
_GRANTS = ("pull", "triage", "push", "maintain", "admin")
_REACH = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}


@operation("GET", "/repos/{owner}/{repo}", "metadata:read")
def get_repository(call: RestCall) -> Answer:
    return {**call.shapes.repository(call.repo), "network_count": 0, "subscribers_count": 0}, 200


@operation("GET", "/repos/{owner}/{repo}/contents/{path}", "contents:read")
def get_contents(call: RestCall, path: str) -> Answer:
    ref = request.args.get("ref") or call.repo.default_branch
    commit = call.repo.resolve(ref)
    if commit is None:
        raise AccessRefused(404, f"No commit found for the ref {ref}")
    if path in commit.files:
        return call.shapes.file(call.repo, path, commit.files[path], ref), 200
    below = f"{path}/" if path else ""
    inside = {name: commit.files[name] for name in sorted(commit.files) if name.startswith(below)}
    if not inside:
        raise not_found()
    return call.shapes.directory(call.repo, path, inside, ref), 200


@operation("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission", "metadata:read")
def get_permission(call: RestCall, username: str) -> Answer:
    user = call.world.users.get(username.lower())
    if user is None or user.type != "User":
        raise AccessRefused(404, f"{username} is not a user")
    role = call.repo.role(user.login)
    grants = {name: place < _REACH[role] for place, name in enumerate(_GRANTS)}
    member = {**call.shapes.user(user), "permissions": grants, "role_name": role}
    return {"permission": _LEGACY.get(role, role), "user": member, "role_name": role}, 200


@operation("GET", "/repos/{owner}/{repo}/compare/{basehead}", "contents:read")
def compare(call: RestCall, basehead: str) -> Answer:
    base, head = (call.repo.resolve(ref) for ref in basehead.split("...", 1))
    start = merge_base(call.repo, base, head) if base and head else None
    if base is None or head is None or start is None:
        raise not_found()
    if request.headers.get("Accept") == "application/vnd.github.diff":
        text = call.world.git.diff(call.repo.full_name, start.sha, head.sha)
        return Response(text, content_type="application/vnd.github.diff; charset=utf-8"), 200
    return call.shapes.comparison(call.repo, base, head, start), 200


@operation("GET", "/repos/{owner}/{repo}/git/matching-refs/{ref}", "contents:read")
def matching_refs(call: RestCall, ref: str) -> Answer:
    """The branches whose names begin so."""
    names = sorted(name for name in call.repo.branches if f"heads/{name}".startswith(ref))
    return [
        call.shapes.write("ref", call.repo, name=f"refs/heads/{name}", sha=call.repo.branches[name]) for name in names
    ], 200


@operation("GET", "/repos/{owner}/{repo}/branches", "contents:read")
def list_branches(call: RestCall) -> Answer:
    """All, or those that are protected."""
    repo, guarded = call.repo, request.args.get("protected") == "true"
    names = [name for name in sorted(repo.branches) if name in repo.protected or not guarded]
    url = f"{call.world.url}/repos/{repo.full_name}/commits"
    shown = [
        {
            "name": name,
            "commit": {"sha": repo.branches[name], "url": f"{url}/{repo.branches[name]}"},
            "protected": name in repo.protected,
        }
        for name in names
    ]
    return page(shown), 200


@operation("GET", "/search/issues", "search")
def search_issues(call: RestCall) -> Answer:
    """Of one repository, those that hold all quoted words in title, text or comments; the newest first."""
    query = request.args["q"]
    place = re.search(r"(?:^| )repo:([\w.-]+)/([\w.-]+)(?: |$)", query)
    if place is None:
        raise invalid("Search", "q", "invalid")
    repo = call.in_repo(place[1], place[2], "issues")
    wanted = [word.lower() for word in re.findall(r'"([^"]+)"', query)]
    states = [state for state in ("open", "closed") if f"is:{state}" in query] or ["open", "closed"]
    found = [issue for issue in repo.issues.values() if not issue.deleted and issue.state in states]
    if "is:issue" in query:
        found = [issue for issue in found if issue.pull is None]
    held = [issue for issue in found if all(word in _written(issue) for word in wanted)]
    items = [{**call.shapes.issue(repo, issue), "score": 1.0} for issue in reversed(held)]
    found_all = {"total_count": len(items), "incomplete_results": False, "search_type": "lexical"}
    return {**found_all, "items": page(items)}, 200


def _written(issue: FakeIssue) -> str:
    texts = (issue.title, issue.body or "", *(comment.body for comment in issue.comments))
    return "\n".join(texts).lower()
