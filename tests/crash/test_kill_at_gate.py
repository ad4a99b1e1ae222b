"""The worker dies right after it wrote on a pull request's check: there is one check in the end, and it is right."""

from pathlib import Path

import pytest

from bot.rendering.gate import NAME
from tests.crash.fleet import Fleet
from tests.crash.test_kill_at_effects import deadly, feed, work_through
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH

pytestmark = pytest.mark.crash

REPOSITORY = "acme/halves"
POLICY = "mode: enforce\nverify:\n  setup: []\n  test: pytest\n"
BEFORE = "def half(n):\n    return n / 2\n"
TESTS = "from half import half\n\n\ndef test_half():\n    assert half(3) == 1.5\n"


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_the_check_is_there_once(database_url: str, tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path) as fleet:
        fleet.environment["BOUNCER_CACHE_DIR"] = str(tmp_path / "cache")
        files = {".github/bouncer.yml": POLICY, "half.py": BEFORE, "test_half.py": TESTS}
        fleet.github.create_repository(REPOSITORY, files=files)
        died = deadly(fleet, ("POST", "/check-runs"), ("PATCH", "/check-runs/{check_run_id}"), ("POST", "/labels"))
        fleet.github.install("acme", [REPOSITORY])
        change = {"half.py": BEFORE.replace("/", "//")}
        number = fleet.github.open_pull(REPOSITORY, "Halve", change, by="copilot-swe-agent[bot]")
        feed(fleet)
        work_through(fleet, died, 3)
        (run,) = (run for run in fleet.github.checks(REPOSITORY) if run.name == NAME)
        assert run.conclusion == "failure"
        assert run.title.startswith("Bounced: This change breaks a test that passes without it: ")
        issue = fleet.github.issue(REPOSITORY, number)
        assert issue.labels == ("bounced",)
        assert issue.history.count("labeled") == 1
        assert len(died) == 3
