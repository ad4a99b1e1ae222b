"""A short seeded storm of kills; `make chaos` runs the long one (benchmarks/crash.py)."""

from pathlib import Path
from random import Random

import pytest

from tests.crash.fleet import Fleet, storm

pytestmark = pytest.mark.crash


def test_nothing_is_lost_and_nothing_written_twice(database_url: str, tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path) as fleet:
        toll = storm(fleet, Random(7), deliveries=30, kills=2)
    assert toll.clean(), toll
    assert toll.kills == 4
    assert toll.acknowledged == toll.deliveries >= 30
