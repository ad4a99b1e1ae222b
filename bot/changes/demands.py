"""What a change makes of its tests: which of them come and go, get another name or are skipped. Pure.

Read from the lines of the diff, in any language whose tests look like tests. Whether tests notice less is measured
where they run (`bot.verification.defects.lost`), however they are written, and is asked nowhere else.
"""

from collections.abc import Iterator
from posixpath import basename

from bot.changes.kinds import kind_of
from bot.changes.readers import SENTENCES, Patterns, beside
from bot.changes.risks.lines import ANY_REMARK, first
from bot.changes.risks.values import Risk
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Hunk, Whole

_LONGEST = 500  # characters of a line that are looked at


_TEST, _SKIP = map(beside(__file__, Patterns).pattern, ("test", "skip"))


def demands(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`tests_removed`: more are gone from a file than come and are not skipped: one of another name is one rewritten.
    `tests_renamed`: no test any more by their name, which runners go by. `tests_skipped`: with more marks that skip
    than new tests that may bear them."""
    files = [file for file in change.of(FileKind.TEST) if file.plain]
    there, here = (frozenset[str]().union(*(_tests(file.hunks, mark) for file in files)) for mark in "-+")

    def loses_tests(file: FileChange) -> bool:
        new = len(_tests(file.hunks, "+") - there) - max(0, sum(map(_more_skips, file.hunks)))
        return len(_tests(file.hunks, "-") - here) > max(0, new)

    found = {
        "tests_removed": [*filter(loses_tests, files)],
        "tests_renamed": [file for file in change.files if _is_hidden(file)],
        "tests_skipped": [file for file in files if any(map(_skips, file.hunks))],
    }
    yield from (Risk(check, SENTENCES[check], file.path, first(file)) for check, its in found.items() for file in its)


def _is_hidden(file: FileChange) -> bool:
    """By its whole path, or by its last part alone where it stays in a folder of tests."""
    if file.status is not FileStatus.RENAMED or not file.old_path:
        return False
    names = ((file.old_path, file.path), (basename(file.old_path), basename(file.path)))
    return any(kind_of(old) is FileKind.TEST is not kind_of(new) for old, new in names)


def _skips(hunk: Hunk) -> bool:
    return _more_skips(hunk) > len(_tests((hunk,), "+") - _tests((hunk,), "-"))


def _more_skips(hunk: Hunk) -> int:
    gone, here = (sum(bool(_SKIP.search(line)) for line in _lines((hunk,), mark)) for mark in "-+")
    return here - gone


def _tests(hunks: tuple[Hunk, ...], mark: str) -> frozenset[str]:
    """The names of the tests that begin on the lines of one side."""
    found = filter(None, map(_TEST.match, _lines(hunks, mark)))
    return frozenset(test["snake"] or test["camel"] or test["said"] or test["other"] for test in found)


def _lines(hunks: tuple[Hunk, ...], mark: str) -> Iterator[str]:
    lines = (line[1 : _LONGEST + 1].strip() for hunk in hunks for line in hunk.lines if line[0] == mark)
    return (line for line in lines if line.startswith("#[") or not line.startswith(ANY_REMARK))
