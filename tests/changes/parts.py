"""Diffs in a few words."""

import difflib

from bot.changes.read import read_change
from bot.changes.values import Change, FileChange


def diff_of(path: str, before: str, after: str, context: int = 3) -> str:
    """The diff between two texts, as git would write it."""
    lines = difflib.unified_diff(
        before.split("\n"), after.split("\n"), f"a/{path}", f"b/{path}", n=context, lineterm=""
    )
    return "\n".join((f"diff --git a/{path} b/{path}", *lines, ""))


def change_of(*files: tuple[str, str, str]) -> Change:
    """A change of files: path, before, after."""
    change = read_change("".join(diff_of(*file) for file in files))
    assert not change.problem
    return change


def file_of(path: str, before: str, after: str) -> FileChange:
    """A change of one file."""
    (file,) = change_of((path, before, after)).files
    return file


def as_shown(file: FileChange) -> tuple[str, str] | None:
    """A small file before and after, all of which its diff shows; `None` for one that it does not show."""
    if not file.hunks:
        return None
    before, after = ("".join(f"{getattr(hunk, side)}\n" for hunk in file.hunks) for side in ("before", "after"))
    return before, after


LONG = '''class A:
    """What it is.

    More of it.
    """

    def f(self, a):
        """What it does.

        More of that.
        """
        for x in a:
            if x:
                yield x
        return
'''
