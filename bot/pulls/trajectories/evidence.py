"""What an agent's own record shows, for the reader of a verdict, and where a pull request may hold one: among its
files, or behind a link in its text. It decides nothing.

A link counts only when it leads to a file attached on GitHub, or to an artifact of a workflow run of the same
repository. Nothing else is ever fetched, whatever it is called.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.child_process import run_in_child
from bot.plain_text import count_of
from bot.pulls.trajectories.findings import behaviours, smells, step_evidence
from bot.pulls.trajectories.records import is_record_path, read_calls
from bot.pulls.trajectories.steps import steps_of_call
from bot.pulls.trajectories.values import SessionStep, Trajectory
from bot.verdicts import Evidence

MOST_STEPS = 2_000
SECONDS = 5.0  # of the processor, for one record

GITHUB = "https://github.com"
MOST_FILES = 5
MOST_LINKS = 5
MOST_PATH = 400
MOST_BODY = 300_000

_SUFFIXES = (".traj", ".json", ".jsonl", ".txt")  # GitHub takes no `.jsonl`, so people rename it


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
    """The record itself, its smells, and the behaviours it shows; nothing for what holds no tool call of an agent.

    name: the file's, from a stranger. All of it is neutral: a smell is in every second run that passes, too.
    """
    trajectory = read_trajectory(data)
    if not trajectory.steps:
        return ()
    calls = count_of(len({step.call for step in trajectory.steps}), "tool call")
    said = f"A record of the agent's work was read: {calls}. {trajectory.problem}".rstrip()
    return (step_evidence("trajectory_read", said, name, None), *smells(trajectory), *behaviours(trajectory.steps))


@dataclass(frozen=True, slots=True)
class Candidates:
    """files: paths of the pull request, in its order. attachments: addresses of files attached on GitHub.
    artifacts: ids of artifacts of the repository's own workflow runs."""

    files: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    artifacts: tuple[int, ...] = ()


def candidates(repository: str, changed_paths: Iterable[str], body: str, web_url: str = GITHUB) -> Candidates:
    """What is worth a look, at most `MOST_FILES` files and `MOST_LINKS` links of each sort.

    repository: `owner/name`; links into other repositories are left alone. changed_paths: files the pull request adds
    or changes; one that is named or placed like a record is looked at. body: its text, from a stranger. web_url: where
    this GitHub's pages lie.
    """
    own = rf"(?i:{re.escape(repository)})"
    link = re.compile(
        rf"(?<![\w.%+:/?=&#-]){re.escape(web_url.rstrip('/'))}/(?:"
        rf"(?:user-attachments|{own})/files/\d{{1,19}}/(?P<file>[\w.%+-]{{1,200}})"
        rf"|{own}/actions/runs/\d{{1,19}}/artifacts/(?P<number>\d{{1,19}})(?![\w.%+-]))"
    )
    links = list(link.finditer(body[:MOST_BODY]))
    files = (path for path in changed_paths if len(path) <= MOST_PATH and is_record_path(path.lower()))
    attachments = (each[0] for each in links if is_record_name(each["file"] or ""))
    artifacts = (int(each["number"]) for each in links if each["number"])
    return Candidates(
        tuple(dict.fromkeys(files))[:MOST_FILES],
        tuple(dict.fromkeys(attachments))[:MOST_LINKS],
        tuple(dict.fromkeys(artifacts))[:MOST_LINKS],
    )


def is_record_name(name: str) -> bool:
    """Whether a file in an archive may be a record: there it stands alone, so any name of that sort will do."""
    return len(name) <= MOST_PATH and name.lower().endswith(_SUFFIXES)
