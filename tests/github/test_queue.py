"""The merge queue's groups, and the difference of two commits, as GitHub tells of them."""

import pytest

from bot.github.client import RepositoryClient
from bot.github.errors import NotFound
from fake_github import FakeGitHub
from tests.github.conftest import Hours, make_app, make_client

REPO = "acme/widgets"


@pytest.fixture
def client(fake_github: FakeGitHub, hours: Hours) -> RepositoryClient:
    return make_client(fake_github, make_app(fake_github, hours))


def test_the_groups_that_wait_for_a_branch(fake_github: FakeGitHub, client: RepositoryClient) -> None:
    base = fake_github.repo(REPO).branches["main"]
    fake_github.push(REPO, {"a.txt": "x"}, branch="main/pr-1")
    pulls = [fake_github.open_pull(REPO, "Mend", {f"{name}.txt": "x"}) for name in "ab"]
    other = fake_github.open_pull(REPO, "Elsewhere", {"c.txt": "x"}, base="main/pr-1")
    assert client.merge_groups("main") == ()
    first, second = (fake_github.queue(REPO, number) for number in pulls)
    found = {group.number: (group.base, group.head, group.base_branch) for group in client.merge_groups("main")}
    assert found == {pulls[0]: (base, first, "main"), pulls[1]: (first, second, "main")}
    fake_github.leave_queue(REPO, pulls[0])
    assert client.merge_groups("main") == ()
    head = fake_github.queue(REPO, other)
    assert [group.head for group in client.merge_groups("main/pr-1")] == [head]


def test_the_difference_of_two_commits(fake_github: FakeGitHub, client: RepositoryClient) -> None:
    old = fake_github.push(REPO, {"half.py": "n = 1\n"})
    new = fake_github.push(REPO, {"half.py": "n = 2\n"})
    assert "-n = 1\n+n = 2\n" in client.difference(old, new)
    assert client.difference(new, new) == ""
    with pytest.raises(NotFound):
        client.difference("1" * 40, new)
