"""Whole histories from the fake GitHub: brought up to date, bounded, apart from the copies of single commits."""

from pathlib import Path

import pytest

from bot.github import git
from bot.github.errors import Rejected
from bot.github.mirror import Mirrors
from bot.github.values import Repository
from bot.history.refs import refs
from fake_github import FakeGitHub
from tests.github.test_mirror import MB, REPO, named, noise


@pytest.fixture
def mirrors(fake_github: FakeGitHub, tmp_path: Path) -> Mirrors:
    return Mirrors(tmp_path / "cache", fake_github.web_url, max_bytes=MB, total_bytes=100 * MB, history_bytes=MB)


def log(directory: Path, sha: str) -> list[str]:
    return git.run(directory, "log", "--format=%H", sha).decode().split()


def tags(directory: Path) -> list[str]:
    return git.run(directory, "tag").decode().split()


def test_the_default_branch_and_tags_with_their_history(fake_github: FakeGitHub, mirrors: Mirrors) -> None:
    first = fake_github.push(REPO, {"a": "1"})
    second = fake_github.push(REPO, {"a": "2"})
    directory, head = mirrors.history(named(fake_github))
    assert head == second
    assert log(directory, head)[:2] == [second, first]
    bare = fake_github.git.directory(REPO)
    git.run(bare, "tag", "1.0", first)
    third = fake_github.push(REPO, {"a": "3"})
    assert mirrors.history(named(fake_github)) == (directory, third)
    assert tags(directory) == ["1.0"]
    git.run(bare, "tag", "-d", "1.0")
    assert mirrors.history(named(fake_github)) == (directory, third)
    assert tags(directory) == []
    shallow, _ = mirrors.directory(named(fake_github), third)
    assert log(shallow, third) == [third]  # the copy of single commits stays what it is


def test_the_tags_before_a_commit_come_without_the_files_of_its_history(
    fake_github: FakeGitHub, mirrors: Mirrors
) -> None:
    """Those of its own history, the nearest last; where there is no such commit, none."""
    first = fake_github.push(REPO, {"a": noise(2 * MB)})
    second = fake_github.push(REPO, {"a": "2"})
    third = fake_github.push(REPO, {"a": "3"})
    bare = fake_github.git.directory(REPO)
    for name, sha in (("web-1", first), ("v1.0", first), ("v1.1", second), ("v2.0", third)):
        git.run(bare, "tag", name, sha)
    found = mirrors.tags(named(fake_github), second)
    assert (set(found), found[-1]) == ({"web-1", "v1.0", "v1.1"}, "v1.1")
    assert mirrors.tags(named(fake_github), third)[-1] == "v2.0"
    assert mirrors.tags(named(fake_github), "0" * 40) == ()


def test_all_branches_are_there_as_they_are(fake_github: FakeGitHub, mirrors: Mirrors) -> None:
    begin = fake_github.repo(REPO).branches["main"]
    head = fake_github.push(REPO, {"a": "1"})
    fake_github.repo(REPO).branches["2.x"] = begin
    maintained = fake_github.push(REPO, {"a": "2"}, branch="2.x")
    directory, found = mirrors.history(named(fake_github))
    assert (found, refs(directory).branches) == (head, {"main": head, "2.x": maintained})
    del fake_github.repo(REPO).branches["2.x"]
    git.run(fake_github.git.directory(REPO), "update-ref", "-d", "refs/heads/2.x")
    mirrors.history(named(fake_github))
    assert refs(directory).branches == {"main": head}


def test_a_rewritten_branch_is_followed_and_its_old_commits_stay(fake_github: FakeGitHub, mirrors: Mirrors) -> None:
    begin = fake_github.repo(REPO).branches["main"]
    old = fake_github.push(REPO, {"a": "old"})
    directory, _ = mirrors.history(named(fake_github))
    fake_github.repo(REPO).branches["main"] = begin
    assert mirrors.history(named(fake_github)) == (directory, begin)
    assert log(directory, old)[0] == old


def test_many_packs_become_one(fake_github: FakeGitHub, mirrors: Mirrors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.github.mirror._MOST_PACKS", 1)
    for text in "123":
        head = fake_github.push(REPO, {"a": text})
        directory, found = mirrors.history(named(fake_github))
        assert found == head
    assert len(list(directory.glob("objects/pack/*.pack"))) == 1
    assert len(log(directory, head)) > 3


def test_a_history_that_is_too_large_is_refused(fake_github: FakeGitHub, mirrors: Mirrors) -> None:
    fake_github.create_repository("acme/large", files={"a": "1"})
    large = named(fake_github, "acme/large")
    mirrors.history(large)
    for seed in (1, 2):
        fake_github.push("acme/large", {"blob": noise(2 * MB // 3, seed)})
    with pytest.raises(Rejected, match="BOUNCER_HISTORY_MB"):
        mirrors.history(large)
    with pytest.raises(Rejected, match="BOUNCER_HISTORY_MB"):
        mirrors.history(Repository(large.id, large.full_name))
