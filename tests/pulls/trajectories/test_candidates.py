"""Where a pull request may hold the record of its agent."""

import pytest

from bot.pulls.trajectories.evidence import MOST_FILES, MOST_LINKS, Candidates, candidates
from tests.support.cases import cases

HOME = "octo/lib"


@cases
def test_a_path_like_a_record(path: str) -> None:
    assert candidates(HOME, [path], "").files == (path,)


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
    assert not candidates(HOME, [path], "").files


@cases
def test_an_attached_file(link: str) -> None:
    found = candidates(HOME, [], f"See [the record]({link}) of the agent.")
    assert found == Candidates(attachments=(link,))


def test_links_are_to_the_github_that_is_asked() -> None:
    server = "https://github.example.com/"
    attached = "https://github.example.com/user-attachments/files/1/run.traj"
    body = f"{attached} https://github.example.com/octo/lib/actions/runs/5/artifacts/77"
    assert candidates(HOME, [], body, server) == Candidates(attachments=(attached,), artifacts=(77,))
    assert candidates(HOME, [], body) == Candidates()
    assert candidates(HOME, [], "https://github.com/user-attachments/files/1/run.traj", server) == Candidates()


def test_an_artifact_of_its_own_workflow() -> None:
    body = "Record: https://github.com/octo/lib/actions/runs/5/artifacts/77."
    assert candidates(HOME, [], body[:-1]).artifacts == (77,)
    assert candidates(HOME, [], body.replace(".", " .")[:0] + body[:-1] + ")").artifacts == (77,)


@cases
def test_nothing_else_is_ever_fetched(link: str) -> None:
    assert candidates(HOME, [], f"[record]({link})") == Candidates()


def test_candidates_are_few_and_told_once() -> None:
    files = [f"{number}.traj" for number in range(20)]
    links = [f"https://github.com/user-attachments/files/{number}/x.traj" for number in range(20)]
    runs = [f"https://github.com/octo/lib/actions/runs/1/artifacts/{number}" for number in range(20)]
    found = candidates(HOME, [*files, *files], "\n".join([*links, *runs, *links]))
    assert found.files == tuple(files[:MOST_FILES])
    assert found.attachments == tuple(links[:MOST_LINKS])
    assert found.artifacts == tuple(range(MOST_LINKS))
    assert candidates(HOME, ["a.traj", "a.traj"], f"{links[0]} {links[0]}") == Candidates(("a.traj",), (links[0],))
