"""The four trajectory smells of Passerine, section IV ("Trajectory Dynamics").

Weak evidence: by its table V, re-reading is in 53% and 54% of the passing runs on machine-reported bugs (22% on those
people report), so a smell says something to a reader and decides nothing.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from bot.pulls.trajectories.values import SessionStep, StepKind, Trajectory
from bot.verdicts import Effect, Evidence

IN_A_ROW = 3  # searches, edits of one file
MOST_QUOTE = 200


def smells(trajectory: Trajectory) -> tuple[Evidence, ...]:
    """What smells, in the paper's order, each at most once; nothing for a record without tool calls.

    `no_test_smell`: no command that executes tests. `no_op_cat_smell`: a file is read again without any change to it in
    between. `consecutive_search`: at least three code searches in a sequence. `consecutive_edits`: at least three
    edits of the same file in a sequence. `quote` is the file, or the last of the searches.
    """
    steps = trajectory.steps
    found = (_no_test(trajectory), _read_again(steps), _searches(steps), _edits(steps))
    return tuple(evidence for evidence in found if evidence is not None)


def shown(check: str, found: str, quote: str, step: SessionStep | None) -> Evidence:
    """Neutral evidence with the tool call that shows it. Without half characters, which nothing can store."""
    where = "trajectory" if step is None else f"trajectory, tool call {step.call + 1}"
    return Evidence(check, Effect.NEUTRAL, found, quote[:MOST_QUOTE].encode("utf-8", "replace").decode(), where)


def _no_test(trajectory: Trajectory) -> Evidence | None:
    steps = trajectory.steps
    if not steps or trajectory.problem:  # the part that was not read may hold a test
        return None
    if any(step.kind is StepKind.TEST for step in steps):
        return None
    calls = len({step.call for step in steps})
    ran = sum(step.kind is StepKind.RUN for step in steps)
    other = f" Other programs were run {_times(ran)}." if ran else ""
    among = "its one tool call" if calls == 1 else f"{calls} tool calls"
    return shown("no_test_smell", f"Weak: The agent ran no test in {among}.{other}", "", None)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _read_again(steps: tuple[SessionStep, ...]) -> Evidence | None:
    """Only lines that were shown before count: reading on in a long file is no re-read."""
    seen: list[SessionStep] = []
    again: list[SessionStep] = []
    for step in steps:
        if step.failed:
            continue
        if step.kind is StepKind.EDIT:
            seen = [one for one in seen if step.path and not same_file(one.path, step.path)]
        elif step.kind is StepKind.READ and step.path and step.lines:
            (again if any(_holds(one, step) for one in seen) else seen).append(step)
    if not again:
        return None
    found = f"Weak: The agent read a file again {_times(len(again))} without a change to it in between."
    return shown("no_op_cat_smell", found, again[0].path, again[0])


def _holds(before: SessionStep, step: SessionStep) -> bool:
    one, other = before.lines or (0, 0), step.lines or (0, 0)
    return before.path == step.path and one[0] <= other[0] and other[1] <= one[1]


def same_file(one: str, other: str) -> bool:
    """Whether two paths may name one file: one of them may be written from a directory the record does not name."""
    return one == other or f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")


def _searches(steps: tuple[SessionStep, ...]) -> Evidence | None:
    longest, last = 0, None
    current = 0
    for call in _calls(steps):
        current = current + 1 if all(step.kind is StepKind.SEARCH for step in call) else 0
        if current > longest:
            longest, last = current, call[-1]
    if longest < IN_A_ROW or last is None:
        return None
    return shown("consecutive_search", f"Weak: The agent searched {longest} times in a row.", last.command, last)


def _edits(steps: tuple[SessionStep, ...]) -> Evidence | None:
    longest, last = 0, None
    current: Counter[str] = Counter()
    for call in _calls(steps):
        paths = {step.path for step in call if step.path}
        if any(step.kind is not StepKind.EDIT for step in call):
            paths = set()
        current = Counter({path: current[path] + 1 for path in paths})
        for path, times in sorted(current.items()):
            if times > longest:
                longest, last = times, next(step for step in call if step.path == path)
    if longest < IN_A_ROW or last is None:
        return None
    return shown("consecutive_edits", f"Weak: The agent edited one file {longest} times in a row.", last.path, last)


def _calls(steps: tuple[SessionStep, ...]) -> Iterator[tuple[SessionStep, ...]]:
    """A tool call counts once, however many commands it holds."""
    for _, group in groupby(steps, key=lambda step: step.call):
        yield tuple(group)
