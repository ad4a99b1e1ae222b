"""What an agent's own record among the files of a pull request shows, for the reader of a verdict. It decides
nothing."""

from collections.abc import Iterable

from bot.child_process import run_in_child
from bot.plain_text import count_of
from bot.pulls.trajectories.findings import history_seen, smells, step_evidence
from bot.pulls.trajectories.records import is_record_path, read_calls
from bot.pulls.trajectories.steps import steps_of_call
from bot.pulls.trajectories.values import SessionStep, Trajectory
from bot.verdicts import Evidence

MOST_STEPS = 2_000
SECONDS = 5.0  # of the processor, for one record
MOST_FILES = 5
MOST_PATH = 400


def read_trajectory(data: bytes) -> Trajectory:
    """Read a record. Never raises: what cannot be read is left out, and `problem` says so."""
    calls, problem = read_calls(data)
    steps: list[SessionStep] = []
    for number, call in enumerate(calls):
        steps += steps_of_call(call, number)
        if len(steps) > MOST_STEPS:
            problem = f"The record has more than {MOST_STEPS} steps; the rest was not read."
            break
    nothing = "" if calls else "This is no record of an agent that Bouncer knows."
    return Trajectory(tuple(steps[:MOST_STEPS]), problem or nothing)


def evidence_in_time(data: bytes, name: str) -> tuple[Evidence, ...]:
    """`evidence` of a record, read in a process of its own: nothing of what takes too long or too much memory."""
    try:
        found = run_in_child(evidence, data, name, seconds=SECONDS)
    except RuntimeError:
        return ()
    return found if isinstance(found, tuple) else ()


def evidence(data: bytes, name: str) -> tuple[Evidence, ...]:
    """The record itself, its smells, a look at the history; nothing for what holds no tool call of an agent.

    name: the file's, from a stranger. All of it is neutral: a smell is in every second run that passes, too.
    """
    trajectory = read_trajectory(data)
    if not trajectory.steps:
        return ()
    calls = count_of(len({step.call for step in trajectory.steps}), "tool call")
    said = f"A record of the agent's work was read: {calls}. {trajectory.problem}".rstrip()
    return (step_evidence("trajectory_read", said, name, None), *smells(trajectory), *history_seen(trajectory.steps))


def candidates(changed_paths: Iterable[str]) -> tuple[str, ...]:
    """The files that are named or placed like a record, at most `MOST_FILES`. changed_paths: those that a pull request
    adds or changes, in its order."""
    files = (path for path in changed_paths if len(path) <= MOST_PATH and is_record_path(path.lower()))
    return tuple(dict.fromkeys(files))[:MOST_FILES]
