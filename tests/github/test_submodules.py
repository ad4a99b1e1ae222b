"""Submodules from the fake GitHub: the base's, at their very commits, from hosts that may be asked, bounded."""

from pathlib import Path

import pytest

from bot.github.submodules import not_here, submodules
from fake_github import FakeGitHub
from tests.github.test_mirror import MB, REPO, Planted, make, named, names, noise
from tests.support.cases import cases

OTHER = "acme/gears"
FORBIDDEN = "the policy does not let Bouncer fetch it (`verify.submodules`)"


def planted(fake: FakeGitHub, links: dict[str, tuple[str, str]], full_name: str = REPO) -> str:
    """A commit with submodules: path -> address and commit."""
    text = "".join(f'[submodule "{path}"]\n\tpath = {path}\n\turl = {url}\n' for path, (url, _) in links.items())
    entries: dict[bytes, tuple[str, bytes | str]] = {b".gitmodules": ("100644", text.encode())}
    entries |= {path.encode(): ("160000", commit) for path, (_, commit) in links.items()}
    return Planted(fake, full_name).commit(entries)


@pytest.fixture
def gears(fake_github: FakeGitHub) -> str:
    """The commit of another repository, which has moved on since."""
    fake_github.create_repository(OTHER, files={})
    pinned = fake_github.push(OTHER, {"gear.py": "TEETH = 12\n"})
    fake_github.push(OTHER, {"gear.py": "TEETH = 13\n"})
    return pinned


def test_they_lie_where_they_belong_at_the_commits_that_the_base_names(
    fake_github: FakeGitHub, gears: str, tmp_path: Path
) -> None:
    """An address may be relative; a head that moves one to another commit does not get that."""
    mirrors = make(fake_github, tmp_path / "cache")
    sha = planted(fake_github, {"lib": ("../gears.git", gears)})
    for allowed, there in ((False, {".gitmodules", "lib"}), (True, {".gitmodules", "lib", "lib/gear.py"})):
        found = mirrors.submodules(named(fake_github), sha, allowed=allowed)
        assert not_here(found) == (() if allowed else (f"the submodule lib: {FORBIDDEN}",))
        assert names(mirrors.tree(named(fake_github), sha, modules=found)) == there
    tree = mirrors.tree(named(fake_github), sha, modules=found)
    assert (tree / "lib/gear.py").read_text() == "TEETH = 12\n"
    moved = planted(fake_github, {"lib": ("../gears.git", "1" * 40)})
    assert names(mirrors.tree(named(fake_github), moved, modules=found)) == {".gitmodules", "lib"}


@cases
def test_only_https_and_hosts_that_setup_may_reach(fake_github: FakeGitHub, address: str, problem: str) -> None:
    sha = planted(fake_github, {"lib": (address, "1" * 40)})
    (found,) = submodules(fake_github.git.directory(REPO), sha, "", frozenset({"known.example"}))
    assert (found.path, found.problem) == ("lib", problem)
    assert bool(found.address) == (not problem)


def test_what_cannot_be_fetched_is_named(fake_github: FakeGitHub, gears: str, tmp_path: Path) -> None:
    """No such commit, a repository that has moved (no redirect is followed), a private one, one that is too large."""
    fake_github.create_repository("acme/private", private=True)
    secret = fake_github.push("acme/private", {"a": "1"})
    fake_github.create_repository("acme/large")
    large = fake_github.push("acme/large", {"a": noise(2 * MB)})
    fake_github.rename_repository(OTHER, "wheels")
    links = {"a": ("wheels", "1" * 40), "b": ("gears", gears), "c": ("private", secret), "d": ("large", large)}
    links = {path: (f"../{name}.git", commit) for path, (name, commit) in links.items()}
    sha = planted(fake_github, links)
    mirrors = make(fake_github, tmp_path / "cache", max_bytes=MB)
    found = mirrors.submodules(named(fake_github), sha, allowed=True)
    told = dict(each.removeprefix("the submodule ").split(": ", 1) for each in not_here(found))
    assert told.keys() == links.keys()
    assert "moved" in told["b"] and "larger" in told["d"], told


def test_a_submodule_of_a_submodule_comes_along(fake_github: FakeGitHub, gears: str, tmp_path: Path) -> None:
    mirrors = make(fake_github, tmp_path / "cache")
    outer = planted(fake_github, {"lib": ("./gears.git", gears)}, OTHER)
    sha = planted(fake_github, {"top": ("../gears.git", outer)})
    found = mirrors.submodules(named(fake_github), sha, allowed=True)
    assert [(each.path, bool(each.problem)) for each in found] == [("top", False), ("top/lib", True)]
    inner = planted(fake_github, {"lib": ("../gears.git", gears)}, OTHER)
    sha = planted(fake_github, {"top": ("../gears.git", inner)})
    tree = mirrors.tree(named(fake_github), sha, modules=mirrors.submodules(named(fake_github), sha, allowed=True))
    assert (tree / "top/lib/gear.py").read_text() == "TEETH = 12\n"
