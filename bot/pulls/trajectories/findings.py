"""What the steps of a session show: whether its agent looked at the history, and the four trajectory smells of
Passerine, section IV ("Trajectory Dynamics").

A smell is weak evidence: by Passerine's table V, re-reading is in 53% and 54% of the passing runs on machine-reported
bugs (22% on those people report), so it says something to a reader and decides nothing. Of FixedBench's behaviours
(appendix D), the change itself shows whether a test was added; what else an edit was for is never guessed.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from bot.pulls.trajectories.steps import line_pattern
from bot.pulls.trajectories.values import SessionStep, StepKind, Trajectory
from bot.verdicts import Effect, Evidence

_HISTORY = line_pattern("history")
IN_A_ROW = 3  # searches, edits of one file
MOST_QUOTE = 200

Steps = tuple[SessionStep, ...]


def step_evidence(check: str, found: str, quote: str, step: SessionStep | None) -> Evidence:
    """Neutral evidence with the tool call that shows it. Without half characters, which nothing can store."""
    where = "trajectory" if step is None else f"trajectory, tool call {step.call + 1}"
    return Evidence(check, Effect.NEUTRAL, found, quote[:MOST_QUOTE].encode("utf-8", "replace").decode(), where)


def history_seen(steps: Steps) -> Iterator[Evidence]:
    """`check_git_history`, with the first tool call that looks there."""
    for step in (step for step in steps if _HISTORY.match(step.command)):
        said = "The agent looked at the history of the repository."
        yield step_evidence("check_git_history", said, step.command, step)
        return


def smells(trajectory: Trajectory) -> Iterator[Evidence]:
    """What smells, in the paper's order, each at most once; nothing for a record without tool calls.

    `no_test_smell`: no command that executes tests. `no_op_cat_smell`: a file is read again without any change to it in
    between. `consecutive_search`: at least three code searches in a sequence. `consecutive_edits`: at least three
    edits of the same file in a sequence. `quote` is the file, or the last of the searches.
    """
    steps = trajectory.steps
    tested = any(step.kind is StepKind.TEST for step in steps)
    if steps and not tested and not trajectory.problem:  # the part that was not read may hold a test
        calls = len({step.call for step in steps})
        among = "its one tool call" if calls == 1 else f"{calls} tool calls"
        yield step_evidence("no_test_smell", f"Weak: The agent ran no test in {among}.", "", None)
    if again := _read_again(steps):
        times = "once" if len(again) == 1 else f"{len(again)} times"
        said = f"Weak: The agent read a file again {times} without a change to it in between."
        yield step_evidence("no_op_cat_smell", said, again[0].path, again[0])
    searches, search = _in_a_row(steps, StepKind.SEARCH)
    if search and searches >= IN_A_ROW:
        said = f"Weak: The agent searched {searches} times in a row."
        yield step_evidence("consecutive_search", said, search.command, search)
    edits, edit = _in_a_row(steps, StepKind.EDIT)
    if edit and edits >= IN_A_ROW:
        yield step_evidence(
            "consecutive_edits", f"Weak: The agent edited one file {edits} times in a row.", edit.path, edit
        )


def _read_again(steps: Steps) -> list[SessionStep]:
    """What was asked for before counts, and any part of a file that was shown whole: reading on in a long file is no
    re-read."""
    seen, again = set[tuple[str, str]](), list[SessionStep]()
    for step in steps:
        if step.kind is StepKind.EDIT and not step.failed:
            seen = {one for one in seen if step.path and not same_file(one[0], step.path)}
        elif step.kind is StepKind.READ and step.path and not step.failed:
            again += [step] if seen & {(step.path, ""), (step.path, step.part)} else []
            seen.add((step.path, step.part))
    return again


def same_file(one: str, other: str) -> bool:
    """Whether two paths may name one file: one of them may be written from a directory the record does not name."""
    return one == other or f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")


def _in_a_row(steps: Steps, kind: StepKind) -> tuple[int, SessionStep | None]:
    """How many calls in a sequence do nothing but that, edits to one file, and the last of them. A tool call counts
    once, however many commands it holds."""
    longest, last = 0, None
    current: Counter[str] = Counter()
    for _, group in groupby(steps, key=lambda step: step.call):
        call = tuple(group)
        alone = all(step.kind is kind for step in call)
        named = {step.path: step for step in call if alone and (step.path or kind is StepKind.SEARCH)}
        current = Counter({path: current[path] + 1 for path in named})
        path, times = max(sorted(current.items()), key=lambda each: each[1], default=("", 0))
        longest, last = (times, named[path]) if times > longest else (longest, last)
    return longest, last
