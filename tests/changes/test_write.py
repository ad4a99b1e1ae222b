"""Diffs that are handed to people: git takes them, and makes of them what was meant."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.read import read_change
from bot.changes.write import LONGEST, unified
from bot.verification.diffs import apply
from tests.support.properties import patient

LINES = st.lists(st.sampled_from(["a", "b", "", "\tc", "- d", "+++ e"]), max_size=12)
TEXT = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"])).map(str.encode)


@patient
@given(before=st.none() | TEXT, after=st.none() | TEXT)
def test_applied_it_gives_the_other_side(before: bytes | None, after: bytes | None) -> None:
    diff = unified({"pkg/a.py": (before, after)})
    if diff:
        assert apply(diff.encode(), lambda path: before) == {"pkg/a.py": after}
        assert not read_change(diff).problem
    else:
        assert (before or b"") == (after or b"")


def test_git_takes_it(tmp_path: Path) -> None:
    before = {"a.py": "".join(f"line {n}\n" for n in range(40)).encode(), "gone.py": b"x\n", "new/b.py": None}
    after = {"a.py": before["a.py"].replace(b"line 3\n", b"3\n").replace(b"line 39\n", b"39"), "new/b.py": b"y\n"}
    for path, content in before.items():
        if content is not None:
            (tmp_path / path).write_bytes(content)
    diff = unified({path: (before[path], after.get(path)) for path in before})
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=tmp_path, check=True)
    found = {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == after
    assert diff.count("\n@@ ") == 4  # far apart lines are hunks of their own


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", b"a\n", b"a\n"),
        ("a.py", b"a\n", b"\xff\n"),
        ("a.py", b"a\r\n", b"b\r\n"),
        ("a.py", b"a\n", "\u202ea\n".encode()),
        ("a.py", b"a\n", "a\u2028b\n".encode()),
        ("a\nb.py", b"a\n", b"b\n"),
        ('"a.py', b"a\n", b"b\n"),
        ("a.py", b"", b"a\n" * LONGEST),
        ("a.py", b"a\n" * 2000, b"b\n" * 2000),
    ],
)
def test_what_cannot_be_pasted_is_not_shown(path: str, before: bytes, after: bytes) -> None:
    assert unified({path: (before, after), "b.py": (b"a\n", b"a\n")}) == ""
    assert unified({path: (before, after), "b.py": (b"a\n", b"b\n")}) == (
        "" if before != after else unified({"b.py": (b"a\n", b"b\n")})
    )
