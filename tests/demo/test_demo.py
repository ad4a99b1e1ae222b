"""The demo is the product: `bouncer demo` runs the real server and worker, here as the wheel brings them."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import Mock

import pytest
import requests
from click.testing import CliRunner

from bot.commands import demo as command
from tests.support.waiting import eventually

BOUNCER = [sys.executable, "-m", "bot", "demo"]
IGNORES_SIGINT = 'trap "" INT; exec "$0" "$@"'  # as a shell starts a background job


@dataclass(frozen=True)
class Ran:
    """One run. stayed: it was still up after the scenario, with something in its temporary directory. left: what was
    there in the end. page: the last verdict page that was shown, read while it was up."""

    stdout: str
    stderr: str
    returncode: int
    stayed: bool
    left: list[Path]
    page: str


@pytest.fixture(scope="module")
def finished(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The scenario once, then Ctrl-C. Server, worker, migrations, templates, weights, fake GitHub: all of the wheel."""
    folder, place = tmp_path_factory.mktemp("elsewhere"), tmp_path_factory.mktemp("tmp")
    environment = {"PATH": os.defpath, "HOME": str(folder), "TMPDIR": str(place)}
    hostile = {"BOUNCER_DATABASE_URL": "postgresql://nowhere/none", "BOUNCER_JUDGE": "openai"}
    words = ["sh", "-c", IGNORES_SIGINT, str(installed / "bouncer"), "demo", "--json"]
    with (folder / "show").open("w+") as show:
        demo = subprocess.Popen(
            words, cwd=folder, env=environment | hostile, stdout=subprocess.PIPE, stderr=show, text=True
        )
        eventually(lambda: demo.poll() is not None or "Your turn" in (folder / "show").read_text(), seconds=400)
        stayed = demo.poll() is None and bool(list(place.iterdir()))
        shown = (folder / "show").read_text().replace("\n", "")
        pages = re.findall(r"http://127\.0\.0\.1:\d+/verdicts/[\w-]{32}", shown)
        page = requests.get(pages[-1], timeout=60).text if pages else ""
        demo.send_signal(signal.SIGINT)
        stdout, _ = demo.communicate(timeout=60)  # ends when every process that holds the pipe has ended
    return Ran(stdout, (folder / "show").read_text(), demo.returncode, stayed, list(place.iterdir()), page)


def test_stdout_is_one_json_object_and_the_show_goes_to_stderr(finished: Ran) -> None:
    assert finished.returncode == 0, finished.stderr
    subjects = json.loads(finished.stdout)["subjects"]
    assert {name: subject["verdict"]["verdict"] for name, subject in subjects.items()} == {
        "vague": "BOUNCE",
        "clear": "ACCEPT",
        "clarified": "ACCEPT",
        "stale": "ACCEPT",
        "half": "ACCEPT",
        "rescued": "ACCEPT",
        "kept": "BOUNCE",
        "asked": "BOUNCE",
        "passed": "ACCEPT",
        "blocked": "BOUNCE",
        "idle": "BOUNCE",
    }
    assert "the reporter" in finished.stderr
    for subject in subjects.values():
        assert subject["url"] in finished.stderr.replace("\n", "")


def test_the_show_tells_what_people_wrote_and_what_bouncer_made_of_it(
    finished: Ran,
) -> None:
    show = finished.stderr
    assert show.index("Since the update the export") < show.index("BOUNCE") < show.index("label needs-clarification")
    assert show.index("Sure. This is kettle") > show.index("Saving crashes for me.")


def test_the_vague_issue_is_held_with_one_comment(finished: Ran) -> None:
    vague = json.loads(finished.stdout)["subjects"]["vague"]
    assert vague["verdict"]["verdict"] == "BOUNCE"
    assert vague["labels"] == ["needs-clarification"]
    assert [comment["author"] for comment in vague["comments"]] == ["bouncer[bot]"]
    assert 1 <= len(vague["verdict"]["questions"]) <= 3


def test_the_clear_issue_is_left_in_peace(finished: Ran) -> None:
    clear = json.loads(finished.stdout)["subjects"]["clear"]
    assert clear["verdict"]["verdict"] == "ACCEPT"
    assert (clear["labels"], clear["comments"]) == ([], [])


