"""The worker dies while it puts a pull request to the test: with real git, a real sandbox and a real database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.rendering.pull_messages import MARKER
from fake_github.traffic import Exchange
from tests.crash.fleet import Fleet, labels_put_on
from tests.crash.test_kill_at_effects import feed
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH
from tests.support.processes import command, descendants
from tests.support.waiting import eventually

pytestmark = pytest.mark.crash

REPOSITORY = "acme/halves"
POLICY = "verify:\n  setup: []\n  test: pytest\n"
WRONG = "def half(n):\n    return n // 2\n"
FIX = {"path": "half.py", "line": 2, "body": "```suggestion\n    return n / 2\n```"}
TESTS = "from half import half\n\n\ndef test_half():\n    assert half(3) == 1.5\n"
SLOW = "import time\n" + TESTS.replace("    assert", "    time.sleep(1)\n    assert")


@pytest.fixture
def fleet(database_url: str, tmp_path: Path) -> Iterator[Fleet]:
    with Fleet(database_url, tmp_path) as fleet:
        fleet.environment["BOUNCER_CACHE_DIR"] = str(tmp_path / "cache")
        fleet.github.create_repository(REPOSITORY, files={".github/bouncer.yml": POLICY})
        fleet.github.install("acme", [REPOSITORY])
        yield fleet


def rejected(fleet: Fleet, tests: str = TESTS) -> int:
    """A pull request whose tests fail, a review bot's rejection of it and the fix that bot suggests."""
    files = {"half.py": WRONG, "test_half.py": tests}
    number = fleet.github.open_pull(REPOSITORY, "Add half()", files, by="agent[bot]")
    fleet.github.review(REPOSITORY, number, "Wrong for odd numbers.", by="critic[bot]", remarks=[FIX])
    feed(fleet)
    return number


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_every_moment_around_the_comment(fleet: Fleet) -> None:
    number = rejected(fleet)
    pull, made = f"/repos/{REPOSITORY}/pulls/{number}", fleet.github.repo(REPOSITORY).issues[number].pull
    assert made is not None
    remark = made.reviews[0].remarks[0].id
    left = [
        ("before it is executed", "GET", pull),
        ("executed, nothing said", "GET", pull),
        ("said, but not told so", "POST", f"{pull}/comments/{remark}/replies"),
    ]
    seen: list[tuple[str, str]] = []
    died: list[str] = []

    def watch(exchange: Exchange) -> None:
        """The first reading of the pull request leads to its execution, the next one that is not a repetition to the
        comment; so the worker is killed at the first, at the one after the next, and at the comment itself."""
        if left and (exchange.method, exchange.path.partition("?")[0]) == left[0][1:]:
            seen.append((exchange.method, exchange.path))
            if left[0][0].startswith("executed") and len(seen) != 3:
                return
            died.append(left.pop(0)[0])
            fleet.kill("worker")

    fleet.github.traffic.observers.append(watch)
    for deaths in (1, 2, 3):
        fleet.start("worker")
        eventually(lambda deaths=deaths: len(died) >= deaths, seconds=60)  # type: ignore[misc]
    finish(fleet)
    assert left == []
    said_once(fleet, number)


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_in_the_middle_of_an_execution(fleet: Fleet) -> None:
    number = rejected(fleet, SLOW)
    fleet.start("worker")
    launched: set[int] = set()

    def executing() -> bool:
        launched.update(descendants(fleet.processes["worker"].pid or 0))
        return any(b"bwrap" in command(process) for process in launched)

    eventually(executing, seconds=60)
    fleet.kill("worker")
    eventually(lambda: not any(map(command, launched)))  # nothing of it runs on
    finish(fleet)
    said_once(fleet, number)


def finish(fleet: Fleet) -> None:
    fleet.start("worker")
    eventually(lambda: fleet.inbox.depth() == 0 and fleet.unfinished() == 0, seconds=90)
    fleet.kill("worker")


def said_once(fleet: Fleet, number: int) -> None:
    (answer,) = fleet.github.replies(REPOSITORY, number)
    assert answer.body.startswith(MARKER)
    assert "The rejection holds" in answer.body, answer.body
    assert fleet.github.issue(REPOSITORY, number).comments == ()
    posted = [call for call in fleet.github.writes(REPOSITORY) if "/replies" in call.path]
    assert len(posted) == 1
    assert labels_put_on(fleet.github.issue(REPOSITORY, number).history) == 1
