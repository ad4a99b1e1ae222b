"""A patch to review: a function that joins items."""

from typing import Any

from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk
from bot.judges.patches import PatchSubject

ISSUE = """join() loses the last item

`join(["a", "b"])` returns "a" but must return "a,b".
An empty list gives an empty text."""

HUNK = Hunk(3, 3, (" def join(items):", '-    return ",".join(items[:-1])', '+    return ",".join(items[0:])'))


def changed(*lines: str, path: str = "src/joiner.py", **about: Any) -> FileChange:
    """A changed file; without lines the example's."""
    hunks = (Hunk(1, 1, lines),) if lines else (HUNK,)
    return FileChange(path, FileKind.CODE, FileStatus.MODIFIED, hunks, **about)


def subject(*files: FileChange, issue: str = ISSUE, context: str = "") -> PatchSubject:
    """Without files the example's."""
    return PatchSubject(issue, Change(files or (changed(),)), context)
