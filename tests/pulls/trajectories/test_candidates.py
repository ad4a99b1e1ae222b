"""Where a pull request may hold the record of its agent."""

import pytest

from bot.pulls.trajectories.evidence import MOST_FILES, candidates
from tests.support.cases import cases


@cases
def test_a_path_like_a_record(path: str) -> None:
    assert candidates([path]) == (path,)


@pytest.mark.parametrize(
    "path",
    [
        "src/trajectory.py",
        "trajectories/README.md",
        "data.json",
        "package.json",
        ".claude/settings.json",
        ".claude/commands/x.md",
        "rollout.jsonl",
        "rollout-x.yml",
        "mytrajectory.json",
        ".traj",
        "a" * 1000 + ".traj",
        "",
    ],
)
def test_a_path_unlike_a_record(path: str) -> None:
    assert not candidates([path])


def test_candidates_are_few_and_told_once() -> None:
    files = [f"{number}.traj" for number in range(20)]
    assert candidates([*files, *files]) == tuple(files[:MOST_FILES])
