"""Single files of commits, read from git's objects."""

import subprocess
from pathlib import Path

import pytest

from bot.github.commits import content, text_in_both


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
