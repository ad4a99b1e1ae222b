"""Whether compared calls would notice a defect in what a fix changes: that two programs agree where none would show is
no agreement.

What differs is broken, one thing in a program each time (`defects/otherwise.py`), and each such program is held
against the same one with an edit that changes nothing.
"""

import time
from collections.abc import Sequence
from itertools import zip_longest

from bot.sandbox.protocol import Executor
from bot.verification.calls.equality import same
from bot.verification.calls.observe import ObservationError
from bot.verification.defects.null_edit import null_edited
from bot.verification.defects.otherwise import both_trees, broken, differing, without_functions
from bot.verification.differential.compare import VisibleCalls, answers
from bot.verification.differential.expression import read
from bot.verification.programs import changed_lines
from bot.verification.values import Observed, Program

ONE_WAY = "None of them would notice a defect in something that the fix changes, so they do not tell."
MINDS = "They do not behave alike any more with an edit that changes nothing."
_UNKNOWN = "It could not be seen whether they would notice a defect in what the fix changes."
LEAST = 1.0  # seconds
AT_ONCE = 2


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
    sides = (programs, programs[::-1])
    both = zip_longest(*([(at, each) for each in broken(*pair)] for at, pair in enumerate(sides)))
    defects = [each for row in both for each in row if each]
    off = [(at, each) for at, pair in enumerate(sides) if (each := without_functions(*pair))]
    if not defects and not off:
        return ""
    end = time.monotonic() + seconds

    def seen_of(some: Sequence[Program]) -> tuple[tuple[Observed, ...], ...]:
        if (left := end - time.monotonic()) < LEAST:
            raise ObservationError("no time is left")
        return answers(executor, some, calls, visible, seconds=left)

    try:
        known = seen_of([null_edited(one, changed_lines(one, other)) for one, other in sides])
        if any(len(seen) < len(calls) for seen in known):
            return _UNKNOWN
        if not all(map(same, *known)):
            return MINDS
        # What a program puts in the place of its answers, it knows for the calls of its tests alone.
        beyond = set(_asking([call for call in calls if call not in visible.read], programs))
        for (side, _), seen in zip(off, seen_of([each for _, each in off]) if off else (), strict=True):
            places = [at for at, call in enumerate(calls) if call in beyond]
            if 2 * sum(seen[at : at + 1] != known[side][at : at + 1] for at in places) < len(places):
                return ONE_WAY
        for at in range(0, len(defects), AT_ONCE):
            some = defects[at : at + AT_ONCE]
            for (side, _), seen in zip(some, seen_of([each for _, each in some]), strict=True):
                if seen == known[side][: len(seen)]:
                    return ONE_WAY if len(seen) == len(calls) else _UNKNOWN
    except ObservationError:
        return _UNKNOWN
    return ""


def _asking(calls: Sequence[str], programs: tuple[Program, Program]) -> list[str]:
    """Those that ask by its name for a function that does otherwise; where there is none, all."""
    found = (differing(mine, others) for _, _, mine, others in both_trees(*programs))
    names = tuple(f".{name.rpartition(' ')[2].rstrip('.')}" for some in found for name in some)
    asked = ((call, each.steps[-1].asks) for call in calls if (each := read(call)))
    own = [call for call, asks in asked if f".{asks.replace('()', '').partition('(')[0]}".endswith(names)]
    return own or [*calls]
