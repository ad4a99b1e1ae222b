"""Fixtures around the fake GitHub.

fake_github: a started `FakeGitHub` (`fake_github`) with one App, its key, the public repository `acme/widgets`
(owner `acme`; `maintainer` may maintain, `triager` triage, `reporter` is a stranger) and one installation; the webhook
of that is sent nowhere and forgotten: `calls()`, `writes()` and `deliveries` start empty.
fake_installation: that installation's id. fake_environment: the `BOUNCER_` variables that point settings at it.
Where npm is there, every call and webhook is checked against GitHub's description (`tests/support/contract.py`).
github_app: Bouncer's `GitHubApp`, talking to it. repository_client: its `RepositoryClient` for `acme/widgets`.
"""

from collections.abc import Iterator
from functools import cache

import pytest

from bot.github import auth
from bot.github.app import GitHubApp
from bot.github.client import RepositoryClient
from bot.github.values import Repository
from fake_github import FakeGitHub
from fake_github.access import new_private_key
from tests.support.contract import Contract, contract_available

REPOSITORY = "acme/widgets"
KEY = new_private_key()  # one for the whole run: making one takes a while
auth.load_pem_private_key = cache(auth.load_pem_private_key)  # so does finding out that its numbers are primes


@pytest.fixture
def fake_github() -> Iterator[FakeGitHub]:
    with FakeGitHub(private_key=KEY) as fake:
        fake.create_repository(REPOSITORY, collaborators={"maintainer": "maintain", "triager": "triage"})
        fake.install("acme", [REPOSITORY])
        fake.wait_for_webhooks()
        fake.webhooks.deliveries.clear()
        contract = Contract()
        if contract_available():
            fake.traffic.observers.append(contract.check_exchange)
            fake.webhooks.observers.append(contract.check_delivery)
        yield fake
    assert not contract.problems, "differs from GitHub's description:\n" + "\n".join(sorted(set(contract.problems)))


@pytest.fixture
def fake_installation(fake_github: FakeGitHub) -> int:
    return next(iter(fake_github.installations))


@pytest.fixture
def public_github(fake_github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> FakeGitHub:
    """The fake GitHub, which commands read without a key."""
    monkeypatch.setenv("BOUNCER_GITHUB_API_URL", fake_github.url)
    monkeypatch.setenv("BOUNCER_GITHUB_WEB_URL", fake_github.web_url)
    return fake_github


@pytest.fixture
def fake_environment(fake_github: FakeGitHub) -> dict[str, str]:
    return fake_github.environment()


@pytest.fixture
def github_app(fake_github: FakeGitHub) -> GitHubApp:
    return GitHubApp(fake_github.app.id, fake_github.private_key, fake_github.url, seconds_between_writes=0)


@pytest.fixture
def repository_client(fake_github: FakeGitHub, fake_installation: int, github_app: GitHubApp) -> RepositoryClient:
    repo = fake_github.repo(REPOSITORY)
    return github_app.repository(fake_installation, Repository(repo.id, repo.full_name))
