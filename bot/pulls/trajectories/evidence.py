"""What an agent's own record shows, for the reader of a verdict. It decides nothing."""

from bot.child_process import run_in_child
from bot.plain_text import count_of
from bot.pulls.trajectories.findings import behaviours, smells, step_evidence
from bot.pulls.trajectories.readers import calls_of, read_records
from bot.pulls.trajectories.tools import steps_of_call
from bot.pulls.trajectories.values import AgentFormat, SessionStep, Trajectory
from bot.verdicts import Evidence

MOST_STEPS = 2_000
SECONDS = 5.0  # of the processor, for one record


def read_trajectory(data: bytes) -> Trajectory:
    """Read a record of any known agent: the first whose reader finds a tool call. Never raises: what cannot be read is
    left out, and `problem` says so."""
    records, problem = read_records(data)
    for agent_format in AgentFormat:
        calls = list(calls_of(records, agent_format))
        if not calls:
            continue
        steps: list[SessionStep] = []
        for number, call in enumerate(calls):
            steps += steps_of_call(call, number)
            if len(steps) > MOST_STEPS:
                problem = f"The record has more than {MOST_STEPS} steps; the rest was not read."
                break
        return Trajectory(agent_format, tuple(steps[:MOST_STEPS]), problem)
    return Trajectory(None, problem=problem or "This is no record of an agent that Bouncer knows.")


def bounded_evidence(data: bytes, name: str) -> tuple[Evidence, ...]:
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
    calls = count_of(len({step.call for step in trajectory.steps}), "tool call")
    said = f"A record of the agent's work was read: {trajectory.agent_format}, {calls}. {trajectory.problem}".rstrip()
    return (step_evidence("trajectory_read", said, name, None), *smells(trajectory), *behaviours(trajectory.steps))
