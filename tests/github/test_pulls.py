"""What the gate reads: diffs, files, comparisons, whose commit it is, who is in which team."""

import pytest

from bot.demo.fake import FakeGitHub
from bot.demo.fake.objects import make_commit
from bot.demo.fake.world import Commit
from bot.github.app import GitHubApp
from bot.github.client import RepositoryClient
from bot.github.errors import NotFound
from bot.github.values import NotReadable, PullFile, Repository

REPO = "acme/widgets"


@pytest.fixture
def number(fake_github: FakeGitHub) -> int:
    return fake_github.open_pull(REPO, "Change it", {"README.md": "# Other\n", "b.bin": b"\xff\0"}, branch="topic")


def test_the_diff_is_gits_own_in_one_call(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake_github.push(REPO, {"later.txt": "not part of it"})
    repository_client.default_branch()
    fake_github.forget_calls()
    diff = repository_client.get_diff(number)
    assert isinstance(diff, str)
    assert "-# widgets\n+# Other\n" in diff and "Binary files" in diff and "later.txt" not in diff
    assert sum(fake_github.calls().values()) == 1


def test_a_diff_of_no_files_is_empty(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    fake_github.push(REPO, {"README.md": "# widgets\n"}, branch="same")
    number = fake_github.open_pull(REPO, "Nothing", {}, branch="same")
    assert repository_client.get_diff(number) == ""
    assert repository_client.files(number) == ()


@pytest.mark.parametrize(
    "files",
    [{f"{place}.txt": "x" for place in range(301)}, {"long.txt": "x\n" * 20_001}],
    ids=["files", "lines"],
)
def test_a_diff_github_refuses_to_show_is_not_readable(
    fake_github: FakeGitHub, repository_client: RepositoryClient, files: dict[str, str]
) -> None:
    number = fake_github.open_pull(REPO, "Large", files)
    assert isinstance(repository_client.get_diff(number), NotReadable)
    assert len(repository_client.files(number)) == len(files)


def test_other_refusals_of_a_diff_are_errors(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    with pytest.raises(NotFound):
        repository_client.get_diff(99)


def test_files_are_listed_with_their_hunks(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    readme, binary = repository_client.files(number)
    assert (readme.path, readme.status, readme.additions, readme.deletions) == ("README.md", "modified", 1, 1)
    assert readme.patch.startswith("@@ -1")
    assert binary == PullFile("b.bin", "added", 0, 0)
    assert repository_client.files(number, most=1) == (readme,)


def test_a_commit_is_found_in_every_open_pull_request_it_heads(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake_github.push(REPO, {"v1.txt": "1"}, branch="v1")
    second = fake_github.open_pull(REPO, "The same", {}, branch="topic", base="v1")
    closed = fake_github.open_pull(REPO, "Once more", {}, branch="topic")
    fake_github.close_issue(REPO, closed)
    head = repository_client.get_pull(number).head
    assert {pull.number for pull in repository_client.pulls_at(head)} == {number, second}
    assert repository_client.pulls_at("0" * 40) == ()


def test_a_commit_of_a_fork_is_found_too(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    fork = fake_github.fork(REPO, "stranger")
    number = fake_github.open_pull(REPO, "From afar", {"a.txt": "a"}, source=fork, by="stranger")
    repository_client.default_branch()
    fake_github.forget_calls()
    (pull,) = repository_client.pulls_at(repository_client.get_pull(number).head)
    assert (pull.number, pull.head_repository) == (number, "stranger/widgets")
    assert sum(fake_github.calls().values()) == 2
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
    assert [(file.path, file.status) for file in found.files] == [("docs.md", "added")]
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
    made = make_commit(tree, base.sha, "Many", base.author, base.at)
    repo.commits[made.sha] = Commit(made.sha, made.tree, base.sha, "Many", base.author, base.at, tree)
    found = repository_client.compare(base.sha, made.sha)
    assert (len(found.files), found.complete) == (300, False)


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
