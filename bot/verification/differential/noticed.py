"""Whether compared calls would notice a defect in what a fix changes: that two programs agree where none would show is
no agreement.

What differs is broken, one thing in a program each time (`defects/otherwise.py`), and each such program is held
against the same one with an edit that changes nothing.
"""

from collections.abc import Sequence
from enum import Enum, auto
from random import SystemRandom

from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.calls.equality import same
from bot.verification.calls.observe import ObservationError
from bot.verification.defects.null_edit import null_edited
from bot.verification.defects.otherwise import (
    both_trees,
    functions_that_differ,
    programs_with_defect,
    without_functions,
)
from bot.verification.differential.compare import VisibleCalls, answers_in_turn
from bot.verification.differential.expression import read
from bot.verification.programs import changed_lines
from bot.verification.values import Observed, Program

ONE_WAY = "None of them would notice a defect in something that the fix changes, so they do not tell."
MINDS = "They do not behave alike any more with an edit that changes nothing."
_UNKNOWN = "It could not be seen whether they would notice a defect in what the fix changes."
LEAST = 16  # calls for which there must be time
_Seen = tuple[Observed, ...]


class _Kind(Enum):
    EDITED = auto()  # in a way that changes nothing
    OFF = auto()  # its functions that do otherwise break off
    DEFECT = auto()


def unnoticed(
    executor: Executor,
    programs: tuple[Program, Program],
    calls: Sequence[str],
    visible: VisibleCalls,
    *,
    seconds: float,
) -> str:
    """Why agreement of the two on these calls says little, as one sentence; empty where it counts. Never raises.

    seconds: for everything.
    """
    sides = [_made_of(*pair) for pair in (programs, programs[::-1])]
    if not any(kind is not _Kind.EDITED for side in sides for _, kind in side):
        return ""

    def seen_of(side: list[tuple[Program, _Kind]]) -> tuple[_Seen, ...]:
        asked = [(program, not at or kind is _Kind.OFF) for at, (program, kind) in enumerate(side)]
        return answers_in_turn(executor, asked, calls, visible, seconds=seconds)

    try:
        with Pool(len(sides)) as pool:
            seen = list(pool.map(seen_of, sides))
    except ObservationError:
        return _UNKNOWN
    known = [its[0] for its in seen]
    if any(len(its) < min(LEAST, len(calls)) for its in known):
        return _UNKNOWN
    if not all(map(same, *known)):
        return MINDS
    # What a program puts in the place of its answers, it knows for the calls of its tests alone.
    beyond = set(_asking([call for call in calls if call not in visible.read], programs))
    places = [at for at, call in enumerate(calls) if call in beyond and at < min(map(len, known))]
    told = [
        _doubt(kind, its, all_of_side[0], places)
        for side, all_of_side in zip(sides, seen, strict=True)
        for (_, kind), its in zip(side[1:], all_of_side[1:], strict=True)
    ]
    return next((why for why in (ONE_WAY, _UNKNOWN) if why in told), "")


def _made_of(program: Program, other: Program) -> list[tuple[Program, _Kind]]:
    """The program with an edit that changes nothing, and behind it the ones that are held against that, itself among
    them: they are told apart by nothing, not even by their places."""
    edited, off = (null_edited(program, changed_lines(program, other)), _Kind.EDITED), without_functions(program, other)
    others = [edited, *((each, _Kind.DEFECT) for each in programs_with_defect(program, other))]
    others += [(off, _Kind.OFF)] if off else []
    return [edited, *SystemRandom().sample(others, len(others))]


def _doubt(kind: _Kind, seen: _Seen, known: _Seen, places: Sequence[int]) -> str:
    """What speaks against the calls after such a program, as far as it was run. places: of the calls that count where
    functions break off."""
    whole = len(seen) == len(known)
    if kind is _Kind.EDITED:
        return "" if whole and seen == known else _UNKNOWN
    if kind is _Kind.OFF and whole:
        return ONE_WAY if 2 * sum(seen[at] != known[at] for at in places) < len(places) else ""
    if kind is _Kind.OFF or seen == known[: len(seen)]:
        return ONE_WAY if whole else _UNKNOWN
    return ""


def _asking(calls: Sequence[str], programs: tuple[Program, Program]) -> list[str]:
    """Those that ask by its name for a function that does otherwise; where there is none, all."""
    found = (functions_that_differ(mine, others) for _, _, mine, others in both_trees(*programs))
    names = tuple(f".{name.rpartition(' ')[2].rstrip('.')}" for some in found for name in some)
    asked = ((call, each.steps[-1].asks) for call in calls if (each := read(call)))
    own = [call for call, asks in asked if f".{asks.replace('()', '').partition('(')[0]}".endswith(names)]
    return own or [*calls]
