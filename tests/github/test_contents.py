"""What is read from git's objects and fetched beside GitHub's API: files, downloads, submodules."""

import subprocess
from pathlib import Path

import pytest

from bot.github.commits import content, text_in_both
from bot.github.downloads import download, redirect_target
from bot.github.errors import GitHubError, NotFound, Rejected, Unavailable
from bot.github.submodules import not_here, submodules
from fake_github import FakeGitHub
from tests.github.test_mirror import MB, REPO, Planted, make, named, names, noise
from tests.support.cases import cases


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A repository with two commits."""
    folder = tmp_path_factory.mktemp("made")

    def git(*words: str) -> str:
        own = ("-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *own, *words], cwd=folder, capture_output=True, check=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet")
    (folder / "a [b]*.py").write_text("x = 1\n")
    (folder / "raw.py").write_bytes(b"\xff\n")
    (folder / "link.py").symlink_to("a [b]*.py")
    (folder / "part").mkdir()
    (folder / "part" / "c.py").write_text("c\n")
    git("add", ".")
    git("commit", "--quiet", "-m", "one")
    old = git("rev-parse", "HEAD")
    (folder / "a [b]*.py").write_text("x = 2\n")
    (folder / "b.py").write_text("c\nd\n")
    git("add", ".")
    git("commit", "--quiet", "-m", "two")
    return folder, old, git("rev-parse", "HEAD")


def test_a_file_in_both(made: tuple[Path, str, str]) -> None:
    directory, old, new = made
    assert text_in_both(directory, old, new, "a [b]*.py", 100) == ("x = 1\n", "x = 2\n")
    assert text_in_both(directory, old, new, "a [b]*.py", 5) is None
    assert text_in_both(directory, old, new, "b.py", 100) is None
    assert text_in_both(directory, old, new, "b.py", 100, moved_from="part/c.py") == ("c\n", "c\nd\n")
    assert text_in_both(directory, old, new, "raw.py", 100) is None
    assert text_in_both(directory, old, "0" * 40, "a [b]*.py", 100) is None
    assert text_in_both(directory / "nowhere", old, new, "a [b]*.py", 100) is None


@pytest.mark.parametrize(
    "path", ["", "part", "part/", "link.py", "../a", "/etc/passwd", "a\0b", "*.py", "none.py", ":/"]
)
def test_what_is_no_plain_file(made: tuple[Path, str, str], path: str) -> None:
    assert content(made[0], made[2], path, 100) is None


def test_bytes_as_they_are(made: tuple[Path, str, str]) -> None:
    assert content(made[0], made[2], "raw.py", 2) == b"\xff\n"
    assert content(made[0], made[2], "part/c.py", 100) == b"c\n"


def test_an_attached_file_is_followed_to_where_it_is_kept(fake_github: FakeGitHub) -> None:
    assert download(fake_github.attach("a.txt", b"held"), 4) == b"held"


def test_bounds(fake_github: FakeGitHub) -> None:
    address = fake_github.attach("a.txt", b"x" * 200_000)
    with pytest.raises(Rejected, match="larger than it may be"):
        download(address, 199_999)
    with pytest.raises(Unavailable, match="too long"):
        download(address, 1_000_000, within=-1)


def test_what_cannot_be_seen(fake_github: FakeGitHub) -> None:
    with pytest.raises(NotFound):
        download(fake_github.attach("a.txt", b"held", private=True), 4)
    with pytest.raises(GitHubError):
        download("http://127.0.0.1:1/user-attachments/files/1/a.txt", 4)


@cases
def test_where_a_redirect_may_lead(address: str, location: str, follows: str) -> None:
    if follows:
        assert redirect_target(address, location) == follows
        return
    with pytest.raises(Rejected, match="another host"):
        redirect_target(address, location)


@pytest.mark.parametrize("location", ["https://[", "https://github.com:99999/"])
def test_a_redirect_to_no_address(location: str) -> None:
    with pytest.raises(Rejected):
        redirect_target("https://github.com/a", location)


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
