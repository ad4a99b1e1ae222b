"""The named risks of a change: their table, as the docs show it, and all of them found, in a process of their own where
there is much to read."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

from bot.changes.readers import NAMED_RISKS
from bot.changes.risks.code import code, may_tell_more, packages
from bot.changes.risks.dependencies import dependencies, lock_files, may_be_locked
from bot.changes.risks.files import files, reads_whole
from bot.changes.risks.literals import literals
from bot.changes.risks.shadows import beside, shadows
from bot.changes.risks.testing import steers, testing
from bot.changes.risks.values import Find, Holds, Risk, waived
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole
from bot.child_process import TooLong, run_bounded

MOST_RISKS = 200  # of one change
_WHOLE = (FileKind.DEPENDENCIES, FileKind.LOCK, FileKind.CI)
MOST_WHOLE = 200  # files that are asked for; of more, the diff's lines alone are read

CHECKS = frozenset(NAMED_RISKS)
FAMILIES: tuple[Find, ...] = (files, dependencies, testing, shadows, code)


def risks(change: Change, asked: str = "", others: str = "", whole: Whole = lambda file: None) -> tuple[Risk, ...]:
    """The most important first, at most `MOST_RISKS`.

    asked: what the change is held against, whoever wrote it. others: the issues by somebody else than its author, which
    alone waive. whole: files before and after, where they can be had.
    """
    found: dict[Risk, None] = {}
    for risk in chain(*(find(change, whole) for find in FAMILIES), literals(asked, change)):
        if risk.holds is Holds.ALWAYS and waived(risk, others):
            say = f"{risk.sentence[:-1]}, as an issue by somebody else asks."
            risk = replace(risk, sentence=say, holds=Holds.WAIVED)
        found[risk] = None
        if len(found) == MOST_RISKS:
            break
    return tuple(found)


def text_by_path(known: Mapping[str, tuple[str, str] | None], file: FileChange) -> tuple[str, str] | None:
    """A `Whole`, once its first argument is bound, that crosses into another process: by path, all that it can tell."""
    return known.get(file.path)


def risks_of(change: Change, asked: str, others: str, whole: Whole) -> tuple[Risk, ...] | TooLong:
    """`risks`, once all is known that they may ask for, or why they could not be found in time."""
    known = {file.path: whole(file) for file in (*packages(change), *beside(change), *_wanted(change)[:MOST_WHOLE])}
    found = _risks(change, asked, others, known)
    if isinstance(found, TooLong) or not any(map(may_be_locked, found)):
        return found
    return _risks(change, asked, others, known | {file.path: whole(file) for file in lock_files(change)})


def _risks(
    change: Change, asked: str, others: str, known: Mapping[str, tuple[str, str] | None]
) -> tuple[Risk, ...] | TooLong:
    size = change.size + sum(len(text) for texts in known.values() if texts for text in texts)
    return run_bounded(size, risks, change, asked, others, partial(text_by_path, known))


def _wanted(change: Change) -> list[FileChange]:
    """Where the diff may not show in what a line stands: manifests and locks, what steers tests, orders of all who read
    files, and code that may run what it makes. Those first of which there are few."""
    files = [file for file in change.files if file.status is FileStatus.MODIFIED and file.plain]
    few = [file for file in files if file.kind in _WHOLE or steers(file)]
    return [*few, *(file for file in files if file not in few and (reads_whole(file) or may_tell_more(file)))]
