"""The fake as a server: whom it answers, faults that leave traces, another start."""

from collections.abc import Iterator

import jwt
import pytest
import requests

from bot.github.client import RepositoryClient
from bot.github.errors import GitHubError
from fake_github import FakeGitHub
from fake_github.access import new_private_key

REPO = "acme/widgets"


@pytest.fixture
def http() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


def signed(key: str, **claims: object) -> dict[str, str]:
    token = jwt.encode(claims, key, algorithm="RS256")
    return {"Authorization": f"Bearer {token}"}


def test_only_the_apps_own_key_is_accepted(fake_github: FakeGitHub, http: requests.Session) -> None:
    now = int(fake_github.now().timestamp())
    good = {"iat": now - 10, "exp": now + 300, "iss": str(fake_github.app.id)}
    key = fake_github.private_key
    assert http.get(f"{fake_github.url}/app", headers=signed(key, **good)).status_code == 200
    for refused in (
        {},
        {"Authorization": "Bearer nonsense"},
        signed(new_private_key(), **good),
        signed(key, **{**good, "iss": "1"}),
        signed(key, **{**good, "iat": now - 900, "exp": now - 300}),
        signed(key, **{**good, "exp": now + 3600}),
        signed(key, iss=good["iss"]),
        {"Authorization": "Bearer " + jwt.encode(good, "x" * 32, algorithm="HS256")},
    ):
        assert http.get(f"{fake_github.url}/app", headers=refused).status_code == 401


def test_effects_are_counted_even_when_the_answer_is_spoilt(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help")
    fake_github.fail(502, route="/comments")
    fake_github.drop(route="/comments")
    fake_github.fail(502, route="/comments", after_effect=True)
    fake_github.drop(route="/comments", after_effect=True)
    for text in "abcd":
        with pytest.raises(GitHubError):
            repository_client.create_comment(number, text)
    assert [comment.body for comment in fake_github.issue(REPO, number).comments] == ["c", "d"]
    assert [call.request["body"] for call in fake_github.writes(REPO, number)] == ["c", "d"]
    assert fake_github.writes("acme/other") == []


def test_a_slow_call_does_not_hold_up_the_others(
    fake_github: FakeGitHub, repository_client: RepositoryClient, http: requests.Session
) -> None:
    fake_github.slow_down(60, route="/repos/{owner}/{repo}")
    with pytest.raises(requests.Timeout):
        http.get(f"{fake_github.url}/repos/acme/widgets", timeout=0.2)
    assert repository_client.about().default_branch == "main"


def test_an_answer_can_be_late_after_the_work_was_done(
    fake_github: FakeGitHub, repository_client: RepositoryClient, http: requests.Session
) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help")
    repository_client.about()
    (token,) = fake_github.tokens
    fake_github.slow_down(60, method="POST", route="/comments", after_effect=True)
    address = f"{fake_github.url}/repos/{REPO}/issues/{number}/comments"
    with pytest.raises(requests.Timeout):
        http.post(address, json={"body": "Hello"}, headers={"Authorization": f"token {token}"}, timeout=0.5)
    assert len(fake_github.issue(REPO, number).comments) == 1


def test_it_comes_back_under_the_same_address_with_all_it_knew(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    number = fake_github.open_issue(REPO, "It broke", "help")
    url = fake_github.url
    fake_github.stop()
    fake_github.start()
    assert fake_github.url == url
    assert repository_client.get_issue(number).title == "It broke"
