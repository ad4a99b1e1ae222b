"""Whose record a file is, and what it says was done."""

from bot.pulls.trajectories.readers import calls_of
from bot.pulls.trajectories.records import read_records
from bot.pulls.trajectories.tools import steps_of_call
from bot.pulls.trajectories.values import AgentFormat, SessionStep, Trajectory

MOST_STEPS = 2_000


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
