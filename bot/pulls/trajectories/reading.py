"""Whose record a file is, and what it says was done."""

from fnmatch import fnmatch
from posixpath import basename

from bot.pulls.trajectories.claude import is_claude, read_claude
from bot.pulls.trajectories.codex import is_codex, read_codex
from bot.pulls.trajectories.openhands import is_openhands, read_openhands
from bot.pulls.trajectories.records import Record, read_records
from bot.pulls.trajectories.sweagent import is_sweagent, read_sweagent
from bot.pulls.trajectories.tools import MOST_STEPS, steps_of_calls
from bot.pulls.trajectories.values import AgentFormat, Trajectory

_LOOKED_AT = 200  # records before a format is given up
_SIGNS = (
    (AgentFormat.CODEX, is_codex),
    (AgentFormat.CLAUDE_CODE, is_claude),
    (AgentFormat.OPENHANDS, is_openhands),
    (AgentFormat.SWE_AGENT, is_sweagent),
)
_READERS = {
    AgentFormat.CODEX: read_codex,
    AgentFormat.CLAUDE_CODE: read_claude,
    AgentFormat.OPENHANDS: read_openhands,
    AgentFormat.SWE_AGENT: read_sweagent,
}


def detect(data: bytes, name: str) -> AgentFormat | None:
    """Whose record it is, told from its contents, or from its name where it was cut before the first step."""
    return _format(read_records(data)[0], name)


def read_trajectory(data: bytes, name: str) -> Trajectory:
    """Read a record of any known agent. Never raises: what cannot be read is left out, and `problem` says so."""
    records, problem = read_records(data)
    agent_format = _format(records, name)
    if agent_format is None:
        return Trajectory(None, problem=problem or "This is no record of an agent that Bouncer knows.")
    steps, more = steps_of_calls(_READERS[agent_format](records))
    if more:
        problem = f"The record has more than {MOST_STEPS} steps; the rest was not read."
    elif not steps and not problem:
        problem = "The record holds no tool call."
    return Trajectory(agent_format, steps, problem)


def _format(records: tuple[Record, ...], name: str) -> AgentFormat | None:
    for record in records[:_LOOKED_AT]:
        for agent_format, fits in _SIGNS:
            if fits(record):
                return agent_format
    if records:
        return None
    if name.endswith(".traj"):
        return AgentFormat.SWE_AGENT
    return AgentFormat.CODEX if fnmatch(basename(name), "rollout-*.jsonl") else None
