"""`bouncer judge pull https://…`: a public pull request read without a key, over real HTTP and git, and judged."""

import json
import re
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from fake_github import FakeGitHub
from tests.support.cases import cases

AGENT = "copilot-swe-agent[bot]"
REPOSITORY = "acme/bills"
SHARE = "def share(cents, people):\n    return [cents // people] * people\n"
IDLE = {"share.py": SHARE.replace("    return", "    # What each pays.\n    return")}

Judge = Callable[[str], Result]
pytestmark = pytest.mark.usefixtures("offline", "own_cache")


@pytest.fixture
def judge(public_github: FakeGitHub) -> Judge:
    """Judges what lies below the fake GitHub's web address."""
    public_github.create_repository(REPOSITORY, files={"share.py": SHARE})

    def judge(path: str) -> Result:
        return CliRunner().invoke(main, ["judge", "pull", "--json", f"{public_github.web_url}/{path}"])

    return judge


def test_a_public_pull_request_is_judged_and_left_alone(fake_github: FakeGitHub, judge: Judge) -> None:
    issue = fake_github.open_issue(REPOSITORY, "share() loses cents", "`share(100, 3)` must add up to 100.")
    number = fake_github.open_pull(REPOSITORY, "Share all cents", IDLE, body=f"Fixes #{issue}", by=AGENT)
    fake_github.push(REPOSITORY, {"NEWS.md": "Soon.\n"})
    done = judge(f"{REPOSITORY}/pull/{number}/files")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["verdict"] == "BOUNCE"
    assert found["reasons"][0].startswith("This change affects only comments, docstrings")
    assert AGENT in found["agent"]
    assert found["asked"] == f"Judged against issue {issue}."
    pull = fake_github.repo(REPOSITORY).issues[number].pull
    assert pull is not None
    assert found["head"] == pull.head
    assert found["base"] == fake_github.repo(REPOSITORY).commits[pull.head].parent
    assert fake_github.writes(REPOSITORY) == []


def test_the_terminal_says_what_is_not_known(fake_github: FakeGitHub, judge: Judge) -> None:
    number = fake_github.open_pull(REPOSITORY, "Share all cents", IDLE)
    address = f"{fake_github.web_url}/{REPOSITORY}/pull/{number}"
    done = CliRunner().invoke(main, ["judge", "pull", address], env={"COLUMNS": "400"})
    for text in (
        "Share all cents",
        "Nothing shows that a coding agent made it.",
        "linked by hand",
    ):
        assert text in done.stdout
    assert re.search(r"From [0-9a-f]{7} to [0-9a-f]{7}\.", done.stdout)


@cases
def test_an_address_of_something_else(fake_github: FakeGitHub, judge: Judge, path: str, said: str) -> None:
    fake_github.open_issue(REPOSITORY, "share() loses cents", "It must add up.")
    done = judge(path)
    assert (done.exit_code, list(json.loads(done.stdout))) == (2, ["error"])
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_a_rate_limit_is_said_with_its_end(fake_github: FakeGitHub, judge: Judge) -> None:
    number = fake_github.open_pull(REPOSITORY, "Share all cents", IDLE)
    fake_github.access.limit = 1
    done = judge(f"{REPOSITORY}/pull/{number}")
    assert (done.exit_code, list(json.loads(done.stdout))) == (2, ["error"])
    assert "GitHub answers no more calls without credentials for now. Try again in " in done.stderr


def test_no_connection(fake_github: FakeGitHub, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.github.channel.TRIES", 1)
    fake_github.stop()
    done = judge(f"{REPOSITORY}/pull/1")
    assert (done.exit_code, list(json.loads(done.stdout))) == (2, ["error"])
    assert "no connection to GitHub" in done.stderr
