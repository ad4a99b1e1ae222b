"""Examples of an issue that a change does not meet, and that a fix which somebody else offers does.

Whoever offers a fix can have it answer anything, so its answer decides nothing: it shows that an example can be met and
was read as it is meant. What decides is the issue, where its own words say what should come, and where the change gives
something else or lacks what is named. What comes without the change as well, and what it breaks off, says nothing.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.already_fixed.examples import EACH, ExampleSource, base_and_head, demand_of, read_examples
from bot.already_fixed.trial import TrialPlace, tried
from bot.already_fixed.values import Reproduction, Run, Seen
from bot.verification.patch_evidence import Hole, OfferedRuns
from bot.verification.stage import Stage
from bot.verification.trial.times import OFFERED
from bot.verification.values import Program

_NAMELESS = frozenset({"ImportError", "ModuleNotFoundError", "NameError"})
_LONGEST = 200  # characters of a line, or of what came


@dataclass(frozen=True, slots=True)
class OfferedProgram:
    """The base with a fix that somebody offers beside the change. name: whose it is; url: where people read it; author:
    their login. fetch: gets it; `None` where it cannot be had."""

    name: str
    url: str
    author: str
    fetch: Callable[[], Program | None]


def show_holes(
    stage: Stage, sources: Sequence[ExampleSource], offered: Callable[[], Sequence[OfferedProgram]], seconds: float
) -> OfferedRuns:
    """What the offered fixes show of the stage's head, each example once, and whether some had no time. Never raises
    for what programs do and texts say.

    offered: asked only where there are examples. seconds: for all of it; no fix takes another's. An issue that the
    author of a fix wrote or edited counts for nothing beside that fix: nobody is a witness of their own words.
    """
    end, runs = time.monotonic() + seconds, list[OfferedRuns]()
    for number, source in enumerate(sources):
        shown = _stated(stage, source)
        fixes = [each for each in offered() if each.author not in source.writers] if shown else []
        left = (end - time.monotonic()) / (len(sources) - number)
        if fixes:
            in_time = left >= OFFERED.least
            runs.append(_of_source(stage, shown, fixes, left) if in_time else OfferedRuns(late=True))
    return OfferedRuns(tuple(hole for each in runs for hole in each.holes), any(each.late for each in runs))


def _of_source(stage: Stage, shown: list[Reproduction], fixes: list[OfferedProgram], seconds: float) -> OfferedRuns:
    end, found, late = time.monotonic() + seconds, list[Hole](), False
    missed = _missed(stage, shown, seconds / 2)
    for number, fix in enumerate(fixes):
        if not missed:
            break
        program, left = None, (end - time.monotonic()) / (len(fixes) - number)
        if left >= OFFERED.least:
            program, left = fix.fetch(), (end - time.monotonic()) / (len(fixes) - number)
            if program is None:
                continue
        if program is None or left < OFFERED.least:
            late = True
            continue
        place = TrialPlace(program, stage.suite.environment)
        seen = tried(stage.executor, place, [one for one, _ in missed], seconds=left, each=EACH)
        met = [(one, run) for one, run in missed if seen[one.name].seen is Seen.PASSES]
        found += (_hole(one, run, fix) for one, run in met)
        missed = [each for each in missed if each not in met]
    return OfferedRuns(tuple(found), late)


def _stated(stage: Stage, source: ExampleSource) -> list[Reproduction]:
    """The examples of which the text itself says what should come, by the names that the change has."""
    shown = read_examples((source,), stage.head.tree) if stage.head.tree else []
    return [one for one in shown if one.expectation.right and not (one.variant_of or one.may_fail)]


def _missed(stage: Stage, shown: list[Reproduction], seconds: float) -> list[tuple[Reproduction, Run]]:
    """Those that the base does not meet, and the head neither, with what the head gives."""
    _, on_head = base_and_head(stage, shown, lambda one, run: _is_unmet(run), seconds, OFFERED.least)
    return [(one, on_head[one.name]) for one in shown if one.name in on_head and _is_unmet(on_head[one.name])]


def _is_unmet(run: Run) -> bool:
    """Whether it ran and gave something else than what should come, or asks for what is not there. Of what had no time
    nothing is known."""
    nameless = run.seen is Seen.CANNOT_RUN and run.shown.partition(":")[0] in _NAMELESS
    return nameless or run.seen is Seen.AS_REPORTED or (run.seen is Seen.OTHERWISE and not run.unclear)


def _hole(one: Reproduction, run: Run, fix: OfferedProgram) -> Hole:
    demand = demand_of(one)
    call = demand.call if demand else one.code.rstrip().rpartition("\n")[2]
    given = run.shown.strip() or run.says
    return Hole(fix.name, fix.url, one.where, *(each[:_LONGEST] for each in (call, given, one.expectation.right)))
