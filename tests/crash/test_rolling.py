"""Two generations of web and worker on one PostgreSQL at once, as in an upgrade without a stop."""

from itertools import count, product
from pathlib import Path
from random import Random

import pytest

from bot.rendering.gate import NAME
from tests.crash.fleet import REPOSITORY, Fleet, free_port
from tests.crash.test_kill_at_effects import BEFORE, ENFORCING, TESTS
from tests.support.postgres import Server
from tests.support.waiting import eventually

ACTS = 10
BOTH_OF_EACH = set(product(("issue", "pull", "judging"), ("worker-before", "worker-1")))
PULLS = "acme/half"
FILES = {".github/bouncer.yml": ENFORCING, "half.py": BEFORE, "test_half.py": TESTS}
BAD = "def half(n):\n    return n // 2\n"
GOOD = "def half(n):\n    return n / 2.0\n"
AGENT = "copilot-swe-agent[bot]"

pytestmark = pytest.mark.crash


def test_work_goes_on_while_one_generation_takes_the_place_of_the_other(postgres: Server, tmp_path: Path) -> None:
    """First the old one alone; then both, web and worker of each, deliveries going to either; then the new one alone.

    Both have to take up runs of issues and of pull requests. One that the old one executed is mended, and executed
    again while the old one ends.
    """
    random, old_port = Random(7), free_port()
    with Fleet(postgres.create(), tmp_path) as fleet:
        old, new = (f"http://127.0.0.1:{port}/webhook" for port in (old_port, fleet.port))
        fleet.github.create_repository(PULLS, files=FILES)
        fleet.environment["BOUNCER_CACHE_DIR"] = str(tmp_path / "cache")
        fleet.start("serve", "old-serve", BOUNCER_PORT=str(old_port))
        fleet.start("worker", "old-worker", BOUNCER_WORKER_ID="worker-before")
        eventually(lambda: fleet.web_answers(old_port), seconds=60)
        fleet.wait_for_worker("old-worker")
        fleet.github.app.webhook_url = old
        fleet.github.install("acme", [REPOSITORY, PULLS])
        broken = propose(fleet, BAD)
        pulls = [broken]
        for _ in range(ACTS):
            fleet.act(random)
        fleet.start("serve")
        fleet.start("worker")
        fleet.wait_for_web()
        fleet.wait_for_worker()
        fleet.github.wait_for_webhooks(60)
        earlier = fleet.taken().keys()
        for number in count():
            fleet.github.app.webhook_url = (old, new)[number % 2]
            fleet.act(random)
            if number % 3 == 0:
                pulls.append(propose(fleet, GOOD, by="acme"))
            fleet.github.wait_for_webhooks(60)
            later = {(run.partition(":")[0], by) for run, by in fleet.taken().items() if run not in earlier}
            if later >= BOTH_OF_EACH:
                break
            assert number < 20 * ACTS, "both judge"
        fleet.github.push_to_pull(PULLS, broken, {"half.py": f"{GOOD}# mended\n"}, by=AGENT)
        fleet.github.app.webhook_url = new
        fleet.act(random)
        ended = [fleet.end(name) for name in ("old-serve", "old-worker")]
        assert ended == [0, 0], "each ends by itself when it is told to"
        for _ in range(ACTS):
            fleet.act(random)
        fleet.settle()
        toll = fleet.toll()
        assert fleet.failed_runs() == []
        assert [check(fleet, number) for number in pulls] == ["success"] * len(pulls)
        assert not any(fleet.github.issue(PULLS, number).labels for number in pulls)
    assert toll.clean(), toll


def propose(fleet: Fleet, code: str, by: str = AGENT) -> int:
    """A commit of its own: those who share one wait for each other."""
    number = len(fleet.github.repo(PULLS).issues)
    return fleet.github.open_pull(PULLS, "Halve", {"half.py": f"{code}# {number}\n"}, by=by)


def check(fleet: Fleet, number: int) -> str | None:
    """What the one check on its head commit says."""
    pull = fleet.github.repo(PULLS).issues[number].pull
    assert pull is not None
    (found,) = (run for run in fleet.github.checks(PULLS) if (run.name, run.head_sha) == (NAME, pull.head))
    return found.conclusion
