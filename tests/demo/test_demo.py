"""The demo is the product: `bouncer demo --once --json` runs the real server and worker."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

BOUNCER = [sys.executable, "-m", "bot"]
IGNORES_SIGINT = 'trap "" INT; exec "$0" "$@" demo'  # as a shell starts a background job


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> "subprocess.CompletedProcess[str]":
    folder = tmp_path_factory.mktemp("elsewhere")
    hostile = {"BOUNCER_DATABASE_URL": "postgresql://nowhere/none", "BOUNCER_JUDGE": "openai", "TMPDIR": str(folder)}
    command = [*BOUNCER, "demo", "--once", "--json"]
    return subprocess.run(command, cwd=folder, env=os.environ | hostile, capture_output=True, text=True, timeout=400)


def test_stdout_is_one_json_object_and_the_show_goes_to_stderr(finished: "subprocess.CompletedProcess[str]") -> None:
    assert finished.returncode == 0, finished.stderr
    subjects = json.loads(finished.stdout)["subjects"]
    assert set(subjects) == {
        *("vague", "clear", "clarified", "rescued", "kept", "asked", "passed", "blocked", "idle"),
    }
    assert "the reporter" in finished.stderr
    for subject in subjects.values():
        assert subject["url"] in finished.stderr.replace("\n", "")


def test_the_show_tells_what_people_wrote_and_what_bouncer_made_of_it(
    finished: "subprocess.CompletedProcess[str]",
) -> None:
    show = finished.stderr
    assert show.index("Since the update the export") < show.index("BOUNCE") < show.index("label needs-clarification")
    assert show.index("Sure. This is kettle") > show.index("Saving crashes for me.")


def test_the_vague_issue_is_held_with_one_comment(finished: "subprocess.CompletedProcess[str]") -> None:
    vague = json.loads(finished.stdout)["subjects"]["vague"]
    assert vague["verdict"]["verdict"] == "BOUNCE"
    assert vague["labels"] == ["needs-clarification"]
    assert [comment["author"] for comment in vague["comments"]] == ["bouncer[bot]"]
    assert 1 <= len(vague["verdict"]["questions"]) <= 3


def test_the_clear_issue_is_left_in_peace(finished: "subprocess.CompletedProcess[str]") -> None:
    clear = json.loads(finished.stdout)["subjects"]["clear"]
    assert clear["verdict"]["verdict"] == "ACCEPT"
    assert (clear["labels"], clear["comments"]) == ([], [])


def test_the_reply_makes_the_third_one_clear(finished: "subprocess.CompletedProcess[str]") -> None:
    clarified = json.loads(finished.stdout)["subjects"]["clarified"]
    assert clarified["earlier"] == ["BOUNCE"]
    assert clarified["verdict"]["verdict"] == "ACCEPT"
    assert clarified["labels"] == []
    assert [comment["author"] for comment in clarified["comments"]] == ["bouncer[bot]", "reporter"]
    assert "clear now" in clarified["comments"][0]["body"]


@pytest.mark.parametrize(
    ("key", "verdict", "title"),
    [
        ("rescued", "ACCEPT", "The rejection does not hold: the suggested fix breaks what works"),
        ("kept", "BOUNCE", "The rejection holds: this fails, and the suggested fix passes"),
        ("asked", "BOUNCE", "The rejection holds: this fails, and the suggested fix passes"),
    ],
)
def test_a_rejected_pull_request_is_rescued_or_kept(
    finished: "subprocess.CompletedProcess[str]", key: str, verdict: str, title: str
) -> None:
    pull = json.loads(finished.stdout)["subjects"][key]
    assert pull["verdict"]["verdict"] == verdict
    assert [comment["author"] for comment in pull["comments"]] == ["bouncer[bot]"]
    assert title in pull["comments"][0]["body"]
    assert pull["earlier"] == (["UNAVAILABLE"] if key == "asked" else [])


@pytest.mark.parametrize(
    ("key", "verdict", "conclusion", "title"),
    [
        ("passed", "ACCEPT", "success", "Plausible: The judge accepts it"),
        ("blocked", "BOUNCE", "success", "Overridden by maintainer"),
        ("idle", "BOUNCE", "failure", "Bounced: It touches code and changes nothing"),
    ],
)
def test_the_gate_passes_blocks_and_gives_way_to_a_maintainer(
    finished: "subprocess.CompletedProcess[str]", key: str, verdict: str, conclusion: str, title: str
) -> None:
    pull = json.loads(finished.stdout)["subjects"][key]
    assert pull["verdict"]["verdict"] == verdict
    assert pull["check"]["conclusion"] == conclusion
    assert pull["check"]["title"].startswith(title)
    assert pull["comments"] == [] if key != "blocked" else "/bouncer override" in pull["comments"][0]["body"]
    assert ("bounced" in pull["labels"]) == (key == "idle")


def test_a_port_in_use_is_a_plain_message() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run([*BOUNCER, "demo", "--port", port], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"port {port} cannot be used" in done.stderr
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr


def test_it_stays_up_until_it_is_told_to_end_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        ["sh", "-c", IGNORES_SIGINT, *BOUNCER], env=environment, stdout=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if "Your turn" in line:
                break
        assert demo.poll() is None
        assert list(tmp_path.iterdir())
        demo.send_signal(signal.SIGINT)
        rest = demo.stdout.read()  # ends when every process that holds the pipe has ended
        assert demo.wait(60) == 0
    assert "Ended." in rest
    assert list(tmp_path.iterdir()) == []
