"""One call of the fake's REST operations: who calls, what it is about, whether that is permitted, and its answer."""

import json
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from flask import Response, g, request
from justhtml import JustHTML

from fake_github.access import ANYBODY, AccessRefused, not_found, redirect_to
from fake_github.fields import Json
from fake_github.markdown import to_html
from fake_github.world import FakeCheckRun, FakeComment, FakeInstallation, FakeIssue, FakePull, Repo, User

if TYPE_CHECKING:
    from fake_github.machines import WorkflowRun
    from fake_github.server import FakeGitHub

Answer = tuple[Any, int]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Operation:
    """path: as in GitHub's OpenAPI description. needs: `app`, `installation`, `user`, `anybody`, or a
    permission as `issues:write`."""

    method: str
    path: str
    needs: str
    run: Callable[..., Answer]


OPERATIONS: list[Operation] = []


def operation(method: str, path: str, needs: str) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Register an operation. It is given the call, and what of its path does not name what the call is about."""

    def register(run: Callable[..., Answer]) -> Callable[..., Answer]:
        OPERATIONS.append(Operation(method, path, needs, run))
        return run

    return register


class RestCall:
    """What the path names is found before the operation runs: then the attributes that are about it are there."""

    installation: FakeInstallation
    person: User
    repo: Repo
    issue: FakeIssue
    pull: FakePull
    comment: FakeComment
    check: FakeCheckRun
    run: "WorkflowRun"

    def __init__(self, world: "FakeGitHub") -> None:
        self.world, self.access, self.shapes = world, world.access, world.shapes

    def carry_out(self, wanted: Operation, named: dict[str, Any]) -> Answer:
        """Raises `AccessRefused`. named: what stands in the path."""
        if wanted.needs == "app":
            self.access.app()
            g.rate = self.access.count(0)
        elif wanted.needs == "installation":
            self.installation = self.access.installation()
            g.rate = self.access.count(self.installation.id)
        elif wanted.needs == "user":
            person = self.access.person()
            if person is None:
                raise AccessRefused(401, "Bad credentials")
            self.person = person
            g.rate = self.access.count(self.person.id)
        elif "owner" in named:
            area, level = wanted.needs.split(":")
            self.repo = self.in_repo(named.pop("owner"), named.pop("repo"), area, level)
            self._find(named, level)
        return wanted.run(self, **named)

    def in_repo(self, owner: str, repo: str, area: str, level: str = "read") -> Repo:
        """Anybody may read what is public."""
        covered: Set[int] = frozenset()
        if level == "read" and "Authorization" not in request.headers:
            g.rate = self.access.count(ANYBODY)
        elif level == "read" and (person := self.access.person()):
            g.rate = self.access.count(person.id)
            covered = self.access.visible_repositories(person)
        else:
            installation = self.access.installation()
            g.rate = self.access.count(installation.id)
            covered = installation.repositories
        moved = self.world.renamed.get(f"{owner}/{repo}".lower())
        if moved is not None:
            tail = request.path.split("/", 6)[6:]
            raise redirect_to("/".join(["/repos", self.world.repos[moved].full_name, *tail]))
        found = self.access.repository(covered, owner, repo, write=level == "write")
        self.access.permit(area, level)
        return found

    def _find(self, named: dict[str, Any], level: str) -> None:
        if "issue_number" in named:
            self.issue = existing(self.repo.issues.get(named.pop("issue_number")))
            if self.issue.pull and level == "write":
                self.access.permit("pull_requests", "write")
            if self.issue.transferred_to:
                raise redirect_to(self.issue.transferred_to)
            if self.issue.deleted:
                raise AccessRefused(410, "This issue was deleted")
        if "pull_number" in named:
            issue = self.repo.issues.get(named.pop("pull_number"))
            self.issue = existing(None if issue is None or issue.deleted else issue)
            self.pull = existing(self.issue.pull)
        if "comment_id" in named and "/issues/comments/" in request.path:
            self.issue, self.comment = existing(self.world.find_comment(self.repo, named.pop("comment_id")))
        if "check_run_id" in named:
            self.check = existing(self.repo.checks.get(named.pop("check_run_id")))
        if "run_id" in named:
            run = self.world.machines.runs.get(named.pop("run_id"))
            self.run = existing(run if run and run.repo is self.repo else None)


def existing(found: Item | None) -> Item:
    """Answer 404 where nothing was found."""
    if found is None:
        raise not_found()
    return found


# Bodies and pages


def check_text(value: Any, resource: str, limit: int) -> str:
    if not isinstance(value, str) or len(value) > limit:
        message = f"body is too long (maximum is {limit} characters)"
        problem = {"resource": resource, "field": "body", "code": "unprocessable", "message": message}
        raise AccessRefused(422, "Validation Failed", errors=[problem])
    return value


def with_html(shape: Json) -> Json:
    """What somebody wrote, with its HTML and its plain text where the full media type is asked for."""
    if request.headers.get("Accept") != "application/vnd.github.full+json":
        return shape
    html = to_html(shape["body"] or "")
    return {**shape, "body_html": html, "body_text": JustHTML(html, fragment=True).to_text()}


def request_body() -> Json:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise AccessRefused(400, "Problems parsing JSON")
    return body


def as_json(body: Any, status: int) -> Response:
    text = "" if body is None else json.dumps(body)
    response = Response(text, status, content_type="application/json; charset=utf-8")
    if links := g.get("links"):
        response.headers["Link"] = ", ".join(f'<{_again(**change)}>; rel="{name}"' for name, change in links.items())
    return response


def _again(**change: str) -> str:
    """The address of this call with other query parameters."""
    query = "&".join(f"{name}={value}" for name, value in {**request.args.to_dict(), **change}.items())
    return f"{request.base_url}?{query}"


def page(items: Sequence[Item]) -> list[Item]:
    """The page asked for; leaves the Link header's addresses for `as_json`."""
    size = max(1, min(int(request.args.get("per_page", 30)), 100))
    page = max(1, int(request.args.get("page", 1)))
    last = max(1, -(-len(items) // size))
    places = {"prev": page - 1, "first": 1} if page > 1 else {}
    if page < last:
        places |= {"next": page + 1, "last": last}
    g.links = {name: {"page": str(place)} for name, place in places.items()}
    return list(items[(page - 1) * size : page * size])
