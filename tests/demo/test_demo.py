"""The demo is the product: `bouncer demo` runs the real server and worker, here as the wheel brings them.

One run serves all: its stories are told, a person plays with it in a browser, and Ctrl-C ends it.
"""

import re
import signal
import socket
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import Mock

import pytest
import requests
from click.testing import CliRunner
from selenium.webdriver import Chrome

from bot.commands import demo as command
from bot.demo.play import ALL, HEADINGS, SHORT
from bot.demo.scenario import REPOSITORY
from bot.demo.server import DemoError, House
from tests.demo.running import Demo, demo
from tests.demo.visitor import Seen, visit
from tests.support.browser import programs
from tests.support.cases import cases
from tests.support.lengths import EVERY_TRICK
from tests.support.processes import command as running
from tests.support.processes import descendants
from tests.support.waiting import eventually

# A rejected pull request and one that passes the gate take as long as all others; `make hostile` tells everything.
TOLD = ALL if EVERY_TRICK else ("vague", "clear", "clarified", "stale", "blocked", "idle")
OPTIONS = ["--all"] if EVERY_TRICK else [word for key in TOLD for word in ("--story", key)]
VERDICTS = {
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


def told(*stories: tuple[object, ...]) -> list[tuple[object, ...]]:
    """Those that the demo told."""
    return [story for story in stories if story[0] in TOLD]


@pytest.fixture(scope="module")
def up(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Server, worker, migrations, templates, weights, fake GitHub: all of the wheel."""
    with demo(installed, tmp_path_factory.mktemp("elsewhere"), tmp_path_factory.mktemp("tmp"), OPTIONS) as told:
        yield told


@pytest.fixture(scope="module")
def visited(up: Demo, request: pytest.FixtureRequest) -> Seen | None:
    """What a person saw; nobody comes where there is no browser."""
    if programs() is None:
        return None
    return visit(request.getfixturevalue("browser"), f"{up.outcome['github']}/{REPOSITORY}")


def test_stdout_is_one_json_object_and_the_show_goes_to_stderr(up: Demo) -> None:
    assert {name: subject["verdict"]["verdict"] for name, subject in up.subjects.items()} == {
        name: verdict for name, verdict in VERDICTS.items() if name in TOLD
    }
    for subject in up.subjects.values():
        assert subject["url"] in up.unwrapped


def test_each_story_has_a_heading_and_the_end_has_two_links_that_work(up: Demo) -> None:
    assert set(HEADINGS) == set(ALL)
    places = [up.show.index(HEADINGS[key]) for key in TOLD]
    assert places == sorted(places)
    mine = re.findall(r"http://\S+/(?:issues/new|pulls)", up.show.partition("Your turn")[2])
    assert len(mine) == 2
    for link in mine:
        assert requests.get(link, timeout=60).status_code == 200


def test_every_link_in_a_comment_leads_somewhere(up: Demo) -> None:
    bodies = [comment["body"] for subject in up.subjects.values() for comment in subject["comments"]]
    links = {link for body in bodies for link in re.findall(r"\]\((http[^)\s]+)", body)}
    assert any("/commit/" in link for link in links) and any("/verdicts/" in link for link in links)
    assert {link: status for link in links if (status := requests.get(link, timeout=60).status_code) != 200} == {}


def test_the_show_tells_what_people_wrote_and_what_bouncer_made_of_it(up: Demo) -> None:
    show = up.show
    assert "the reporter" in show
    assert show.index("Since the update the export") < show.index("BOUNCE") < show.index("label needs-clarification")
    assert "Bouncer writes: nothing (Clear)" in show, "as its page says"
    left_alone = "Bouncer leaves this issue alone: its author is exempt."
    assert re.search(rf"the maintainer opens an issue\n.*\n *{left_alone}", show), "as its page says"
    assert show.index("Sure. This is kettle") > show.index("Saving crashes for me.")
    assert "I run …" in show, "a text that is cut says so"
    own_title = r"opens a pull request for #\d+\n +Let strongest_first\(\) sort upwards *\n"
    assert re.search(own_title, show)


def test_issues_are_held_left_in_peace_and_cleared_by_a_reply(up: Demo) -> None:
    vague, clear, clarified = (up.subjects[key] for key in ("vague", "clear", "clarified"))
    assert vague["labels"] == ["needs-clarification"]
    assert [comment["author"] for comment in vague["comments"]] == ["bouncer[bot]"]
    assert 1 <= len(vague["verdict"]["questions"]) <= 3
    assert (clear["labels"], clear["comments"]) == ([], [])
    assert (clarified["earlier"], clarified["labels"]) == (["BOUNCE"], [])
    assert [comment["author"] for comment in clarified["comments"]] == ["bouncer[bot]", "reporter"]
    assert "clear now" in clarified["comments"][0]["body"]


@cases
def test_a_report_of_what_was_mended_since_is_answered(
    up: Demo, key: str, labels: list[str], said: tuple[str, ...]
) -> None:
    report = up.subjects[key]
    assert report["labels"] == labels
    (comment,) = report["comments"]
    assert all(text in comment["body"] for text in said)


@cases
def test_a_rejected_pull_request_is_rescued_or_kept_and_the_gate_writes_no_comment(
    up: Demo, key: str, said: str, earlier: list[str]
) -> None:
    pull = up.subjects[key]
    said_here = [*pull["answers"], *(comment["body"] for comment in pull["comments"])]
    assert (len(said_here), pull["earlier"]) == (bool(said), earlier)
    assert all(said in each for each in said_here)


@cases
def test_the_gate_passes_blocks_and_gives_way_to_a_maintainer(up: Demo, key: str, conclusion: str, title: str) -> None:
    pull = up.subjects[key]
    assert pull["check"]["conclusion"] == conclusion
    assert pull["check"]["title"].startswith(title)
    assert ("bounced" in pull["labels"]) == (key == "idle")
    assert up.unwrapped.count(pull["check"]["details_url"]) == (2 if key == "blocked" else 1)


def test_its_link_to_bouncer_says_that_all_is_well(up: Demo) -> None:
    assert "<title>Bouncer: all is well</title>" in up.front


def test_a_verdict_has_a_page_that_the_show_names(up: Demo) -> None:
    idle = up.subjects["idle"]
    assert f"Bounced: tea-house/kettle #{idle['number']}" in up.page
    assert idle["check"]["title"].partition(": ")[2] in up.page


@pytest.mark.browser
def test_a_person_is_asked_answers_and_overrules_it_in_a_browser(
    browser: Chrome, up: Demo, visited: Seen | None
) -> None:
    assert visited is not None
    assert "To get another look" in visited.asked
    assert "- [ ]" not in visited.overruled + visited.cleared
    assert [source for source in visited.loaded if not source.startswith(up.outcome["github"])] == []


def test_it_stays_up_until_it_is_told_to_end_and_leaves_nothing_behind(up: Demo, visited: Seen | None) -> None:
    assert up.process.poll() is None, up.show
    assert list(up.temporary.iterdir()) != []
    children = descendants(up.process.pid)
    up.process.send_signal(signal.SIGINT)
    assert up.process.wait(300) == 0
    assert "Ended." in up.show
    assert list(up.temporary.iterdir()) == []
    assert children
    eventually(lambda: not any(running(child) for child in children))


def test_bouncer_that_ends_by_itself_is_no_success(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("the first line\n" + "and more\n" * 10)
    ended = Mock(**{"wait.return_value": 3})
    place = House(Mock(), Mock(), Mock(), 1, "http://localhost", log, ended)
    with pytest.raises(DemoError, match=r"status 3.*last:\nand more\n") as told:
        place.wait()
    assert "first line" not in str(told.value)


def test_a_port_in_use_is_a_plain_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command.signal, "signal", lambda number, handler: None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(command.demo, ["--port", port])
    assert done.exit_code == 1
    assert f"port {port} cannot be used" in done.stderr
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "stays", "stories"),
    [
        ([], True, SHORT),
        (["--once"], False, SHORT),
        (["--all", "--once"], False, ALL),
        (["--story", "idle", "--story", "half"], True, ("idle", "half")),
    ],
)
def test_once_ends_it_after_the_scenario_and_options_say_what_is_told(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], stays: bool, stories: tuple[str, ...]
) -> None:
    place, play = Mock(), Mock()
    monkeypatch.setattr(command, "house", lambda port: nullcontext(place))
    monkeypatch.setattr(command, "play", play)
    for name in ("show_steps", "show_farewell"):
        monkeypatch.setattr(command, name, Mock())
    monkeypatch.setattr(command.signal, "signal", lambda number, handler: None)
    done = CliRunner().invoke(command.demo, arguments)
    assert done.exit_code == 0, done.output
    assert place.wait.called is stays
    play.assert_called_once_with(place, stories)
