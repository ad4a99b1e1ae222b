"""What Bouncer's own attempts at a fix did on their way: Passerine's smells by outcome (section IV, table V), and its
commands by step (section V-B, figure 8)."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from bot.judges.agent.loop import IN_A_ROW
from bot.judges.steps import AgentStep, Attempt
from lab.scores.counts import Rate, rate

_ENDS = (False, True)  # failing, passing
_LINES = re.compile(r"^(.*) \d+-\d*$", re.DOTALL)


class Smell(StrEnum):
    """What a walk shows that may be in vain."""

    NO_TEST = "no test"
    NO_OP_CAT = "a file read again"  # with no edit of it in between
    SEARCHES = "three searches in a row"
    EDITS = "three edits of a file in a row"


KINDS = ("human", "sanitizer", "test order")
# smell: of the walks that fail and that pass, for each kind of bug (table V)
PUBLISHED = {
    Smell.NO_TEST: ((0.66, 0.13), (0.01, 0.00), (0.01, 0.00)),
    Smell.NO_OP_CAT: ((0.44, 0.22), (0.70, 0.53), (0.60, 0.54)),
    Smell.SEARCHES: ((0.67, 0.33), (0.41, 0.10), (0.31, 0.18)),
    Smell.EDITS: ((0.21, 0.18), (0.63, 0.29), (0.68, 0.32)),
}


@dataclass(frozen=True, slots=True)
class SmellRow:
    """failing, passing: of the attempts with whose fix not all tests pass, and of the others."""

    smell: Smell
    failing: Rate
    passing: Rate


@dataclass(frozen=True, slots=True)
class StepRow:
    """attempts: that came so far. commands: how many of them gave which."""

    number: int
    attempts: int
    commands: dict[str, int]


def smell_rows(attempts: Sequence[Attempt]) -> list[SmellRow]:
    """Of the attempts that made any step."""
    walks = {
        passes: [smells(each.steps) for each in attempts if each.steps and each.passes is passes] for passes in _ENDS
    }

    def found(smell: Smell, passes: bool) -> Rate:
        return rate(sum(smell in each for each in walks[passes]), len(walks[passes]))

    return [SmellRow(smell, *(found(smell, passes) for passes in _ENDS)) for smell in Smell]


def step_rows(attempts: Sequence[Attempt]) -> list[StepRow]:
    """Which commands are given at each step."""
    counted: dict[int, Counter[str]] = {}
    for attempt in attempts:
        for step in attempt.steps:
            counted.setdefault(step.number, Counter())[step.command] += 1
    return [StepRow(number, found.total(), dict(found)) for number, found in sorted(counted.items())]


def smells(steps: Sequence[AgentStep]) -> frozenset[Smell]:
    """To read on in a long file is not to read it again; a command that was refused counts as given."""
    found = set[Smell]()
    if not any(step.command == "test" for step in steps):
        found.add(Smell.NO_TEST)
    if _reads_again(steps):
        found.add(Smell.NO_OP_CAT)
    runs = [(command, len(list(run))) for command, run in groupby(steps, _same)]
    if any(command == ("code_search", "") and many >= IN_A_ROW for command, many in runs):
        found.add(Smell.SEARCHES)
    if any(command[0] == "edit" and many >= IN_A_ROW for command, many in runs):
        found.add(Smell.EDITS)
    return frozenset(found)


def _same(step: AgentStep) -> tuple[str, str]:
    """What stays alike in a row: the command, and of an edit the file."""
    return step.command, _file(step) if step.command == "edit" else ""


def _file(step: AgentStep) -> str:
    lines = _LINES.match(step.argument)
    return lines[1] if lines else step.argument


def _reads_again(steps: Sequence[AgentStep]) -> bool:
    shown = set[tuple[str, str]]()  # files, each with the lines that were asked for
    for step in steps:
        file = _file(step)
        if step.command == "edit" and not step.failed:
            shown = {one for one in shown if one[0] != file}
        elif step.command == "cat" and not step.failed:
            if {(file, file), (file, step.argument)} & shown:
                return True
            shown.add((file, step.argument))
    return False
