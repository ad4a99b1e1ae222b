"""The version before and this one work on one PostgreSQL at once, as in an upgrade without a stop."""

from pathlib import Path
from random import Random

import pytest

from tests.crash.before import Before
from tests.crash.fleet import Fleet, free_port
from tests.support.postgres import Server
from tests.support.waiting import eventually

ACTS = 15

pytestmark = pytest.mark.crash


def test_work_goes_on_while_one_version_takes_the_place_of_the_other(postgres: Server, tmp_path: Path) -> None:
    """First the old one alone; then both, web and worker of each, deliveries going to either; then the new one alone.

    The new one migrates the database under the old one, which goes on.
    """
    random, old_port = Random(7), free_port()
    with Fleet(postgres.create(), tmp_path, migrated=False) as fleet:
        old, new = (f"http://127.0.0.1:{port}/webhook" for port in (old_port, fleet.port))
        ids = {"BOUNCER_WORKER_ID": "worker-before", "BOUNCER_PORT": str(old_port)}
        before = Before(tmp_path, fleet.environment | ids)
        try:
            before.start()
            eventually(lambda: fleet.web_answers(old_port) and before.working(), seconds=60)
            fleet.github.webhook_url = old
            fleet.github.install("acme", ["acme/widgets"])
            for _ in range(ACTS):
                fleet.act(random)
            fleet.start("serve")
            fleet.start("worker")
            fleet.wait_for_web()
            for number in range(2 * ACTS):
                fleet.github.webhook_url = (old, new)[number % 2]
                fleet.act(random)
            assert before.alive(), "it outlives the migration"
            fleet.github.webhook_url = new
            fleet.act(random)
            assert before.end() == [0, 0], "each ends by itself when it is told to"
        finally:
            before.kill()
        for _ in range(ACTS):
            fleet.act(random)
        fleet.settle()
        toll = fleet.toll()
        names = fleet.workers()
    assert toll.clean(), toll
    assert names == {"worker-before", "worker-1"}, "both have judged"
