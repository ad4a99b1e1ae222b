"""A seeded storm of kills, short here and long in `make chaos`; `lab.benchmarks.crash` prints its figures."""

from pathlib import Path
from random import Random

import pytest

from tests.crash.fleet import Fleet, storm
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH

pytestmark = pytest.mark.crash

DELIVERIES, KILLS = (500, 20) if EVERY_DEATH else (30, 2)


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_nothing_is_lost_and_nothing_written_twice(database_url: str, tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path) as fleet:
        toll = storm(fleet, Random(7), DELIVERIES, KILLS)
    assert toll.clean(), toll
    assert toll.kills == 2 * KILLS
    assert toll.acknowledged == toll.deliveries >= DELIVERIES
