"""What an agent's own record shows, for the reader of a verdict. It decides nothing."""

from collections.abc import Iterator

from bot.pulls.trajectories.behaviours import behaviours
from bot.pulls.trajectories.smells import MOST_QUOTE, smells
from bot.pulls.trajectories.values import Trajectory
from bot.verdicts import Effect, Evidence

READ = "trajectory_read"


def evidence(trajectory: Trajectory, name: str) -> tuple[Evidence, ...]:
    """The record itself, its smells, and the behaviours it shows; nothing for what holds no tool call of an agent.

    name: the file's, from a stranger. All of it is neutral: a smell is in every second run that passes, too.
    """
    return tuple(_found(trajectory, name)) if trajectory.steps else ()


def _found(trajectory: Trajectory, name: str) -> Iterator[Evidence]:
    calls = len({step.call for step in trajectory.steps})
    whose = trajectory.agent_format.value if trajectory.agent_format else ""
    said = f"A record of the agent's work was read: {whose}, {calls:,} tool {'call' if calls == 1 else 'calls'}."
    yield Evidence(READ, Effect.NEUTRAL, f"{said} {trajectory.problem}".rstrip(), name[:MOST_QUOTE], "trajectory")
    for smell in smells(trajectory):
        yield Evidence(smell.check, smell.effect, f"Weak: {smell.found}", smell.quote, smell.where)
    for behaviour in behaviours(trajectory):
        if behaviour.seen and behaviour.step is not None:
            step = trajectory.steps[behaviour.step]
            where = f"trajectory, tool call {step.call + 1}"
            yield Evidence(behaviour.kind.value, Effect.NEUTRAL, behaviour.why, step.command[:MOST_QUOTE], where)
