"""All named risks of a change. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from bot.changes.risks.ci import ci
from bot.changes.risks.dependencies import dependencies
from bot.changes.risks.files import files
from bot.changes.risks.guardians import guardians
from bot.changes.risks.inside import inside
from bot.changes.risks.literals import literals
from bot.changes.risks.named import NAMED_RISKS
from bot.changes.risks.sources import sources
from bot.changes.risks.tested import tested
from bot.changes.risks.testing import testing
from bot.changes.risks.values import Find, Holds, Risk, Whole, waived
from bot.changes.values import Change

MOST = 200  # of one change

CHECKS = frozenset(NAMED_RISKS)
FAMILIES: tuple[Find, ...] = (ci, guardians, sources, dependencies, testing, files, tested, inside)


def risks(change: Change, asked: str = "", others: str = "", whole: Whole = lambda file: None) -> tuple[Risk, ...]:
    """The most important first, at most `MOST`.

    asked: what the change is held against, whoever wrote it. others: the issues by somebody else than its author, which
    alone waive. whole: files before and after, where they can be had.
    """
    found: dict[Risk, None] = {}
    for risk in _all(change, asked, whole):
        found[_waived(risk) if risk.holds is Holds.ALWAYS and waived(risk, others) else risk] = None
        if len(found) == MOST:
            break
    return tuple(found)


def _waived(risk: Risk) -> Risk:
    say = f"{risk.sentence[:-1]}, as an issue by somebody else asks."
    return replace(risk, sentence=say, holds=Holds.WAIVED)


def _all(change: Change, asked: str, whole: Whole) -> Iterator[Risk]:
    for find in FAMILIES:
        yield from find(change, whole)
    yield from literals(asked, change)
