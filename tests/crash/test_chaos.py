"""A slice of random faults under real processes; ten minutes of them are `python -m benchmarks.chaos`."""

from pathlib import Path
from random import Random

import pytest

from tests.crash.chaos import Chaos
from tests.crash.fleet import Fleet
from tests.support.lengths import EVERY_DEATH
from tests.support.postgres import server_to_stop

pytestmark = pytest.mark.crash

SEED = 1
ENOUGH = 300 if EVERY_DEATH else 20


@pytest.mark.parametrize("database", ["postgres", "sqlite"] if EVERY_DEATH else ["sqlite"])
def test_nothing_is_lost_doubled_wrong_or_left_hanging(database: str, tmp_path: Path) -> None:
    with server_to_stop() as (server, process):
        if database == "postgres":
            process.start()
        url = server.create() if database == "postgres" else f"sqlite:///{tmp_path}/bouncer.db"
        with Fleet(url, tmp_path) as fleet:
            chaos = Chaos(fleet, Random(SEED), process if database == "postgres" else None)
            found = chaos.live(lambda so_far: so_far.injected.total() >= ENOUGH)
    assert found.clean(), found