def test_the_reply_makes_the_third_one_clear(finished: Ran) -> None:
    clarified = json.loads(finished.stdout)["subjects"]["clarified"]
    assert clarified["earlier"] == ["BOUNCE"]
    assert clarified["verdict"]["verdict"] == "ACCEPT"
    assert clarified["labels"] == []
    assert [comment["author"] for comment in clarified["comments"]] == ["bouncer[bot]", "reporter"]
    assert "clear now" in clarified["comments"][0]["body"]


@pytest.mark.parametrize(
    ("key", "labels", "said"),
    [
        ("stale", ["already-fixed"], ("**This is fixed already**", "print(minutes('GREEN'))", "not released yet")),
        ("half", [], ("**Only a part of this is fixed.**", "print(minutes('black '))")),
    ],
)
def test_a_report_of_what_was_mended_since_is_answered(
    finished: Ran, key: str, labels: list[str], said: tuple[str, ...]
) -> None:
    report = json.loads(finished.stdout)["subjects"][key]
    assert report["labels"] == labels
    (comment,) = report["comments"]
    assert all(text in comment["body"] for text in said)


@pytest.mark.parametrize(
    ("key", "verdict", "title"),
    [
        ("rescued", "ACCEPT", "The rejection does not hold: the suggested fix breaks what works"),
        ("kept", "BOUNCE", "The rejection holds: this fails, and the suggested fix passes"),
        ("asked", "BOUNCE", "The rejection holds: this fails, and the suggested fix passes"),
    ],
)
def test_a_rejected_pull_request_is_rescued_or_kept(finished: Ran, key: str, verdict: str, title: str) -> None:
    pull = json.loads(finished.stdout)["subjects"][key]
    assert pull["verdict"]["verdict"] == verdict
    assert [comment["author"] for comment in pull["comments"]] == ["bouncer[bot]"]
    assert title in pull["comments"][0]["body"]
    assert pull["earlier"] == (["UNAVAILABLE"] if key == "asked" else [])


@pytest.mark.parametrize(
    ("key", "verdict", "conclusion", "title"),
    [
        ("passed", "ACCEPT", "success", "Plausible: "),
        ("blocked", "BOUNCE", "success", "Overridden by maintainer"),
        ("idle", "BOUNCE", "failure", "Bounced: It touches code and changes nothing"),
    ],
)
def test_the_gate_passes_blocks_and_gives_way_to_a_maintainer(
    finished: Ran, key: str, verdict: str, conclusion: str, title: str
) -> None:
    pull = json.loads(finished.stdout)["subjects"][key]
    assert pull["verdict"]["verdict"] == verdict
    assert pull["check"]["conclusion"] == conclusion
    assert pull["check"]["title"].startswith(title)
    assert pull["comments"] == [] if key != "blocked" else "/bouncer override" in pull["comments"][0]["body"]
    assert ("bounced" in pull["labels"]) == (key == "idle")


def test_a_verdict_has_a_page_that_the_show_names(finished: Ran) -> None:
    idle = json.loads(finished.stdout)["subjects"]["idle"]
    assert idle["check"]["details_url"] in finished.stderr.replace("\n", "")
    assert f"Bounced: tea-house/kettle #{idle['number']}" in finished.page
    assert idle["verdict"]["evidence"][0]["found"] in finished.page


def test_a_port_in_use_is_a_plain_message() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run([*BOUNCER, "--port", port], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"port {port} cannot be used" in done.stderr
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr


def test_it_stays_up_until_it_is_told_to_end_and_leaves_nothing_behind(finished: Ran) -> None:
    assert finished.stayed
    assert finished.returncode == 0
    assert "Ended." in finished.stderr
    assert finished.left == []


@pytest.mark.parametrize(("arguments", "stays"), [([], True), (["--once"], False)])
def test_once_ends_it_after_the_scenario(monkeypatch: pytest.MonkeyPatch, arguments: list[str], stays: bool) -> None:
    place = Mock()
    monkeypatch.setattr(command, "house", lambda port: nullcontext(place))
    for name in ("play", "show_steps", "show_farewell"):
        monkeypatch.setattr(command, name, Mock())
    monkeypatch.setattr(command.signal, "signal", lambda number, handler: None)
    done = CliRunner().invoke(command.demo, arguments)
    assert done.exit_code == 0, done.output
    assert place.wait.called is stays
