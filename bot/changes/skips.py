"""Tests that were there and are gone with their file, or skipped from now on, or expected to fail. Pure.

Whether tests notice less is measured where they run (`bot.verification.defects.lost`), however they are written; but a
test that is skipped elsewhere alone, or later, notices here what it noticed. Read from the lines of the diff, in any
language whose tests look like tests.
"""

from collections.abc import Iterable, Iterator
from posixpath import basename

from bot.changes.kinds import kind_of
from bot.changes.readers import SENTENCES
from bot.changes.risks.lines import ANY_REMARK, first
from bot.changes.risks.signs import Sign, sign_in, signs_at
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileKind, FileStatus, Hunk, Whole

_LONGEST = 500  # characters of a line that are looked at
_TEST, _SKIP = signs_at("beginnings"), signs_at("skips")


def skips(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`tests_skipped`: with more marks that skip than new tests that may bear them."""
    for file in change.of(FileKind.TEST):
        if file.plain and any(_more(_SKIP, hunk) > max(0, _more(_TEST, hunk)) for hunk in file.hunks):
            yield Risk("tests_skipped", SENTENCES["tests_skipped"], file.path, first(file))


def gone(change: Change, whole: Whole) -> Iterator[Risk]:
    """`tests_removed`: no test is left in a file, and one that was there comes nowhere else in the change; or the file
    is called as none of tests any more. No run may tell: it may be one that does not run here."""
    come = {line for file in change.files for hunk in file.hunks for line in _those(_TEST, hunk.added)}
    for file in change.files:
        hidden = file.status is FileStatus.RENAMED and _is_hidden(file.old_path or "", file.path)
        lost = {line for hunk in file.hunks for line in _those(_TEST, hunk.removed)} - come
        if lost and file.kind is FileKind.TEST and not hidden:
            texts = whole(file) if file.status is FileStatus.MODIFIED else None
            left = any(_those(_TEST, texts[1].split("\n"))) if texts else file.status is not FileStatus.DELETED
            hidden = not left
        if hidden:
            yield Risk("tests_removed", SENTENCES["tests_removed"], file.path, first(file))


def _is_hidden(old: str, new: str) -> bool:
    """By its whole path, or by its last part alone where it stays in a folder of tests."""
    names = ((old, new), (basename(old), basename(new)))
    return any(kind_of(before) is FileKind.TEST is not kind_of(after) for before, after in names)


def _more(sort: tuple[Sign, ...], hunk: Hunk) -> int:
    """How many more lines of a sort there are after the change than before."""
    return len([*_those(sort, hunk.added)]) - len([*_those(sort, hunk.removed)])


def _those(sort: tuple[Sign, ...], lines: Iterable[str]) -> Iterator[str]:
    """The lines of a sort, but for remarks."""
    bare = (line[:_LONGEST].strip() for line in lines)
    said = (line for line in bare if line.startswith("#[") or not line.startswith(ANY_REMARK))
    return (line for line in said if sign_in(line, sort))
