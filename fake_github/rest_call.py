"""One call of the fake's REST operations: who calls, what the call is about, and whether that is permitted."""

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any

from flask import g, request

from fake_github.access import ANYBODY, Access, AccessRefused, not_found, redirect_to
from fake_github.app_registration import AppRegistration
from fake_github.checks import CheckActions
from fake_github.git import GitHost
from fake_github.machines import Machines, WorkflowRun
from fake_github.shapes import Shapes
from fake_github.world import FakeCheckRun, FakeComment, FakeInstallation, FakeIssue, FakePull, Repo, User

Answer = tuple[Any, int]


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
    run: WorkflowRun

    def __init__(
        self, world: CheckActions, access: Access, machines: Machines, git: GitHost, registration: AppRegistration
    ) -> None:
        self.world, self.access, self.machines, self.git = world, access, machines, git
        self.registration = registration

    @property
    def shapes(self) -> Shapes:
        return self.world.shapes

    def carry_out(self, wanted: Operation, named: dict[str, Any]) -> Answer:
        """Raises `Refused`. named: what stands in the path."""
        authorization = request.headers.get("Authorization", "")
        if wanted.needs == "app":
            self.access.app(authorization)
            g.rate = self.access.count(0)
        elif wanted.needs == "installation":
            self.installation = self.access.installation(authorization)
            g.rate = self.access.count(self.installation.id)
        elif wanted.needs == "user":
            self.person = self.access.person(authorization)
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
        elif level == "read" and (person := self.access.person_of(request.headers["Authorization"])):
            g.rate = self.access.count(person.id)
            covered = self.access.visible_repositories(person)
        else:
            installation = self.access.installation(request.headers.get("Authorization", ""))
            g.rate = self.access.count(installation.id)
            covered = installation.repositories
        moved = self.world.renamed.get(f"{owner}/{repo}".lower())
        if moved is not None:
            tail = request.path.split("/", 6)[6:]
            raise redirect_to(
                "/".join(["/repos", self.world.repos[moved].full_name, *tail]), write=request.method != "GET"
            )
        found = self.access.repository(covered, owner, repo, write=level == "write")
        self.access.permit(area, level)
        return found

    def _find(self, named: dict[str, Any], level: str) -> None:
        if "issue_number" in named:
            self.issue = self._existing(self.repo.issues.get(named.pop("issue_number")))
            self._may_touch(self.issue, level)
        if "pull_number" in named:
            issue = self.repo.issues.get(named.pop("pull_number"))
            self.issue = self._existing(None if issue is None or issue.deleted else issue)
            self.pull = self._existing(self.issue.pull)
        if "comment_id" in named:
            self.issue, self.comment = self._existing(self.world.find_comment(self.repo, named.pop("comment_id")))
        if "check_run_id" in named:
            self.check = self._existing(self.repo.checks.get(named.pop("check_run_id")))
        if "run_id" in named:
            run = self.machines.runs.get(named.pop("run_id"))
            self.run = self._existing(run if run and run.repo is self.repo else None)

    def _may_touch(self, issue: FakeIssue, level: str) -> None:
        if issue.pull and level == "write":
            self.access.permit("pull_requests", "write")
        if issue.transferred_to:
            raise redirect_to(issue.transferred_to, write=request.method != "GET")
        if issue.deleted:
            raise AccessRefused(410, "This issue was deleted")

    @staticmethod
    def _existing(found: Any) -> Any:
        if found is None:
            raise not_found()
        return found
