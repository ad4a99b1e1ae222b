"""A change as it would be merged: by git alone, with nothing of either side having a say in how."""

from pathlib import Path

import pytest

from bot.github.commits import Clash, merge_into
from tests.support.clones import commit, git, initialise


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
