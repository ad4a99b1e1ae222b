"""A slice of random faults under real processes; ten minutes of them are `python -m lab.benchmarks.chaos`."""

from pathlib import Path
from random import Random

import pytest

from tests.crash.chaos import FAULTS, Chaos
from tests.crash.fleet import Fleet
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH
from tests.support.postgres import server_to_stop
from tests.support.sqlite import url_in

pytestmark = pytest.mark.crash

SEED = 1
ENOUGH = 300 if EVERY_DEATH else len(FAULTS)


@pytest.mark.database
@pytest.mark.parametrize("kind", BOTH if EVERY_DEATH else ONE)
def test_nothing_is_lost_doubled_wrong_or_left_hanging(kind: str, tmp_path: Path) -> None:
    with server_to_stop() as (server, process):
        if kind == "postgres":
            process.start()
        url = server.create() if kind == "postgres" else url_in(tmp_path)
        with Fleet(url, tmp_path) as fleet:
            chaos = Chaos(fleet, Random(SEED), process if kind == "postgres" else None)
            found = chaos.live(lambda so_far: so_far.injected.total() >= ENOUGH)
    assert found.clean(), found
    assert set(found.injected) == set(FAULTS)
