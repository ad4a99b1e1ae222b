"""What Bouncer reads and writes in a repository."""

import pytest

from bot.github.app import GitHubApp
from bot.github.channel import Channel
from bot.github.client import RepositoryClient
from bot.github.deliveries import Delivery
from bot.github.errors import Forbidden, Gone, NotFound, Rejected
from bot.github.events import read
from bot.github.transport import HttpAnswer
from bot.github.values import Absent, File, NotModified, NotReadable
from fake_github import FakeGitHub

REPO = "acme/widgets"
MARKER = "<!-- bouncer:issue -->"
LABEL = {"color": "fbca04", "description": "Waiting for the reporter"}


@pytest.fixture
def number(fake_github: FakeGitHub) -> int:
    return fake_github.open_issue(REPO, "It broke", "help", by="reporter", labels=("bug",))


def test_an_issue_reads_the_same_from_a_webhook(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    comment = fake_github.comment(REPO, number, "More \U0001f600 text\u200b", by="stranger")
    delivery = read("issue_comment", fake_github.deliveries[-1].payload)
    assert isinstance(delivery, Delivery)
    assert delivery.issue == repository_client.get_issue(number)
    assert (delivery.comment,) == repository_client.comments(number)
    assert delivery.comment and delivery.comment.id == comment


def test_all_pages_of_comments(fake_github: FakeGitHub, repository_client: RepositoryClient, number: int) -> None:
    for place in range(205):
        fake_github.comment(REPO, number, str(place))
    assert [comment.body for comment in repository_client.comments(number)] == [str(place) for place in range(205)]
    assert sum(fake_github.calls().values()) == 3 + 1


def test_an_installation_of_more_than_ten_thousand_repositories_is_listed_whole(
    github_app: GitHubApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not on the list is taken for one that the App reaches no more, and its pages close."""
    shapes = [
        {"id": each, "full_name": f"acme/{each}", "default_branch": "main", "private": False} for each in range(1, 121)
    ]

    def a_page(channel: Channel, method: str, path: str, **given: object) -> HttpAnswer:
        number = int(path.partition("?page=")[2] or 0)
        more = {"link": f'</installation/repositories?page={number + 1}>; rel="next"'} if number < 119 else {}
        return HttpAnswer(200, more, {"total_count": 120, "repositories": [shapes[number]]})

    monkeypatch.setattr(Channel, "call", a_page)
    assert [each.id for each in github_app.installation_repositories(1)] == list(range(1, 121))


def test_the_search_for_the_own_comment_ends_where_it_is_found(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    own = repository_client.create_comment(number, MARKER)
    for place in range(205):
        fake_github.comment(REPO, number, str(place))
    fake_github.forget_calls()
    assert repository_client.find_own_comment(number, MARKER) == own
    assert sum(fake_github.calls().values()) == 1


def test_only_the_apps_own_comment_is_its_own(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake = fake_github
    for login in ("stranger", "bouncer", "bouncer-bot", "other[bot]"):
        fake.comment(REPO, number, f"{MARKER} mine!", by=login)
    assert repository_client.find_own_comment(number, MARKER) is None
    repository_client.create_comment(number, "Hello without a marker")
    first = repository_client.create_comment(number, f"Hello\n\n{MARKER}")
    repository_client.create_comment(number, f"Twice {MARKER}")
    assert repository_client.find_own_comment(number, MARKER) == first
    assert first.app_id == fake.app.id


def test_a_comment_written_with_the_app_by_a_person_is_not_its_own(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake_github.comment(REPO, number, MARKER, by="stranger", via_app=True)
    assert repository_client.find_own_comment(number, MARKER) is None


def test_the_bots_name_counts_where_github_does_not_name_the_app(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake_github.comment(REPO, number, MARKER, by="other[bot]")
    comment = fake_github.comment(REPO, number, MARKER, by="bouncer[bot]")
    found = repository_client.find_own_comment(number, MARKER)
    assert found and found.id == comment


def test_comments_are_written_and_edited_in_place(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    comment = repository_client.create_comment(number, "One")
    assert repository_client.update_comment(comment.id, "Two").body == "Two"
    (shown,) = fake_github.issue(REPO, number).comments
    assert (shown.body, shown.author, shown.edits, shown.by_bouncer) == ("Two", "bouncer[bot]", 1, True)
    fake_github.delete_comment(REPO, comment.id)
    with pytest.raises(NotFound):
        repository_client.update_comment(comment.id, "Three")
    with pytest.raises(Rejected):
        repository_client.create_comment(number, "x" * 65_537)


def test_a_missing_label_is_created_as_wanted(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    repository_client.about()
    fake_github.forget_calls()
    repository_client.add_label(number, "needs-clarification", **LABEL)
    assert sum(fake_github.calls().values()) == 2
    label = fake_github.repo(REPO).labels["needs-clarification"]
    assert (label.color, label.description) == ("fbca04", "Waiting for the reporter")
    other = fake_github.open_issue(REPO, "It broke too", "")
    fake_github.forget_calls()
    repository_client.add_label(other, "needs-clarification", **LABEL)
    repository_client.add_label(other, "needs-clarification", **LABEL)
    assert sum(fake_github.calls().values()) == 2, "one call each once the label exists"
    assert fake_github.issue(REPO, other).labels == ("needs-clarification",)


@pytest.mark.parametrize(("color", "description"), [("ff0000", None), ("ededed", "Ours"), ("00ff00", "Ours")])
def test_a_label_somebody_designed_is_left_alone(
    fake_github: FakeGitHub,
    repository_client: RepositoryClient,
    number: int,
    color: str,
    description: str | None,
) -> None:
    fake_github.add_label(REPO, number, "Needs-Clarification")
    label = fake_github.repo(REPO).labels["needs-clarification"]
    label.color, label.description = color, description
    repository_client.add_label(number, "needs-clarification", **LABEL)
    assert (label.color, label.description) == (color, description)


def test_labels_with_odd_names(fake_github: FakeGitHub, repository_client: RepositoryClient, number: int) -> None:
    for name in ("needs info/более?", "100% done", "a+b&c#d", "..."):
        repository_client.add_label(number, name, **LABEL)
        assert name in fake_github.issue(REPO, number).labels
        assert fake_github.repo(REPO).labels[name.lower()].color == "fbca04"
        repository_client.remove_label(number, name)
        assert name not in fake_github.issue(REPO, number).labels


def test_removing_an_absent_label_is_fine_but_an_absent_issue_is_not(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    repository_client.remove_label(number, "needs-clarification")
    with pytest.raises(NotFound):
        repository_client.remove_label(999, "needs-clarification")


def test_deleted_and_locked_issues(fake_github: FakeGitHub, repository_client: RepositoryClient, number: int) -> None:
    fake_github.lock_issue(REPO, number)
    assert repository_client.get_issue(number).locked
    with pytest.raises(Forbidden, match="locked"):
        repository_client.create_comment(number, "Hello")
    fake_github.delete_issue(REPO, number)
    for act in (repository_client.get_issue, repository_client.comments):
        with pytest.raises(Gone):
            act(number)
    with pytest.raises(NotFound):
        repository_client.get_issue(999)


@pytest.mark.parametrize("others", [0, 1], ids=["under the same number", "under another"])
def test_a_transferred_issue_is_gone(
    fake_github: FakeGitHub, fake_installation: int, repository_client: RepositoryClient, number: int, others: int
) -> None:
    fake_github.create_repository("acme/gadgets")
    fake_github.add_repositories(fake_installation, ["acme/gadgets"])
    for _ in range(others):
        fake_github.open_issue("acme/gadgets", "Another", "")
    assert fake_github.transfer_issue(REPO, number, "acme/gadgets") == number + others
    with pytest.raises(Gone, match="transferred"):
        repository_client.get_issue(number)


def test_a_branch_is_guarded_where_nobody_pushes_unasked(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    """What is built from an agent's own branch serves nobody else; of the default branch nothing is asked."""
    for branch in ("1.x", "agent/loom"):
        fake_github.push(REPO, {"a": branch}, branch=branch, onto="main")
    fake_github.repo(REPO).protected.add("1.x")
    before = len(fake_github.traffic.exchanges)
    assert repository_client.is_guarded("main") and len(fake_github.traffic.exchanges) == before
    assert [repository_client.is_guarded(branch) for branch in ("1.x", "agent/loom", "gone")] == [True, False, False]


def test_a_renamed_repository_is_followed(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake_github.rename_repository(REPO, "gizmos")
    assert repository_client.get_issue(number).title == "It broke"
    comment = repository_client.create_comment(number, "Hello")
    repository_client.update_comment(comment.id, "Hello again")
    assert [shown.body for shown in fake_github.issue("acme/gizmos", number).comments] == ["Hello again"]


def test_a_renamed_repository_is_read_at_the_commit_asked_for(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    old = fake_github.repo(REPO).branches["main"]
    fake_github.push(REPO, {"policy.yml": "mode: observe"})
    fake_github.rename_repository(REPO, "gizmos")
    assert isinstance(repository_client.get_file("policy.yml", ref=old), Absent)
    assert isinstance(repository_client.get_file("policy.yml"), File)


def test_closing(fake_github: FakeGitHub, repository_client: RepositoryClient, number: int) -> None:
    repository_client.close_issue(number)
    issue = fake_github.issue(REPO, number)
    assert (issue.state, issue.state_reason) == ("closed", "not_planned")
    repository_client.close_issue(number)
    assert fake_github.issue(REPO, number).history.count("closed") == 1


def test_reacting_twice_leaves_one_reaction(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    comment = fake_github.comment(REPO, number, "/bouncer help")
    repository_client.react(comment, "+1")
    repository_client.react(comment, "+1")
    assert fake_github.issue(REPO, number).comments[0].reactions == ("+1",)


@pytest.mark.parametrize("role", ["read", "triage", "write", "maintain", "admin"])
def test_permission_tells_triage_and_maintain(
    fake_github: FakeGitHub, repository_client: RepositoryClient, role: str
) -> None:
    fake_github.repo(REPO).collaborators["somebody"] = role
    fake_github.user("somebody")
    assert repository_client.permission("somebody") == role


def test_permission_of_strangers_owners_and_nobody(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    fake_github.user("stranger")
    assert repository_client.permission("stranger") == "read"
    assert repository_client.permission("ACME") == "admin"
    assert repository_client.permission("ghost") is None
    assert repository_client.permission("bouncer[bot]") is None
    assert repository_client.permission("../../../app") is None
    fake_github.repo(REPO).private = True
    assert repository_client.permission("stranger") == "none"


def test_a_file_is_read_once_and_then_compared(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    path = ".github/bouncer.yml"
    assert repository_client.get_file(path) == Absent()
    fake_github.push(REPO, {path: "mode: advise\n"})
    file = repository_client.get_file(path)
    assert isinstance(file, File)
    assert (file.content, file.path) == (b"mode: advise\n", path)
    assert repository_client.get_file(path, etag=file.etag) == NotModified()
    fake_github.push(REPO, {path: b"mode: \xff\n"}, by="maintainer")
    changed = repository_client.get_file(path, etag=file.etag)
    assert isinstance(changed, File) and changed.content == b"mode: \xff\n" and changed.sha != file.sha
    fake_github.push(REPO, {path: None})
    assert repository_client.get_file(path, etag=changed.etag) == Absent()


def test_a_file_at_a_ref(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    sha = fake_github.push(REPO, {"docs/a b.txt": "old"})
    fake_github.push(REPO, {"docs/a b.txt": "new"}, branch="topic")
    for ref, expected in ((sha, b"old"), ("topic", b"new"), (None, b"old")):
        file = repository_client.get_file("docs/a b.txt", ref=ref)
        assert isinstance(file, File) and file.content == expected
    assert repository_client.get_file("docs") == NotReadable("it is a directory")
    with pytest.raises(NotFound):
        repository_client.get_file("docs/a b.txt", ref="0" * 40)


def test_a_large_file_is_not_read(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    fake_github.push(REPO, {"small": "x" * 100, "large": "x" * 1_000_001})
    assert repository_client.get_file("small", limit=99) == NotReadable("it is too large (100 bytes)")
    assert isinstance(repository_client.get_file("small", limit=100), File)
    assert repository_client.get_file("large", limit=10_000_000) == NotReadable("it is too large (1000001 bytes)")
