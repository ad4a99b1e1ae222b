"""A repository that uses the Action, on a fake GitHub whose one App is GitHub Actions."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.demo.sample_repository import FILES
from bot.github.workflow_token import SLUG
from bot.policy_file import PATH
from bot.rendering.gate import NAME
from fake_github import FakeGitHub
from fake_github.views import CheckView, IssueView
from tests.action.runner import PLACE, JobRun, Runner, example_files
from tests.support.contract import Contract, contract_available
from tests.support.github import KEY

REPOSITORY = "acme/kettle"
ENFORCE = FILES[PATH]


@dataclass
class Place:
    """The repository, and GitHub's machines."""

    github: FakeGitHub
    runner: Runner

    def settle(self) -> list[JobRun]:
        jobs = self.runner.settle()
        for job in jobs:
            assert job.succeeded, job.log
        return jobs

    def open(self, title: str, body: str, *, by: str = "reporter") -> int:
        number = self.github.open_issue(REPOSITORY, title, body, by=by)
        self.settle()
        return number

    def say(self, number: int, body: str, *, by: str = "reporter") -> list[JobRun]:
        """A second later at least: a word of the same second as a push is taken for one before it."""
        self.later()
        self.github.comment(REPOSITORY, number, body, by=by)
        return self.settle()

    def crowd(self, number: int, *said: tuple[str, str]) -> list[JobRun]:
        """Who says what there, in this order, while a job is at work; the jobs that GitHub did not drop."""
        self.later()
        for by, body in said:
            self.github.comment(REPOSITORY, number, body, by=by)
        jobs = self.runner.crowd()
        for job in jobs:
            assert job.succeeded, job.log
        return jobs

    def without_queue(self) -> None:
        """As where GitHub does not know that line: one job of a group waits, and a newer one takes its place."""
        path = f"{PLACE}/bouncer-issues.yml"
        lines = example_files()[path].splitlines(keepends=True)
        self.github.push(REPOSITORY, {path: "".join(line for line in lines if "queue: max" not in line)})
        self.settle()

    def later(self) -> None:
        """From now on GitHub's clock is a second ahead of where it would be."""
        clock = self.github.clock
        self.github.clock = lambda: clock() + timedelta(seconds=1)

    def issue(self, number: int) -> IssueView:
        return self.github.issue(REPOSITORY, number)

    def spoken(self, number: int) -> list[str]:
        """What Bouncer wrote there, oldest first."""
        return [each.body for each in self.issue(number).comments if each.by_bouncer]

    def head(self, number: int) -> str:
        pull = self.github.repo(REPOSITORY).issues[number].pull
        assert pull is not None
        return pull.head

    def check(self, number: int) -> CheckView | None:
        """Bouncer's check on the newest commit."""
        head = self.head(number)
        found = [each for each in self.github.checks(REPOSITORY) if each.head_sha == head and each.name == NAME]
        return found[-1] if found else None

    def mergeable(self, number: int) -> bool:
        return self.github.mergeable(REPOSITORY, number, NAME)

    def fork(self, owner: str) -> str:
        return self.github.fork(REPOSITORY, owner)

    def policy(self, text: str) -> None:
        self.github.push(REPOSITORY, {PATH: text})
        self.settle()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with FakeGitHub(private_key=KEY, slug=SLUG, app_id=15368) as github:
        github.app.permissions["actions"] = "read"
        roles = {"maintainer": "maintain", "triager": "triage"}
        files: dict[str, Any] = {**FILES, **example_files()}
        github.create_repository(REPOSITORY, files=files, collaborators=roles)
        github.install("acme", [REPOSITORY])
        github.wait_for_webhooks()
        contract = Contract()
        if contract_available():
            github.traffic.observers.append(contract.check_exchange)
        yield Place(github, Runner(github, REPOSITORY, tmp_path))
    assert not contract.problems, "differs from GitHub's description:\n" + "\n".join(sorted(set(contract.problems)))
