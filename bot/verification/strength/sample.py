"""How many small defects of a change its tests notice, where a sandbox of its own is needed for each.

Each is tried with the tests that enter its function and no others, and only so many as settle whether the tests look
at the change at all. Which tests enter what was told by runs that were made anyway.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from bot.sandbox.protocol import Executor
from bot.telemetry.traces import Pool
from bot.verification.breaking import Defect
from bot.verification.control import Known, TimedRuns, selected
from bot.verification.strength.measure import MOST_MISSED, TOOL, MutantRun, made
from bot.verification.syntax import Function, functions_of, innermost
from bot.verification.values import HARDLY, Program, Strength, Suite

MOST_TRIED = 12  # spread over the functions
LEAST = 1.0  # seconds without which none is begun
_ENOUGH = Fraction(1, 2)  # noticed: the tests look at the change, whatever becomes of the rest
_AT_ONCE = 2
_MOST_TESTS = 200
_SECONDS_OF_TESTS = 5.0  # beyond which no further test is taken
_PATIENCE = 2.0  # seconds that a test may take at least, and ten times what it took before


@dataclass(frozen=True, slots=True)
class _Slip:
    """A small defect. select: what pytest is asked for."""

    defect: Defect
    select: tuple[str, ...]


def measure_sample(
    executor: Executor,
    program: Program,
    changed: Mapping[str, Iterable[int]],
    suite: Suite,
    known: Known,
    *,
    seconds: float,
) -> Strength:
    """The share of small defects in the `changed` lines that the tests notice, as far as it matters. Never raises.

    suite: all the program's tests; they are asked where none is known to enter what is changed. A test that does not
    pass on the program, asked in the same way, notices nothing. seconds: for all of it.
    """
    end = time.monotonic() + seconds
    found = made(executor, program, changed, seconds)
    if found is None or not found.edits:
        return Strength(0, 0, found is not None, TOOL)
    slips = [_Slip(found.defect(edit), _select(edit["path"], around, suite, known)) for edit, around in spread(found)]
    tries = _Tries(TimedRuns(executor, end, LEAST), program, suite)
    killed, missed, complete = 0, [], True
    with Pool(max_workers=_AT_ONCE) as pool:
        selections = list(dict.fromkeys(slip.select for slip in slips))
        passing = dict(zip(selections, pool.map(tries.passing, selections), strict=True))
        for start in range(0, len(slips), _AT_ONCE):
            pair = slips[start : start + _AT_ONCE]
            answers = pool.map(lambda slip: tries.notice(slip, passing[slip.select]), pair)
            for slip, answer in zip(pair, answers, strict=True):
                killed += answer is True
                missed += [slip.defect.told] if answer is False else []
                complete = complete and answer is not None
            if not complete or settled(killed, len(missed), len(slips)):
                break
    tried = killed + len(missed)
    there = len(found.edits) if len(found.edits) > tried else 0
    return Strength(tried, killed, complete, TOOL, found.around, tuple(missed[:MOST_MISSED]), there)


def settled(killed: int, missed: int, planned: int) -> bool:
    """Whether trying the rest of the planned defects can change nothing that matters."""
    return killed >= _ENOUGH * planned or planned - missed <= HARDLY * planned


def spread(found: MutantRun) -> list[tuple[dict[str, Any], Function | None]]:
    """At most `MOST_TRIED` of the edits: as many of each function as can be, and those far from each other; each with
    the function that it is of."""
    around_at = {path: innermost(functions_of(path, text.encode())) for path, text in found.texts.items()}
    groups: dict[object, list[tuple[dict[str, Any], Function | None]]] = {}
    for edit in found.edits:
        around = around_at[edit["path"]](found.line(edit))
        groups.setdefault(around or edit["path"], []).append((edit, around))
    quota = dict.fromkeys(groups, 0)
    for _ in range(min(MOST_TRIED, len(found.edits))):
        open_ = [group for group, its in groups.items() if quota[group] < len(its)]
        quota[min(open_, key=lambda group: quota[group])] += 1
    rows = [[its[at * len(its) // quota[group]] for at in range(quota[group])] for group, its in groups.items()]
    return [each for row in zip_longest(*rows) for each in row if each]


def _select(path: str, around: Function | None, suite: Suite, known: Known) -> tuple[str, ...]:
    if suite.command is not None:
        return suite.select
    tests, left = list[str](), _SECONDS_OF_TESTS
    for test in known.tests(path, around.name if around else "")[:_MOST_TESTS]:
        if left > 0:
            tests.append(test)
            left -= known.seconds[test]
    return selected(tests, _MOST_TESTS) or suite.select


@dataclass(frozen=True)
class _Tries:
    """Runs of a program with a small defect."""

    runs: TimedRuns
    program: Program
    suite: Suite

    def passing(self, select: tuple[str, ...]) -> dict[str, float] | None:
        """Tests of the selection that pass on the program as it is, with their seconds; `None` where time ended."""
        run = self.runs.run(self.program, replace(self.suite, select=select))
        return None if run is None else run.passing

    def notice(self, slip: _Slip, passing: dict[str, float] | None) -> bool | None:
        """Whether a test that passes turns red; `None` where it could not be tried in time."""
        if not passing:
            return None if passing is None else False
        most = min(self.suite.test_seconds, _PATIENCE + 10 * max(passing.values()))
        suite = replace(self.suite, select=slip.select, test_seconds=most, until=frozenset(passing))
        run = self.runs.run(slip.defect.into(self.program), suite)
        return None if run is None else not passing.keys() <= run.passing.keys()
