"""The REST operations Bouncer uses, stateful, with GitHub's status codes, pages, ETags and rate limit headers.

GraphQL's one operation lies beside them, as on GitHub Enterprise Server: `/api/v3/…` and `/api/graphql`.
"""

import hashlib
import json
import re
import socket
from collections.abc import Callable, Set
from typing import Any

from flask import Blueprint, Response, g, request

from bot.fake_github.access import ANYBODY, Access, AccessRefused, invalid, moved_permanently, not_found
from bot.fake_github.answers import Answer, as_json, checked_text, page, sent_body
from bot.fake_github.checks import CheckActions
from bot.fake_github.git import GitHost
from bot.fake_github.graphql import background, refused
from bot.fake_github.machines import Machines
from bot.fake_github.rest_pulls import add_pull_routes
from bot.fake_github.rest_reviews import add_review_routes
from bot.fake_github.shapes import stamp
from bot.fake_github.traffic import Exchange, Fault, Traffic
from bot.fake_github.world import FakeIssue, Label, Repo

MAX_BODY = 65_536  # of a comment


def rest_blueprint(
    world: CheckActions, access: Access, traffic: Traffic, machines: Machines, git: GitHost
) -> Blueprint:
    """All operations. Routes are spelt as in GitHub's OpenAPI description, for counters and contracts."""
    rest = Blueprint("rest", __name__, url_prefix="/api")
    shapes = world.shapes

    # Around every call

    @rest.before_request
    def arrive() -> Response | None:
        g.route = _route()
        g.fault = traffic.take(request.method, g.route)
        traffic.pause(traffic.latency)
        if g.fault is None or g.fault.after_effect:
            return None
        traffic.pause(g.fault.delay)
        return _spoil(g.fault) if g.fault.spoils else None

    @rest.after_request
    def leave(response: Response) -> Response:
        fault: Fault | None = g.get("fault")
        took_effect = request.method != "GET" and response.status_code < 300 and g.route != "/graphql"
        for name, value in g.get("rate", {}).items():
            response.headers[name] = value
        if request.method == "GET" and response.status_code == 200:
            etag = f'W/"{hashlib.sha256(response.get_data()).hexdigest()}"'
            response.headers["ETag"] = etag
            if request.headers.get("If-None-Match") == etag:
                response.status_code = 304
                response.set_data(b"")
        if fault and fault.after_effect and fault.spoils:
            response = _spoil(fault)
        traffic.record(_exchange(response, took_effect, fault))
        if fault and fault.after_effect:
            traffic.pause(fault.delay)
        if fault and fault.drop:
            request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return response

    @rest.errorhandler(AccessRefused)
    def refuse(error: AccessRefused) -> Response:
        response = as_json(error.body, error.status)
        response.headers.update(error.headers)
        if error.moved_to:  # reads are told 301, writes 307
            elsewhere = error.moved_to.startswith("http")
            response.headers["Location"] = error.moved_to if elsewhere else f"{world.api_url}{error.moved_to}"
        return response

    @rest.errorhandler(KeyError)
    def missing(error: KeyError) -> Response:
        return as_json(AccessRefused(422, f"Invalid request.\n\n{error} wasn't supplied.").body, 422)

    def as_app() -> None:
        access.app(request.headers.get("Authorization", ""))
        g.rate = access.count(0)

    def in_repo(owner: str, repo: str, area: str, level: str = "read") -> Repo:
        covered: Set[int] = frozenset()
        if level == "read" and "Authorization" not in request.headers:
            g.rate = access.count(ANYBODY)
        else:
            installation = access.installation(request.headers.get("Authorization", ""))
            g.rate = access.count(installation.id)
            covered = installation.repositories
        moved = world.renamed.get(f"{owner}/{repo}".lower())
        if moved is not None:
            tail = request.path.split("/", 6)[6:]
            raise moved_permanently(
                "/".join(["/repos", world.repos[moved].full_name, *tail]), write=request.method != "GET"
            )
        found = access.repository(covered, owner, repo, write=level == "write")
        access.permit(area, level)
        return found

    def in_issue(owner: str, repo: str, number: int, level: str = "read") -> tuple[Repo, FakeIssue]:
        found = in_repo(owner, repo, "issues", level)
        issue = found.issues.get(number)
        if issue is None:
            raise not_found()
        if issue.pull and level == "write":
            access.permit("pull_requests", "write")
        if issue.transferred_to:
            raise moved_permanently(issue.transferred_to, write=request.method != "GET")
        if issue.deleted:
            raise AccessRefused(410, "This issue was deleted")
        return found, issue

    def route(method: str, path: str, root: str = "/v3") -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
        """Register an operation under its OpenAPI path; it runs with the lock held and answers (body, status)."""

        def register(operation: Callable[..., Answer]) -> Callable[..., Answer]:
            def handle(**arguments: Any) -> Response:
                with world.lock:
                    body, status = operation(**arguments)
                return body if isinstance(body, Response) else as_json(body, status)

            rest.add_url_rule(root + _rule(path), f"{method} {path}".replace(".", "_"), handle, methods=[method])
            return operation

        return register

    # The App

    @route("GET", "/app")
    def get_app() -> Answer:
        as_app()
        return shapes.app(world.app), 200

    @route("GET", "/app/hook/config")
    def get_hook_config() -> Answer:
        as_app()
        config = {"content_type": "json", "insecure_ssl": "0", "url": world.app.webhook_url}
        secret = "********" if world.app.webhook_secret else None
        return {key: value for key, value in {**config, "secret": secret}.items() if value}, 200

    @route("GET", "/app/installations")
    def list_installations() -> Answer:
        as_app()
        found = [shapes.installation(item, world.app) for item in world.installations.values()]
        return page(found), 200

    @route("GET", "/app/installations/{installation_id}")
    def get_installation(installation_id: int) -> Answer:
        as_app()
        found = world.installations.get(installation_id)
        if found is None:
            raise not_found()
        return shapes.installation(found, world.app), 200

    @route("POST", "/app/installations/{installation_id}/access_tokens")
    def create_token(installation_id: int) -> Answer:
        as_app()
        name, token = access.issue_token(installation_id)
        shape = {"token": name, "expires_at": stamp(token.expires_at), "permissions": dict(world.app.permissions)}
        return {**shape, "repository_selection": "selected"}, 201

    @route("GET", "/app/hook/deliveries")
    def list_deliveries() -> Answer:
        """Newest first; the cursor is the id to go on below."""
        as_app()
        size = min(int(request.args.get("per_page", 30)), 100)
        below = int(request.args.get("cursor", 1 << 62))
        found = [item.shape() for item in reversed(world.webhooks.deliveries) if item.id < below and item.status_code]
        if len(found) > size:
            g.links = {"next": {"cursor": str(found[size - 1]["id"])}}
        return found[:size], 200

    @route("POST", "/app/hook/deliveries/{delivery_id}/attempts")
    def redeliver(delivery_id: int) -> Answer:
        as_app()
        if world.webhooks.redeliver(delivery_id) is None:
            raise not_found()
        return {}, 202

    @route("GET", "/installation/repositories")
    def list_repositories() -> Answer:
        installation = access.installation(request.headers.get("Authorization", ""))
        g.rate = access.count(installation.id)
        found = [shapes.repository(world.repos[key]) for key in sorted(installation.repositories)]
        return {"total_count": len(found), "repositories": page(found)}, 200

    @route("GET", "/search/issues")
    def search_issues() -> Answer:
        """Of one repository, those that hold all quoted words in title, text or comments; the newest first."""
        query = request.args["q"]
        place = re.search(r"(?:^| )repo:([\w.-]+)/([\w.-]+)(?: |$)", query)
        if place is None:
            raise invalid("Search", "q", "invalid")
        repo = in_repo(place[1], place[2], "issues")
        wanted = [word.lower() for word in re.findall(r'"([^"]+)"', query)]
        states = [state for state in ("open", "closed") if f"is:{state}" in query] or ["open", "closed"]
        found = [issue for issue in repo.issues.values() if not issue.deleted and issue.state in states]
        if "is:issue" in query:
            found = [issue for issue in found if issue.pull is None]
        held = [issue for issue in found if all(word in _written(issue) for word in wanted)]
        items = [{**shapes.issue(repo, issue), "score": 1.0} for issue in reversed(held)]
        found_all = {"total_count": len(items), "incomplete_results": False, "search_type": "lexical"}
        return {**found_all, "items": page(items)}, 200

    # Repositories

    @route("GET", "/repos/{owner}/{repo}")
    def get_repository(owner: str, repo: str) -> Answer:
        return shapes.full_repository(in_repo(owner, repo, "metadata")), 200

    @route("GET", "/repos/{owner}/{repo}/contents/{path}")
    def get_contents(owner: str, repo: str, path: str) -> Answer:
        found = in_repo(owner, repo, "contents")
        ref = request.args.get("ref") or found.default_branch
        commit = found.resolve(ref)
        if commit is None:
            raise AccessRefused(404, f"No commit found for the ref {ref}")
        if path in commit.files:
            return shapes.file(found, path, commit.files[path], ref), 200
        inside = [name for name in sorted(commit.files) if name.startswith(f"{path}/")]
        if not inside:
            raise not_found()
        return shapes.directory(found, path, {name: commit.files[name] for name in inside}, ref), 200

    @route("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission")
    def get_permission(owner: str, repo: str, username: str) -> Answer:
        found = in_repo(owner, repo, "metadata")
        user = world.users.get(username.lower())
        if user is None or user.type != "User":
            raise AccessRefused(404, f"{username} is not a user")
        role = found.role(user.login)
        legacy = {"maintain": "write", "triage": "read"}.get(role, role)
        order = ["pull", "triage", "push", "maintain", "admin"]
        reach = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}[role]
        grants = {name: place < reach for place, name in enumerate(order)}
        member = {**shapes.user(user), "permissions": grants, "role_name": role}
        return {"permission": legacy, "user": member, "role_name": role}, 200

    @route("GET", "/orgs/{org}/teams/{team_slug}/memberships/{username}")
    def get_membership(org: str, team_slug: str, username: str) -> Answer:
        installation = access.installation(request.headers.get("Authorization", ""))
        g.rate = access.count(installation.id)
        access.permit("members", "read")
        members = world.teams.get((org.lower(), team_slug), set())
        if installation.account.login.lower() != org.lower() or username.lower() not in members:
            raise not_found()
        return {
            "url": f"{world.api_url}{request.path.removeprefix('/api/v3')}",
            "role": "member",
            "state": "active",
        }, 200

    # Issues

    @route("GET", "/repos/{owner}/{repo}/issues/{issue_number}")
    def get_issue(owner: str, repo: str, issue_number: int) -> Answer:
        return shapes.full_issue(*in_issue(owner, repo, issue_number)), 200

    @route("PATCH", "/repos/{owner}/{repo}/issues/{issue_number}")
    def update_issue(owner: str, repo: str, issue_number: int) -> Answer:
        found, issue = in_issue(owner, repo, issue_number, "write")
        sent = sent_body()
        if sent.get("state") == "closed":
            reason = sent.get("state_reason") or "completed"
            if reason not in ("completed", "not_planned", "duplicate"):
                raise invalid("FakeIssue", "state_reason", "invalid")
            world.close_issue(found.full_name, issue_number, by=world.bot.login, reason=reason)
        elif sent.get("state") == "open":
            world.reopen_issue(found.full_name, issue_number, by=world.bot.login)
        return shapes.full_issue(found, issue), 200

    @route("GET", "/repos/{owner}/{repo}/issues/{issue_number}/comments")
    def list_comments(owner: str, repo: str, issue_number: int) -> Answer:
        found, issue = in_issue(owner, repo, issue_number)
        return page([shapes.comment(found, issue, item, world.app) for item in issue.comments]), 200

    @route("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments")
    def create_comment(owner: str, repo: str, issue_number: int) -> Answer:
        found, issue = in_issue(owner, repo, issue_number, "write")
        if issue.locked:
            raise AccessRefused(403, "Unable to create comment because issue is locked.")
        body = checked_text(sent_body()["body"], "IssueComment", MAX_BODY)
        made = world.comment(found.full_name, issue_number, body, by=world.bot.login, via_app=True)
        comment = next(item for item in issue.comments if item.id == made)
        return shapes.comment(found, issue, comment, world.app), 201

    @route("GET", "/repos/{owner}/{repo}/issues/comments/{comment_id}")
    def get_comment(owner: str, repo: str, comment_id: int) -> Answer:
        found = in_repo(owner, repo, "issues")
        hit = world.find_comment(found, comment_id)
        if hit is None:
            raise not_found()
        return shapes.comment(found, *hit, world.app), 200

    @route("PATCH", "/repos/{owner}/{repo}/issues/comments/{comment_id}")
    def update_comment(owner: str, repo: str, comment_id: int) -> Answer:
        found = in_repo(owner, repo, "issues", "write")
        hit = world.find_comment(found, comment_id)
        if hit is None:
            raise not_found()
        world.edit_comment(
            found.full_name, comment_id, checked_text(sent_body()["body"], "IssueComment", MAX_BODY), by=world.bot.login
        )
        return shapes.comment(found, *hit, world.app), 200

    @route("POST", "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions")
    def react(owner: str, repo: str, comment_id: int) -> Answer:
        found = in_repo(owner, repo, "issues", "write")
        hit = world.find_comment(found, comment_id)
        if hit is None:
            raise not_found()
        comment, content = hit[1], sent_body()["content"]
        old = next((item for item in comment.reactions if item[1] is world.bot and item[2] == content), None)
        given = old or (world.next_id(), world.bot, content, world.now())
        if old is None:
            comment.reactions.append(given)
        shape = {"id": given[0], "node_id": f"REA_{given[0]}", "user": shapes.user(given[1]), "content": content}
        return {**shape, "created_at": stamp(given[3])}, 200 if old else 201

    # Labels

    @route("POST", "/repos/{owner}/{repo}/issues/{issue_number}/labels")
    def add_labels(owner: str, repo: str, issue_number: int) -> Answer:
        found, issue = in_issue(owner, repo, issue_number, "write")
        sent: Any = request.get_json(silent=True)  # GitHub takes an object or the bare list
        for name in sent["labels"] if isinstance(sent, dict) else sent:
            if not 0 < len(name) <= 50:
                raise invalid("Label", "name", "invalid")
            world.add_label(found.full_name, issue_number, name, by=world.bot.login)
        return [shapes.label(found, label) for label in issue.labels], 200

    @route("DELETE", "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}")
    def remove_label(owner: str, repo: str, issue_number: int, name: str) -> Answer:
        found, issue = in_issue(owner, repo, issue_number, "write")
        if not world.remove_label(found.full_name, issue_number, name, by=world.bot.login):
            raise AccessRefused(404, "Label does not exist")
        return [shapes.label(found, label) for label in issue.labels], 200

    @route("POST", "/repos/{owner}/{repo}/labels")
    def create_label(owner: str, repo: str) -> Answer:
        found, sent = in_repo(owner, repo, "issues", "write"), sent_body()
        if sent["name"].lower() in found.labels:
            raise invalid("Label", "name", "already_exists")
        label = Label(world.next_id(), sent["name"], sent.get("color", "ededed"), sent.get("description"))
        found.labels[label.name.lower()] = label
        return shapes.label(found, label), 201

    @route("GET", "/repos/{owner}/{repo}/labels/{name}")
    def get_label(owner: str, repo: str, name: str) -> Answer:
        found = in_repo(owner, repo, "issues")
        if name.lower() not in found.labels:
            raise not_found()
        return shapes.label(found, found.labels[name.lower()]), 200

    @route("PATCH", "/repos/{owner}/{repo}/labels/{name}")
    def update_label(owner: str, repo: str, name: str) -> Answer:
        found, sent = in_repo(owner, repo, "issues", "write"), sent_body()
        if name.lower() not in found.labels:
            raise not_found()
        label = found.labels[name.lower()]
        label.color = sent.get("color", label.color)
        label.description = sent.get("description", label.description)
        return shapes.label(found, label), 200

    @route("POST", "/graphql", root="")
    def graphql() -> Answer:
        installation = access.installation(request.headers.get("Authorization", ""))
        try:
            g.rate = access.count(installation.id)
            access.permit("pull_requests", "read")
            access.permit("issues", "read")
            access.permit("contents", "read")
        except AccessRefused as error:
            g.rate = error.headers
            return refused(error), 200
        return background(world, installation.repositories, sent_body()), 200

    add_pull_routes(world, route, in_repo, git)
    add_review_routes(world, route, in_repo, git)
    machines.add_routes(route, in_repo)
    return rest


