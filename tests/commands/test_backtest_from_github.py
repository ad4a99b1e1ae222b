"""`bouncer backtest OWNER/REPO`: fetched from GitHub, kept, gone on with, and judged as of each issue's opening."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from fake_github import FakeGitHub
from tests.backtest.exports import CLEAR, VAGUE
from tests.support.cases import cases

REPO = "acme/widgets"
ASKS = "Could you share the full stack trace?"
TIMELINE = "/repos/{owner}/{repo}/issues/{issue_number}/timeline"
pytestmark = pytest.mark.usefixtures("public_github", "own_cache")


class Clock:
    """GitHub's time, which passes when a test says so."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


@pytest.fixture
def clock(fake_github: FakeGitHub) -> Clock:
    found = Clock()
    fake_github.clock = found
    return found


@pytest.fixture
def token(fake_github: FakeGitHub, fake_installation: int, monkeypatch: pytest.MonkeyPatch) -> str:
    fake_github.access.token_lifetime = timedelta(days=3650)
    name, _ = fake_github.access.issue_token(fake_installation)
    monkeypatch.setenv("BOUNCER_GITHUB_TOKEN", name)
    return name


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["backtest", *map(str, arguments)])


def document(*arguments: object) -> dict[str, Any]:
    done = run(REPO, "--json", *arguments)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def strict(told: dict[str, Any]) -> tuple[int, ...]:
    row = next(row for row in told["rows"] if (row["strictness"], row["kind"]) == ("strict", "all"))
    return tuple(row[name] for name in ("judged", "held", "right", "wrong", "missed", "fine"))


def vague_then_answered(fake: FakeGitHub, clock: Clock) -> int:
    """Held, asked and then edited until it is clear."""
    number = fake.open_issue(REPO, *VAGUE)
    clock.pass_(minutes=30)
    fake.comment(REPO, number, ASKS, by="maintainer")
    clock.pass_(minutes=30)
    fake.edit_issue(REPO, number, title=CLEAR[0], body=CLEAR[1])
    fake.comment(REPO, number, "I added it above.")
    fake.close_issue(REPO, number, by="maintainer")
    return number


def clear_and_done(fake: FakeGitHub, clock: Clock) -> int:
    number = fake.open_issue(REPO, *CLEAR)
    clock.pass_(minutes=30)
    fake.add_label(REPO, number, "accepted")
    fake.comment(REPO, number, "Thanks, that is right.", by="maintainer")
    fake.close_issue(REPO, number, by="maintainer")
    return number


def test_each_issue_is_judged_as_it_was_opened(fake_github: FakeGitHub, clock: Clock, token: str) -> None:
    """What came later, the mended text above all, is the future."""
    vague_then_answered(fake_github, clock)
    clear_and_done(fake_github, clock)
    fake_github.open_pull(REPO, "It does not work", {"a.txt": "a"})
    told = document()
    assert strict(told) == (2, 1, 1, 0, 0, 1)
    assert told["spoken_to"][0]["answered"] is True
    assert (told["text_unknown"], told["repository"]) == (0, REPO)
    assert fake_github.writes(REPO) == []


def test_without_a_token_texts_that_say_that_they_were_edited_are_in_no_figure(
    fake_github: FakeGitHub, clock: Clock
) -> None:
    number = vague_then_answered(fake_github, clock)
    fake_github.edit_issue(REPO, number, body=f"{CLEAR[1]}\n\nEdit: added the steps.")
    clear_and_done(fake_github, clock)
    told = document()
    assert (strict(told)[0], told["text_unknown"]) == (1, 1)
    assert any("GitHub tells what they were with a token" in note for note in told["notes"])


def test_only_what_is_new_is_asked_for_again(fake_github: FakeGitHub, clock: Clock, token: str) -> None:
    numbers = [clear_and_done(fake_github, clock) for _ in range(3)]
    document()
    fake_github.traffic.exchanges.clear()
    document()
    assert Counter(route for _, route in fake_github.calls())[TIMELINE] == 0
    fake_github.comment(REPO, numbers[0], ASKS, by="maintainer")
    clock.pass_(minutes=1)
    fake_github.comment(REPO, numbers[0], "Thanks!", by="maintainer")
    assert strict(document())[4] == 1  # it counts now
    assert Counter(route for _, route in fake_github.calls())[TIMELINE] == 1


def test_a_rate_limit_in_the_middle_stops_it_and_the_next_run_goes_on(
    fake_github: FakeGitHub, clock: Clock, token: str
) -> None:
    clock.now = datetime.now(UTC)
    for _ in range(4):
        clear_and_done(fake_github, clock)
    fake_github.access.limit = 7  # the repository, two lists, two queries for texts, two timelines
    done = run(REPO, "--json")
    told = json.loads(done.stdout)
    assert "which answers 7 an hour, which takes" in done.stderr
    assert strict(told)[0] == 2
    assert "Left out: 2, of which" in " ".join(told["notes"])
    assert "it goes on where it stopped" in " ".join(told["notes"])
    fake_github.access.limit = 5000
    assert strict(document())[0] == 4


