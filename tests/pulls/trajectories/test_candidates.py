"""Where a pull request may hold the record of its agent."""

import pytest

from bot.pulls.trajectories.candidates import MOST_FILES, MOST_LINKS, Candidates, candidates, looks_like_record

HOME = "octo/lib"


@pytest.mark.parametrize(
    "path",
    [
        "run.traj",
        "out/octo__lib-7.traj",
        "out/octo__lib-7.traj.json",
        "trajectories/7.json",
        "logs/Trajectories/7.jsonl",
        ".claude/projects/-repo/0b7c.jsonl",
        ".claude/session.jsonl",
        ".codex/sessions/2026/01/05/x.jsonl",
        "rollout-2026-01-05T10-00-00-0b7c.jsonl",
        "logs/rollout-x.jsonl",
        "trajectory.json",
        "octo-trajectory-7.jsonl",
        "agent_transcript.jsonl",
        "openhands-events.json",
    ],
)
def test_a_path_like_a_record(path: str) -> None:
    assert looks_like_record(path)


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
    assert not looks_like_record(path)


@pytest.mark.parametrize(
    "link",
    [
        "https://github.com/user-attachments/files/123/run.traj",
        "https://github.com/user-attachments/files/123/session.jsonl.txt",
        "https://github.com/octo/lib/files/123/events.json",
        "https://github.com/Octo/Lib/files/123/events.json",
    ],
)
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


@pytest.mark.parametrize(
    "link",
    [
        "https://github.com/other/lib/files/123/events.json",
        "https://github.com/other/lib/actions/runs/5/artifacts/77",
        "https://github.com/octo/library/actions/runs/5/artifacts/77",
        "https://github.com/octo/lib/actions/runs/5",
        "https://github.com/octo/lib/actions/runs/5/artifacts/latest",
        "https://github.com/octo/lib/raw/main/run.traj",
        "https://github.com/user-attachments/files/123/archive.zip",
        "https://github.com/user-attachments/assets/0b7c",
        "http://github.com/user-attachments/files/123/run.traj",
        "https://github.com.example/user-attachments/files/123/run.traj",
        "https://example.com/run.traj",
        "https://example.com/?https://github.example/user-attachments/files/1/run.traj",
        "file:///etc/passwd.traj",
        "https://github.com/user-attachments/files/123/../../x.traj",
    ],
)
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
