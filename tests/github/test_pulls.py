"""What the gate reads: pull requests, differences, comparisons, who is in which team."""

import pytest

from bot.github.app import GitHubApp
from bot.github.client import RepositoryClient
from bot.github.errors import NotFound
from bot.github.values import Repository
from fake_github import FakeGitHub
from fake_github.objects import make_commit

REPO = "acme/widgets"


@pytest.fixture
def number(fake_github: FakeGitHub) -> int:
    return fake_github.open_pull(REPO, "Change it", {"README.md": "# Other\n", "b.bin": b"\xff\0"}, branch="topic")


def test_the_diff_is_gits_own_in_one_call(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    """Also of more files than GitHub lists."""
    fake_github.push(REPO, {"later.txt": "not part of it"})
    pull = repository_client.get_pull(number)
    fake_github.forget_calls()
    diff = repository_client.difference(pull.base, pull.head)
    assert "-# widgets\n+# Other\n" in diff and "Binary files" in diff and "later.txt" not in diff
    assert sum(fake_github.calls().values()) == 1
    assert repository_client.difference(pull.base, pull.base) == ""


def test_the_files_of_a_comparison(fake_github: FakeGitHub, repository_client: RepositoryClient, number: int) -> None:
    pull = repository_client.get_pull(number)
    compared = repository_client.compare(pull.base, pull.head)
    assert (compared.status, compared.files, compared.complete) == ("ahead", 2, True)


def test_a_pull_request_outlives_its_fork(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    fork = fake_github.fork(REPO, "stranger")
    number = fake_github.open_pull(REPO, "From afar", {"a.txt": "a"}, source=fork, by="stranger")
    assert repository_client.get_pull(number).head_repository == "stranger/widgets"
    fake_github.delete_repository(fork)
    assert repository_client.get_pull(number).head_repository == ""


def test_a_pull_request_tells_its_labels_state_and_merge(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    repository_client.add_label(number, "bounced", color="b60205", description="Held back")
    repository_client.add_label(number, "bounced", color="b60205", description="Held back")
    fake_github.convert_to_draft(REPO, number)
    pull = repository_client.get_pull(number)
    assert (pull.labels, pull.draft, pull.state, pull.head_branch) == (("bounced",), True, "open", "topic")
    repository_client.remove_label(number, "bounced")
    fake_github.merge_pull(REPO, number)
    pull = repository_client.get_pull(number)
    assert (pull.labels, pull.state, pull.merged) == ((), "closed", True)


def test_a_pull_requests_label_needs_the_right_to_write_pull_requests(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake_github.app.permissions["pull_requests"] = "read"
    with pytest.raises(Exception, match="403"):
        repository_client.add_label(number, "bounced", color="b60205", description="Held back")


def test_a_push_on_top_is_ahead_and_a_force_push_has_diverged(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    old = repository_client.get_pull(number).head
    new = fake_github.push_to_pull(REPO, number, {"docs.md": "words\n"})
    found = repository_client.compare(old, new)
    assert (found.status, found.merge_base, found.complete) == ("ahead", old, True)
    assert found.files == 1
    assert repository_client.compare(new, new).status == "identical"
    forced = fake_github.push_to_pull(REPO, number, {"a.txt": "a"}, onto="main")
    assert repository_client.compare(old, forced).status == "diverged"
    with pytest.raises(NotFound):
        repository_client.compare("0" * 40, new)


def test_a_comparison_of_very_many_files_is_not_complete(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    repo = fake_github.repo(REPO)
    base = repo.commits[repo.branches["main"]]
    tree = {**base.files, **{f"{place}.txt": b"x" for place in range(400)}}
    made, _ = make_commit(tree, base.sha, "Many", base.author, base.at)
    repo.commits[made.sha] = made
    found = repository_client.compare(base.sha, made.sha)
    assert (found.files, found.complete) == (300, False)


def test_team_membership_is_known_denied_or_unknown(fake_github: FakeGitHub, github_app: GitHubApp) -> None:
    repo = fake_github.create_repository("octo-org/tools", organization=True)
    installation = fake_github.install("octo-org", ["octo-org/tools"])
    fake_github.create_team("octo-org", "gate-keepers", ["Keeper"])
    client = github_app.repository(installation, Repository(repo.id, repo.full_name))
    assert client.in_team("gate-keepers", "keeper") is True
    assert client.in_team("gate-keepers", "stranger") is False
    assert client.in_team("no-such-team", "keeper") is False
    assert client.in_team("../../../app", "keeper") is False
    del fake_github.app.permissions["members"]
    assert client.in_team("gate-keepers", "keeper") is None


def test_an_account_that_is_no_organization_has_no_teams(repository_client: RepositoryClient) -> None:
    assert repository_client.in_team("gate-keepers", "maintainer") is False
