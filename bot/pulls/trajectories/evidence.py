"""What an agent's own record shows, for the reader of a verdict. It decides nothing."""

from bot.child_process import run_in_child
from bot.pulls.trajectories.behaviours import behaviours
from bot.pulls.trajectories.reading import read_trajectory
from bot.pulls.trajectories.smells import shown, smells
from bot.verdicts import Evidence

SECONDS = 5.0  # of the processor, for one record


def told(data: bytes, name: str) -> tuple[Evidence, ...]:
    """`evidence` of a record, read in a process of its own: nothing of what takes too long or too much memory."""
    try:
        found = run_in_child(evidence, data, name, seconds=SECONDS)
    except RuntimeError:
        return ()
    return found if isinstance(found, tuple) else ()


def evidence(data: bytes, name: str) -> tuple[Evidence, ...]:
    """The record itself, its smells, and the behaviours it shows; nothing for what holds no tool call of an agent.

    name: the file's, from a stranger. All of it is neutral: a smell is in every second run that passes, too.
    """
    trajectory = read_trajectory(data)
    if trajectory.agent_format is None or not trajectory.steps:
        return ()
    calls = len({step.call for step in trajectory.steps})
    counted = f"{trajectory.agent_format.value}, {calls:,} tool {'call' if calls == 1 else 'calls'}"
    said = f"A record of the agent's work was read: {counted}. {trajectory.problem}".rstrip()
    return (shown("trajectory_read", said, name, None), *smells(trajectory), *behaviours(trajectory.steps))
