"""Tests that were there and are gone with their file, or skipped from now on, or expected to fail. Pure.

Whether tests notice less is measured where they run (`bot.verification.defects.lost`), however they are written; but a
test that is skipped elsewhere alone, or later, notices here what it noticed. Read from the lines of the diff, in any
language whose tests look like tests.
"""

import re
from collections.abc import Iterator
from posixpath import basename

from bot.changes.kinds import kind_of
from bot.changes.readers import SENTENCES, Patterns, beside
from bot.changes.risks.lines import ANY_REMARK, first
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileKind, FileStatus, Hunk, Whole

_LONGEST = 500  # characters of a line that are looked at
_TEST, _SKIP = map(beside(__file__, Patterns).pattern, ("test", "skip"))


def skips(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`tests_skipped`: with more marks that skip than new tests that may bear them."""
    for file in change.of(FileKind.TEST):
        if file.plain and any(_more(_SKIP, hunk) > max(0, _more(_TEST, hunk)) for hunk in file.hunks):
            yield Risk("tests_skipped", SENTENCES["tests_skipped"], file.path, first(file))


def gone(change: Change, whole: Whole) -> Iterator[Risk]:
    """`tests_removed`: no test is left in a file, and one that was there comes nowhere else in the change; or the file
    is called as none of tests any more. No run may tell: it may be one that does not run here."""
    come = {line for file in change.files for hunk in file.hunks for line in _said(hunk.added) if _TEST.search(line)}
    for file in change.files:
        if file.status is FileStatus.RENAMED and _is_hidden(file.old_path or "", file.path):
            yield Risk("tests_removed", SENTENCES["tests_removed"], file.path, first(file))
    for file in change.of(FileKind.TEST):
        lost = {line for hunk in file.hunks for line in _said(hunk.removed) if _TEST.search(line)} - come
        texts = whole(file) if lost and file.status is FileStatus.MODIFIED else None
        left = any(map(_TEST.search, _said(tuple(texts[1].split("\n"))))) if texts else None
        if lost and (file.status is FileStatus.DELETED or left is False):
            yield Risk("tests_removed", SENTENCES["tests_removed"], file.path, first(file))


def _is_hidden(old: str, new: str) -> bool:
    """By its whole path, or by its last part alone where it stays in a folder of tests."""
    names = ((old, new), (basename(old), basename(new)))
    return any(kind_of(before) is FileKind.TEST is not kind_of(after) for before, after in names)


def _more(sort: re.Pattern[str], hunk: Hunk) -> int:
    """How many more lines of a sort there are after the change than before."""
    here, gone = (sum(bool(sort.search(line)) for line in _said(side)) for side in (hunk.added, hunk.removed))
    return here - gone


def _said(lines: tuple[str, ...]) -> Iterator[str]:
    bare = (line[:_LONGEST].strip() for line in lines)
    return (line for line in bare if line.startswith("#[") or not line.startswith(ANY_REMARK))
