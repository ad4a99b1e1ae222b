"""The named risks of a change: their table, as the docs show it, and all of them found, in a process of their own where
there is much to read."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, islice

from bot.changes.readers import NAMED_RISKS
from bot.changes.risks.builds import builds
from bot.changes.risks.code import code
from bot.changes.risks.dependencies import dependencies
from bot.changes.risks.files import files
from bot.changes.risks.hidden import unseen
from bot.changes.risks.literals import literals
from bot.changes.risks.shadows import shadows
from bot.changes.risks.testing import testing
from bot.changes.risks.values import Find, Holds, Risk, waived
from bot.changes.secrets import secrets
from bot.changes.skips import gone, skips
from bot.changes.values import Change, FileChange, Whole
from bot.child_process import TooLong, run_bounded

MOST_RISKS = 200  # of one change
MOST_WHOLE = 200  # files that are asked for; of more, the diff's lines alone are read

_Asked = tuple[str, str | None]  # its path, and the one that it was moved from

CHECKS = frozenset(NAMED_RISKS)
FAMILIES: tuple[Find, ...] = (secrets, unseen, gone, skips, files, dependencies, testing, shadows, code)


def risks(change: Change, asked: str = "", others: str = "", whole: Whole = lambda file: None) -> tuple[Risk, ...]:
    """At most `MOST_RISKS` of those that hold alike, so that none hides another that asks for more.

    asked: what the change is held against, whoever wrote it. others: the issues by somebody else than its author, which
    alone waive. whole: files before and after, where they can be had.
    """
    found: dict[Holds, dict[Risk, None]] = {}
    for risk in chain(
        *(find(change, whole) for find in FAMILIES), literals(asked, change, whole), builds(change, whole)
    ):
        if risk.holds is Holds.ALWAYS and waived(risk, others):
            say = f"{risk.sentence[:-1]}, as an issue by somebody else asks."
            risk = replace(risk, sentence=say, holds=Holds.WAIVED)
        found.setdefault(risk.holds, {})[risk] = None
        if len(found.get(Holds.ALWAYS, ())) == MOST_RISKS:
            break
    return tuple(risk for its in found.values() for risk in islice(its, MOST_RISKS))


def risks_of(change: Change, asked: str, others: str, whole: Whole) -> tuple[Risk, ...] | TooLong:
    """`risks`, each time with all files that they asked for before, until they ask for no more; or why they could not
    be found in time."""
    known: dict[_Asked, tuple[str, str] | None] = {}
    while True:
        size = change.size + sum(len(text) for texts in known.values() if texts for text in texts)
        found = run_bounded(size, _risks, change, asked, others, known)
        if isinstance(found, TooLong) or not found[1]:
            return found if isinstance(found, TooLong) else found[0]
        known |= {(file.path, file.old_path): whole(file) for file in found[1]}


def _risks(
    change: Change, asked: str, others: str, known: Mapping[_Asked, tuple[str, str] | None]
) -> tuple[tuple[Risk, ...], tuple[FileChange, ...]]:
    """With the files that were asked for and are not known."""
    wanted: dict[_Asked, FileChange] = {}

    def whole(file: FileChange) -> tuple[str, str] | None:
        asked_for = (file.path, file.old_path)
        if asked_for not in known and len(known) + len(wanted) < MOST_WHOLE:
            wanted[asked_for] = file
        return known.get(asked_for)

    return risks(change, asked, others, whole), tuple(wanted.values())
