"""Much goes wrong at once: in the end each subject has the verdict of its newest state, once, and no check hangs.

A seeded slice here, more with `make chaos`; `python -m lab.benchmarks.bad_days` prints the figures.
"""

from random import Random

import pytest

from tests.support.lengths import EVERY_DEATH
from tests.workflows.bad_days import FAULTS, BadDays
from tests.workflows.house import House

SEEDS = range(20) if EVERY_DEATH else [3]
ACTS, FAULTS_EACH = (40, 80) if EVERY_DEATH else (14, 40)


@pytest.mark.crash
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_doubled_wrong_or_left_hanging(house: House, seed: int) -> None:
    found = BadDays(house, Random(seed)).live(ACTS, FAULTS_EACH)
    assert found.clean(), found
    assert sum(found.injected.values()) == FAULTS_EACH
    assert set(found.injected) == set(FAULTS)
