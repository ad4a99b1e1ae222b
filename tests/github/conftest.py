"""What the tests of this room share."""

import time
from datetime import UTC, datetime

import pytest

from bot.github.app import GitHubApp
from bot.github.channel import Clock
from bot.github.client import RepositoryClient
from bot.github.values import Repository
from fake_github import FakeGitHub


class Hours:
    """A clock whose sleepers wake at once, while its time passes. `slept` holds every wait in seconds."""

    def __init__(self) -> None:
        self.time = time.time()
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def now(self) -> float:
        return self.time

    @property
    def clock(self) -> Clock:
        return Clock(wall=self.now, ticks=self.now, sleep=self.sleep)

    def as_datetime(self) -> datetime:
        return datetime.fromtimestamp(self.time, UTC)


@pytest.fixture
def hours(fake_github: FakeGitHub) -> Hours:
    """One clock for Bouncer and for GitHub."""
    hours = Hours()
    fake_github.clock = hours.as_datetime
    return hours


def make_app(fake: FakeGitHub, hours: Hours, *, gap: float = 0, patience: float = 100) -> GitHubApp:
    return GitHubApp(
        fake.app.id, fake.private_key, fake.url, seconds_between_writes=gap, patience=patience, clock=hours.clock
    )


def make_client(fake: FakeGitHub, app: GitHubApp, repository: str = "acme/widgets") -> RepositoryClient:
    repo = fake.repo(repository)
    installation = fake.installation_of(repo)
    assert installation is not None
    return app.repository(installation.id, Repository(repo.id, repo.full_name))


@pytest.fixture
def client(fake_github: FakeGitHub, hours: Hours) -> RepositoryClient:
    """Which has a token already; no call is counted yet."""
    client = make_client(fake_github, make_app(fake_github, hours))
    client.about()
    fake_github.forget_calls()
    return client
