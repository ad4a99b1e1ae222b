"""Faults of many kinds at once, on a clock of its own: what is lost, doubled, wrong or left hanging in the end.

    python -m lab.benchmarks.bad_days [--faults 1000] [--seed 1]

The real worker (engine, SQLite, PyGithub) in one process against the fake GitHub; executions answer at once. For kills
of real processes see `python -m lab.benchmarks.crash`. Exit status 1 when anything is lost, doubled, wrong or hanging.
"""

import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

from fake_github.access import new_private_key
from lab.benchmarks.processes import read_options, scratch
from tests.support.sqlite import migrated
from tests.workflows.bad_days import BadDays, Reckoning
from tests.workflows.house import House

EACH = 80  # faults of one run, on 40 acts of people


def main() -> None:
    options = read_options(__doc__, faults=1000, seed=1)
    started = time.monotonic()
    with scratch() as place:
        runs = [_run(place, options.seed + number) for number in range(-(-options.faults // EACH))]
    injected = sum((run.injected for run in runs), Counter[str]())
    print(f"{sum(injected.values())} faults on {sum(run.acts for run in runs)} acts of people, seed {options.seed}:")
    print(", ".join(f"{kind} {count}" for kind, count in injected.most_common()))
    for what in ("lost", "twice", "wrong", "hanging"):
        print(f"{what + ':':9} {sum(len(getattr(run, what)) for run in runs)}")
    print(f"{time.monotonic() - started:.0f} s")
    sys.exit(0 if all(run.clean() for run in runs) else 1)


def _run(place: Path, seed: int) -> Reckoning:
    directory = Path(tempfile.mkdtemp(dir=place))
    with closing(House(migrated(directory), new_private_key())) as house:
        return BadDays(house, Random(seed)).live(EACH // 2, EACH)


if __name__ == "__main__":
    main()
