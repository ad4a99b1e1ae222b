"""Somebody else's clone: its commits are read, and nothing in it has a say in how."""

from pathlib import Path

import pytest

from bot.github import checkout
from bot.github import git as own
from bot.github.commits import clone, diff, mentions, merge_base, message
from bot.github.errors import GitHubError, Rejected
from tests.support.clones import commit, git, initialise

MOST = 100_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """`main` and `fix` left each other after the first commit."""
    home = initialise(tmp_path / "home")
    commit(home, {"a.py": "x = 1\n", "kept.txt": "same\n"}, "Begin")
    git(home, "branch", "fix")
    commit(home, {"b.py": "y = 1\n"}, "Go on")
    git(home, "checkout", "--quiet", "fix")
    commit(home, {"a.py": "x = 2\n"}, "Mend x\n\nIt was 1.")
    return home


def read(home: Path, base: str = "main", head: str = "fix") -> tuple[str, str]:
    """The diff from where they branched, and the head's message."""
    with clone(home) as found:
        old, new = found.commit(base), found.commit(head)
        assert old is not None
        assert new is not None
        start = merge_base(found.directory, old, new)
        assert start is not None
        return diff(found.directory, start, new, MOST).decode(), message(found.directory, new)


def test_what_lies_between(home: Path) -> None:
    changed, said = read(home)
    assert changed.splitlines()[-2:] == ["-x = 1", "+x = 2"]
    assert "b.py" not in changed
    assert said.split("\n")[0] == "Mend x"


def test_who_names_a_file(home: Path) -> None:
    named = {"b.py": "x = open('a+b.md')\ny = 'aab.md'\n", "c.md": "a+b.md\n", "d.bin": "a+b.md\0", "e": "-> ../a+b.md"}
    commit(home, named, "Name it")
    head = git(home, "rev-parse", "HEAD")
    assert mentions(home, (head,), ("a+b.md", "none")) == (
        *(("b.py", "x = open('a+b.md')"), ("c.md", "a+b.md")),
        ("e", '"../a+b.md"'),
    )
    assert mentions(home, (head,), ("none",)) == ()
    assert mentions(home, ("0" * 40,), ("a+b.md",)) is None
    commit(home, {"long.txt": "a+b.md" * 200_000}, "Too much of it")
    assert mentions(home, (git(home, "rev-parse", "HEAD"),), ("a+b.md",)) is None


def test_bare_a_work_tree_and_names_of_all_kinds(home: Path, tmp_path: Path) -> None:
    git(home, "tag", "-a", "v1", "-m", "one", "main")
    git(home, "worktree", "add", "--quiet", "--detach", str(tmp_path / "beside"), "main")
    git(tmp_path, "clone", "--quiet", "--mirror", str(home), "bare.git")
    short = git(home, "rev-parse", "--short", "fix")
    for place in (home, tmp_path / "beside", tmp_path / "bare.git"):
        assert read(place) == read(place, "v1", short) == read(home)
    with clone(home) as found:
        assert [found.commit(name) for name in ("nothing", "--all", "", "main:a.py")] == [None] * 4


def test_its_configuration_counts_for_nothing(home: Path, tmp_path: Path) -> None:
    wanted, ran = read(home), tmp_path / "ran"
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for key in ("diff.external", "diff.own.command", "diff.own.textconv", "core.fsmonitor", "core.pager"):
        git(home, "config", key, str(program))
    git(home, "config", "diff.noprefix", "true")
    (home / ".git" / "info" / "attributes").write_text("*.py diff=own\n")
    (home / ".gitattributes").write_text("*.py -diff\n")
    assert read(home) == wanted
    assert not ran.exists()


def test_nothing_is_written_there(home: Path) -> None:
    places = sorted([home, *home.rglob("*")], reverse=True)
    before = [(place, place.stat().st_mtime_ns) for place in places]
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)
    try:
        read(home)
    finally:
        for place in reversed(places):
            place.chmod(0o755 if place.is_dir() else 0o644)
    assert [(place, place.stat().st_mtime_ns) for place in sorted([home, *home.rglob("*")], reverse=True)] == before


def test_a_shallow_clone_ends_where_it_ends(home: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{home}", "shallow")
    with clone(tmp_path / "shallow") as found:
        base, head = found.commit("origin/main"), found.commit("origin/fix")
        assert base is not None
        assert head is not None
        assert merge_base(found.directory, base, head) is None


@pytest.mark.parametrize("name", ["absent", "plain", "file"])
def test_what_is_no_repository(tmp_path: Path, name: str) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(GitHubError), clone(tmp_path / name):
        pass


def test_without_git_everything_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for ask in (
        lambda: own.run(tmp_path, "version"),
        lambda: own.read(tmp_path, "version", most=10),
        lambda: own.stream(tmp_path, "version").__enter__(),
        lambda: checkout.extract(tmp_path, "a" * 40, tmp_path, 10),
    ):
        with pytest.raises(Rejected, match="git is not installed"):
            ask()