def test_what_happened_since_the_last_run_leaks_nothing(
    fake_github: FakeGitHub, clock: Clock, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit stops the next run after it read the issues of today, whose titles, texts and labels are newer."""
    clock.now = datetime.now(UTC)
    number = fake_github.open_issue(REPO, *VAGUE)
    clock.pass_(minutes=5)
    fake_github.close_issue(REPO, number, by="maintainer")
    assert strict(document())[:2] == (1, 1)
    clock.pass_(minutes=5)
    fake_github.edit_issue(REPO, number, title=CLEAR[0], body=CLEAR[1])
    fake_github.access.limit = max(fake_github.access.used.values()) + 2  # the repository and the issues
    told = document("--pulls", 0)
    assert (strict(told)[0], told["issues"]) == (0, 0), "it waits until what happened to it is known"
    assert "Left out: 1, of which" in " ".join(told["notes"])
    fake_github.access.limit = 5000
    monkeypatch.delenv("BOUNCER_GITHUB_TOKEN")
    told = document("--pulls", 0)
    assert (strict(told)[0], told["text_unknown"]) == (0, 1), "without a token nobody knows what it said"


def test_a_rate_limit_before_anything_is_said_plainly(fake_github: FakeGitHub) -> None:
    fake_github.limit_rate(reset_in=1800, times=5)
    done = run(REPO)
    assert (done.exit_code, "Set BOUNCER_GITHUB_TOKEN" in done.stderr, "Traceback" in done.output) == (2, True, False)


@cases
def test_what_cannot_be_read_is_said_plainly(fake_github: FakeGitHub, name: str, said: str) -> None:
    fake_github.create_repository("acme/secret", private=True)
    done = run(name, "--json")
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_a_token_that_is_refused_is_said_and_never_shown(
    fake_github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_GITHUB_TOKEN", "ghp_wrong")
    done = run(REPO)
    assert (done.exit_code, "GitHub does not accept BOUNCER_GITHUB_TOKEN" in done.stderr) == (2, True)
    assert "ghp_wrong" not in done.output


@pytest.mark.parametrize("private", [False, True])
def test_whoever_has_a_role_is_held_in_a_private_repository(
    fake_github: FakeGitHub, clock: Clock, token: str, private: bool
) -> None:
    fake_github.repo(REPO).private = private
    fake_github.open_issue(REPO, *VAGUE, by="maintainer")
    told = document()
    skipped = {} if private else {"its author's role (collaborator) is exempt": 1}
    assert (strict(told)[:2], told["skipped"]) == ((int(private), int(private)), skipped)


def test_templates_of_the_day_come_from_the_repositorys_history(
    fake_github: FakeGitHub, clock: Clock, token: str
) -> None:
    clear_and_done(fake_github, clock)
    assert not any("templates are not known" in note for note in document()["notes"])


def test_an_empty_repository_is_said_plainly(fake_github: FakeGitHub, token: str) -> None:
    done = run(REPO)
    assert (done.exit_code, "there is no issue in it" in done.stderr) == (2, True)


def test_pull_requests_of_agents_come_with_their_commits(fake_github: FakeGitHub, clock: Clock, token: str) -> None:
    """The change is known as of its opening, from the repository's history; what it names came before it."""
    clock.now = datetime.now(UTC) + timedelta(minutes=1)  # after the repository's first commit
    issue = clear_and_done(fake_github, clock)
    fake_github.open_pull(REPO, "Mend it", {"a.txt": "a"}, body="See below.", by="ann")
    number = fake_github.open_pull(
        REPO,
        "Mend the export",
        {".github/workflows/ci.yml": "on: push\n"},
        body=f"Fixes #{issue}",
        by="copilot-swe-agent[bot]",
    )
    clock.pass_(days=1)
    fake_github.push_to_pull(REPO, number, {"later.txt": "b"}, by="copilot-swe-agent[bot]")
    fake_github.edit_issue(REPO, number, body="Something else.", by="maintainer")
    fake_github.review(REPO, number, "No.", by="maintainer")
    fake_github.close_issue(REPO, number, by="maintainer")
    told = document("--no-execute", "--issues", 5)
    assert not told["pulls"]["left_out"]
    (case,) = told["pulls"]["cases"]
    assert (told["pulls"]["people"], case["number"], case["ending"]) == (
        1,
        number,
        "closed by a maintainer who said why",
    )
    assert case["risks"], case


def test_a_cache_that_cannot_be_written_is_said_plainly(
    fake_github: FakeGitHub, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clear_and_done(fake_github, clock)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BOUNCER_CACHE_DIR", str(tmp_path / "file" / "cache"))
    done = run(REPO, "--json")
    assert (done.exit_code, "Set BOUNCER_CACHE_DIR to another" in done.stderr) == (2, True), done.output
