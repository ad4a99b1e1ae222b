"""The four trajectory smells of Passerine, section IV ("Trajectory Dynamics").

Weak evidence: by its table V, re-reading is in 53% and 54% of the passing runs on machine-reported bugs (22% on those
people report), so a smell says something to a reader and decides nothing.
"""

from collections import Counter
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
    """What was asked for before counts, and any part of a file that was shown whole: reading on in a long file is no
    re-read."""
    seen: set[tuple[str, str]] = set()
    again: list[SessionStep] = []
    for step in steps:
        if step.kind is StepKind.EDIT and not step.failed:
            seen = {one for one in seen if step.path and not same_file(one[0], step.path)}
        elif step.kind is StepKind.READ and step.path and not step.failed:
            again += [step] if seen & {(step.path, ""), (step.path, step.part)} else []
            seen.add((step.path, step.part))
    if not again:
        return None
    found = f"Weak: The agent read a file again {_times(len(again))} without a change to it in between."
    return shown("no_op_cat_smell", found, again[0].path, again[0])


def same_file(one: str, other: str) -> bool:
    """Whether two paths may name one file: one of them may be written from a directory the record does not name."""
    return one == other or f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")


def _in_a_row(steps: tuple[SessionStep, ...], kind: StepKind) -> tuple[int, SessionStep]:
    """How many calls in a sequence do nothing but that, edits to one file, and the last of them. A tool call counts
    once, however many commands it holds."""
    longest, last = 0, SessionStep(kind, "")
    current: Counter[str] = Counter()
    for _, group in groupby(steps, key=lambda step: step.call):
        call = tuple(group)
        alone = all(step.kind is kind for step in call)
        named = {step.path: step for step in call if alone and (step.path or kind is StepKind.SEARCH)}
        current = Counter({path: current[path] + 1 for path in named})
        for path, times in sorted(current.items()):
            if times > longest:
                longest, last = times, named[path]
    return longest, last


def _searches(steps: tuple[SessionStep, ...]) -> Evidence | None:
    times, last = _in_a_row(steps, StepKind.SEARCH)
    found = f"Weak: The agent searched {times} times in a row."
    return shown("consecutive_search", found, last.command, last) if times >= IN_A_ROW else None


def _edits(steps: tuple[SessionStep, ...]) -> Evidence | None:
    times, last = _in_a_row(steps, StepKind.EDIT)
    found = f"Weak: The agent edited one file {times} times in a row."
    return shown("consecutive_edits", found, last.path, last) if times >= IN_A_ROW else None
