"""The worker dies exactly between an effect and its checkpoint: on an issue, on a check, in what is said of a fix."""

from pathlib import Path

import pytest

from bot.github.deliveries import Delivery
from bot.github.events import read
from bot.rendering.comment import FIXED_MARKER
from bot.rendering.gate import NAME
from fake_github.traffic import Exchange
from tests.crash.fleet import REPOSITORY, Fleet
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH
from tests.support.waiting import eventually
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE

pytestmark = pytest.mark.crash

EFFECTS = (
    ("POST", "/issues/{issue_number}/labels"),
    ("POST", "/issues/{issue_number}/comments"),
    ("DELETE", "/issues/{issue_number}/labels/{name}"),
    ("PATCH", "/issues/comments/{comment_id}"),
)


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ["postgres"], indirect=True)
def test_every_effect_happens_once(database_url: str, tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path) as fleet:
        died = deadly(fleet, *EFFECTS)
        number = fleet.github.open_issue(REPOSITORY, VAGUE_TITLE, VAGUE)
        work_through(fleet, died, 2)
        assert LABEL in fleet.github.issue(REPOSITORY, number).labels
        fleet.github.edit_issue(REPOSITORY, number, title=CLEAR_TITLE, body=CLEAR)
        work_through(fleet, died, 4)

        issue = fleet.github.issue(REPOSITORY, number)
        assert LABEL not in issue.labels
        assert len(issue.comments) == 1
        assert "- [ ]" not in issue.comments[0].body
        assert issue.history.count("labeled") == 1
        assert issue.history.count("unlabeled") == 1
        assert issue.comments[0].edits == 1
        assert died == list(EFFECTS)


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_a_label_of_a_worker_that_died_is_still_bouncers(database_url: str, tmp_path: Path) -> None:
    """The issue is made clear while nobody is at home; the half-done hold must not stay for ever."""
    with Fleet(database_url, tmp_path) as fleet:
        died = deadly(fleet, EFFECTS[0])
        number = fleet.github.open_issue(REPOSITORY, VAGUE_TITLE, VAGUE)
        feed(fleet)
        fleet.start("worker")
        eventually(lambda: died, seconds=60)
        fleet.github.edit_issue(REPOSITORY, number, title=CLEAR_TITLE, body=CLEAR)
        work_through(fleet, died, 1)
        assert fleet.github.issue(REPOSITORY, number).labels == ()
        assert fleet.github.issue(REPOSITORY, number).comments == ()


def deadly(fleet: Fleet, *effects: tuple[str, str]) -> list[tuple[str, str]]:
    """Kill the worker once at each of these, before the answer leaves GitHub: the effect is there, nobody was told."""
    left, died = list(effects), list[tuple[str, str]]()

    def kill_after(exchange: Exchange) -> None:
        for effect in left:
            if exchange.method == effect[0] and exchange.route.endswith(effect[1]) and exchange.took_effect:
                left.remove(effect)
                fleet.kill("worker")
                died.append(effect)
                return

    fleet.github.traffic.observers.append(kill_after)
    fleet.github.install("acme", [REPOSITORY])
    return died


def work_through(fleet: Fleet, died: list[tuple[str, str]], deaths: int) -> None:
    """Start the worker again and again until it survives."""
    feed(fleet)
    for death in range(len(died) + 1, deaths + 1):
        fleet.start("worker")
        eventually(lambda death=death: len(died) >= death, seconds=60)  # type: ignore[misc]
    fleet.start("worker")
    eventually(lambda: fleet.inbox.depth() == 0 and fleet.unfinished() == 0, seconds=60)
    fleet.kill("worker")


def feed(fleet: Fleet) -> int:
    """Claim what GitHub emitted since the last time, as the web process would; how much of it is wanted. What comes
    again once it was forgotten is another day's work: GitHub repeats nothing that is so old."""
    new = [item for item in fleet.github.deliveries if item.guid not in fleet.fed]
    fleet.fed |= {item.guid for item in new}
    read_now = ((item.guid, read(item.event, item.payload)) for item in new)
    return sum(fleet.inbox.claim(guid, each) for guid, each in read_now if isinstance(each, Delivery))


HALVES = "acme/halves"
ENFORCING = "mode: enforce\nverify:\n  setup: []\n  test: pytest\n"
BEFORE = "def half(n):\n    return n / 2\n"
TESTS = "from half import half\n\n\ndef test_half():\n    assert half(3) == 1.5\n"


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_the_check_is_there_once(database_url: str, tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path) as fleet:
        fleet.environment["BOUNCER_CACHE_DIR"] = str(tmp_path / "cache")
        files = {".github/bouncer.yml": ENFORCING, "half.py": BEFORE, "test_half.py": TESTS}
        fleet.github.create_repository(HALVES, files=files)
        died = deadly(fleet, ("POST", "/check-runs"), ("PATCH", "/check-runs/{check_run_id}"), ("POST", "/labels"))
        fleet.github.install("acme", [HALVES])
        change = {"half.py": BEFORE.replace("/", "//")}
        number = fleet.github.open_pull(HALVES, "Halve", change, by="copilot-swe-agent[bot]")
        feed(fleet)
        work_through(fleet, died, 3)
        (run,) = (run for run in fleet.github.checks(HALVES) if run.name == NAME)
        assert run.conclusion == "failure"
        assert run.title.startswith("Bounced: This change breaks a test that passes without it: ")
        issue = fleet.github.issue(HALVES, number)
        assert issue.labels == ("bounced",)
        assert issue.history.count("labeled") == 1
        assert len(died) == 3


POLICY = "verify:\n  setup: []\n  test: pytest\n"
BROKEN = "def half(n):\n    return n[0] / 2\n"
AFTER = "def half(n):\n    return n / 2\n"
TITLE = "half(3) raises TypeError for a plain number"
REPORT = """### What happens

```python
from halves import half
half(3)
```

```
Traceback (most recent call last):
  File "app.py", line 2, in <module>
    half(3)
  File "/site-packages/halves.py", line 2, in half
    return n[0] / 2
TypeError: 'int' object is not subscriptable
```

### What should happen

`half(3)` should return `1.5`, as the documentation of `half` says.

### Steps

1. `pip install halves` with Python 3.11 on Linux
2. run the example above
"""
PUTS_LABEL = ("POST", "/issues/{issue_number}/labels")


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_what_is_said_of_a_fix_is_said_once(database_url: str, tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path) as fleet:
        fleet.environment["BOUNCER_CACHE_DIR"] = str(tmp_path / "cache")
        files = {".github/bouncer.yml": POLICY, "halves.py": BROKEN}
        fleet.github.create_repository(HALVES, files=files)
        fleet.github.push(HALVES, {"halves.py": AFTER}, message="half: take plain numbers, not lists")
        died = deadly(fleet, PUTS_LABEL)
        fleet.github.install("acme", [HALVES])
        number = fleet.github.open_issue(HALVES, TITLE, REPORT)
        feed(fleet)
        work_through(fleet, died, 1)

        issue = fleet.github.issue(HALVES, number)
        assert issue.labels == ("already-fixed",)
        assert issue.history.count("labeled") == 1
        (comment,) = issue.comments
        assert FIXED_MARKER in comment.body and comment.edits == 0
        assert died == [PUTS_LABEL]
