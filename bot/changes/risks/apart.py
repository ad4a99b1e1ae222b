"""All named risks of a change, found in a process of their own where there is much to read. Not pure: it asks for whole
files before it begins."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.changes.risks.ci import may_be_layout
from bot.changes.risks.dependencies import locks, may_be_locked
from bot.changes.risks.found import risks
from bot.changes.risks.inside import packages
from bot.changes.risks.testing import steers
from bot.changes.risks.values import Risk, Whole
from bot.changes.values import Change, FileChange, FileKind, FileStatus
from bot.child_process import TooLong, run_bounded

MOST = 200  # files that are asked for; of more, the diff's lines alone are read


@dataclass(frozen=True, slots=True)
class KnownTree:
    """A `Whole` that crosses into another process: all that it can tell, by path."""

    texts: Mapping[str, tuple[str, str] | None]

    def __call__(self, file: FileChange) -> tuple[str, str] | None:
        return self.texts.get(file.path)


def risks_of(change: Change, asked: str, others: str, whole: Whole) -> tuple[Risk, ...] | TooLong:
    """As `bot.changes.risks.found.risks` has them, or why they could not be found in time."""
    known = {file.path: whole(file) for file in (*packages(change), *_wanted(change)[:MOST])}
    found = _found(change, asked, others, known)
    if isinstance(found, TooLong) or not any(map(may_be_locked, found)):
        return found
    return _found(change, asked, others, known | {file.path: whole(file) for file in locks(change)})


def _found(
    change: Change, asked: str, others: str, known: Mapping[str, tuple[str, str] | None]
) -> tuple[Risk, ...] | TooLong:
    size = change.size + sum(len(text) for texts in known.values() if texts for text in texts)
    return run_bounded(size, risks, change, asked, others, KnownTree(known))


def _wanted(change: Change) -> list[FileChange]:
    """Where the diff may not show in what a line stands: manifests, what steers tests, and orders of CI."""
    files = (file for file in change.files if file.status is FileStatus.MODIFIED)
    return [file for file in files if file.kind is FileKind.DEPENDENCIES or steers(file) or may_be_layout(file)]
