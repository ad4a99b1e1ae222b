"""A fix made of replacements is applied whole or not at all."""

import pytest

from bot.judges.agent.edits import MOST, Edit, EditError, apply

FILES = {"a.py": b"x = 1\ny = 2\nx = 1\n", "dos.py": b"one\r\ntwo\r\n"}


def test_replacements_are_made_in_order() -> None:
    edits = [Edit("a.py", "y = 2", "y = 3"), Edit("a.py", "y = 3\n", "y = 4\n"), Edit("b/c.py", "", "new\n")]
    assert apply(edits, FILES.get) == {"a.py": b"x = 1\ny = 4\nx = 1\n", "b/c.py": b"new\n"}


def test_line_ends_stay_those_of_the_file() -> None:
    assert apply([Edit("dos.py", "one\ntwo", "one\n2")], FILES.get) == {"dos.py": b"one\r\n2\r\n"}


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        ([Edit("a.py", "z = 1", "z = 2")], "not there exactly once"),
        ([Edit("a.py", "x = 1", "x = 2")], "not there exactly once"),
        ([Edit("a.py", "", "x = 2")], "is there already"),
        ([Edit("c.py", "x", "y")], "a file that is not there"),
        ([Edit("../a.py", "", "y")], "outside the repository"),
        ([Edit("/a.py", "", "y")], "outside the repository"),
        ([Edit(".git/hooks/pre-commit", "", "y")], "outside the repository"),
        ([Edit("a//b.py", "", "y")], "outside the repository"),
        ([Edit("a.py", "y = 2", "y = 3"), Edit("c.py", "x", "y")], "a file that is not there"),
        ([Edit(f"{n}.py", "", "") for n in range(MOST + 1)], "larger than"),
        ([Edit("n.py", "", "x" * 100_001)], "larger than"),
    ],
)
def test_what_does_not_fit_is_refused_whole(edits: list[Edit], says: str) -> None:
    with pytest.raises(EditError, match=says):
        apply(edits, FILES.get)