def _rule(path: str) -> str:
    """OpenAPI path -> Flask rule: numbers are numbers, `{path}` and a `{ref}` at the end may hold slashes."""

    def converter(match: re.Match[str]) -> str:
        name = match[1]
        whole = name in ("path", "name") or (name == "ref" and path.endswith(match[0]))
        number = name.endswith(("_id", "_number")) and name != "workflow_id"  # a workflow also goes by its file's name
        kind = "int:" if number else "path:" if whole else ""
        return f"<{kind}{name}>"

    return re.sub(r"\{(\w+)\}", converter, path)


def _route() -> str:
    rule = request.url_rule.rule if request.url_rule else request.path
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule).removeprefix("/api").removeprefix("/v3")


def _spoil(fault: Fault) -> Response:
    body = {"message": fault.message or "Server Error", "documentation_url": "https://docs.github.com/rest"}
    response = as_json(body, fault.status or 502)
    response.headers.update(fault.headers)
    return response


def _exchange(response: Response, took_effect: bool, fault: Fault | None) -> Exchange:
    return Exchange(
        method=request.method,
        route=g.get("route") or _route(),
        path=request.path.removeprefix("/api").removeprefix("/v3"),
        parameters=dict(request.view_args or {}),
        query=request.args.to_dict(),
        request=request.get_json(silent=True),
        status=response.status_code,
        response=json.loads(response.get_data()) if response.is_json and response.get_data() else None,
        took_effect=took_effect,
        spoilt=fault is not None,
    )


def _written(issue: FakeIssue) -> str:
    texts = (issue.title, issue.body or "", *(comment.body for comment in issue.comments))
    return "\n".join(texts).lower()
