"""The version before and this one work on one PostgreSQL at once, as in an upgrade without a stop."""

from itertools import count, product
from pathlib import Path
from random import Random

import pytest

from tests.crash.before import Before
from tests.crash.fleet import REPOSITORY, Fleet, free_port
from tests.crash.stories import GATE_FILES, Subject, break_it, by_a_person, mend_it, passes
from tests.crash.test_upgrade import failed_runs
from tests.support.postgres import Server
from tests.support.waiting import eventually

ACTS = 10
BOTH_OF_EACH = set(product(("issue", "desk", "gate"), ("worker-before", "worker-1")))
PULLS = "acme/half"

pytestmark = pytest.mark.crash


def test_work_goes_on_while_one_version_takes_the_place_of_the_other(postgres: Server, tmp_path: Path) -> None:
    """First the old one alone; then both, web and worker of each, deliveries going to either; then the new one alone.

    The new one migrates the database under the old one, which goes on. Both have to take up runs of issues and of pull
    requests. One that the old one executed is mended, and executed again while the old one ends.
    """
    random, old_port = Random(7), free_port()
    with Fleet(postgres.create(), tmp_path, migrated=False) as fleet:
        old, new = (f"http://127.0.0.1:{port}/webhook" for port in (old_port, fleet.port))
        fleet.github.create_repository(PULLS, files=GATE_FILES)
        fleet.environment["BOUNCER_CACHE_DIR"] = str(tmp_path / "cache")
        ids = {"BOUNCER_WORKER_ID": "worker-before", "BOUNCER_PORT": str(old_port)}
        before = Before(tmp_path, fleet.environment | ids)
        try:
            before.start()
            eventually(lambda: fleet.web_answers(old_port) and before.working(), seconds=60)
            fleet.github.webhook_url = old
            fleet.github.install("acme", [REPOSITORY, PULLS])
            pulls = [Subject(fleet, PULLS, break_it(fleet, PULLS))]
            for _ in range(ACTS):
                fleet.act(random)
            fleet.start("serve")
            fleet.start("worker")
            fleet.wait_for_web()
            eventually(lambda: b"Working." in (tmp_path / "worker.log").read_bytes(), seconds=60)
            fleet.github.wait_for_webhooks(60)
            earlier = fleet.taken().keys()
            for number in count():
                fleet.github.webhook_url = (old, new)[number % 2]
                fleet.act(random)
                if number % 3 == 0:
                    pulls.append(Subject(fleet, PULLS, by_a_person(fleet, PULLS)))
                fleet.github.wait_for_webhooks(60)
                later = {(run.partition(":")[0], by) for run, by in fleet.taken().items() if run not in earlier}
                if later >= BOTH_OF_EACH:
                    break
                assert number < 20 * ACTS, "both judge"
            mend_it(pulls[0])
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
        assert failed_runs(fleet) == []
        for pull in pulls:
            passes(pull)
    assert toll.clean(), toll
