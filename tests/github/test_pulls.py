"""What is read and written of pull requests: differences, reviews, groups of the merge queue, merges by git alone."""

from pathlib import Path

import pytest

from bot.github.app import GitHubApp
from bot.github.client import RepositoryClient
from bot.github.commits import Clash, merge_into
from bot.github.errors import NotFound, Rejected
from bot.github.values import LineNote, Repository
from fake_github import FakeGitHub
from fake_github.objects import make_commit
from tests.github.conftest import Hours, make_app, make_client
from tests.support.clones import commit, git, initialise

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


MARK = "<!-- mark -->"


def test_comments_on_lines_are_made_and_found(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    fake_github.push(REPO, {"a.txt": "".join(f"{n}\n" for n in range(30))})
    number = fake_github.open_pull(REPO, "Change", {"a.txt": "".join(f"{n}\n" for n in range(29)) + "new\n"})
    head = repository_client.get_pull(number).head
    fake_github.review(REPO, number, f"Pasted {MARK}", state="commented", by="reviewer")
    assert repository_client.find_own_review(number, MARK) is None
    notes = [LineNote("a.txt", 30, 30, "One line."), LineNote("a.txt", 28, 29, "Two lines.")]
    made = repository_client.comment_on_lines(number, head, f"Said. {MARK}", notes)
    assert (made.state, made.commit, made.author_is_bot) == ("commented", head, True)
    assert repository_client.find_own_review(number, MARK) == made
    remarks = repository_client.remarks(number)
    assert {each.review for each in remarks} == {made.id}
    seen = {(each.start_line, each.line, each.body) for each in remarks}
    assert seen == {
        (30, 30, "One line."),
        (28, 29, "Two lines."),
    }


@pytest.mark.parametrize("note", [LineNote("a.txt", 1, 1, "Far away."), LineNote("b.txt", 1, 1, "Elsewhere.")])
def test_other_lines_are_refused(fake_github: FakeGitHub, repository_client: RepositoryClient, note: LineNote) -> None:
    fake_github.push(REPO, {"a.txt": "".join(f"{n}\n" for n in range(30))})
    number = fake_github.open_pull(REPO, "Change", {"a.txt": "".join(f"{n}\n" for n in range(29)) + "new\n"})
    with pytest.raises(Rejected):
        repository_client.comment_on_lines(number, repository_client.get_pull(number).head, "Said.", [note])


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


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = initialise(tmp_path / "home")
    commit(home, {"a.py": "one\ntwo\nthree\nfour\nfive\n", "b.py": "y = 0\n", ".gitattributes": "* merge=union\n"})
    git(home, "branch", "fix")
    return home


def merged(home: Path, into: Path) -> dict[str, str]:
    """`fix` merged into `main`."""
    start, tip, head = (git(home, *words) for words in (("merge-base", "main", "fix"), *_TIPS))
    into.mkdir()
    merge_into(home / ".git", start, tip, head, into, 1_000_000)
    return {path.name: path.read_text() for path in into.iterdir()}


_TIPS = (("rev-parse", "main"), ("rev-parse", "fix"))


def both(home: Path, ours: dict[str, str | None], theirs: dict[str, str | None]) -> None:
    commit(home, ours)
    git(home, "checkout", "--quiet", "fix")
    commit(home, theirs)


def test_what_both_sides_changed_apart_comes_together(home: Path, tmp_path: Path) -> None:
    both(home, {"a.py": "ONE\ntwo\nthree\nfour\nfive\n"}, {"a.py": "one\ntwo\nthree\nfour\nFIVE\n", "b.py": None})
    files = merged(home, tmp_path / "into")
    assert files["a.py"] == "ONE\ntwo\nthree\nfour\nFIVE\n"
    assert "b.py" not in files


def test_a_conflict_names_its_files_and_no_attribute_hides_it(home: Path, tmp_path: Path) -> None:
    git(home, "config", "merge.ours.driver", "true")
    both(home, {"b.py": "y = 1\n"}, {"b.py": "y = 2\n", ".gitattributes": "* merge=ours\n"})
    with pytest.raises(Clash) as clash:
        merged(home, tmp_path / "into")
    assert clash.value.files == ("b.py",)
