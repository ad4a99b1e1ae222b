"""When a trajectory goes round in circles: Passerine's smells (section IV) as rules for ending it. Pure.

None of the smells alone ends an attempt, since each is in many runs that pass (its table V: a file read again without a
change to it in up to 54%, three searches in a row in up to 33%, three edits of one file in a row in up to 32%). What
ends it is a smell that comes back.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from bot.judges.steps import AgentStep

IN_A_ROW = 3  # searches, edits of one file
SAME = 3  # times the very same command


def why_pruned(steps: Sequence[AgentStep]) -> str:
    """Why there is no point in going on, as a plain sentence; empty when there may be."""
    if _most_repeated(steps) >= SAME:
        return f"It gave the same command {SAME} times without a change in between."
    if _rows(step.command == "code_search" for step in steps) >= 2:
        return f"Twice it searched {IN_A_ROW} times in a row."
    if any(_rows(_edited(step) == path for step in steps) >= 2 for path in {_edited(step) for step in steps} - {""}):
        return f"Twice it edited one file {IN_A_ROW} times in a row without trying it."
    return ""


def _most_repeated(steps: Sequence[AgentStep]) -> int:
    """How often the last command was given since something was changed."""
    count = 0
    for step in reversed(steps):
        if step.command == "edit" and not step.failed:
            break
        count += (step.command, step.argument) == (steps[-1].command, steps[-1].argument)
    return count


def _rows(holds: Iterable[bool]) -> int:
    """How often something comes three times in a row; six times in a row is twice."""
    return sum(len(list(run)) // IN_A_ROW for value, run in groupby(holds) if value)


def _edited(step: AgentStep) -> str:
    return step.argument.rpartition(" ")[0] if step.command == "edit" else ""
