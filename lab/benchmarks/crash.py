"""Kill -9 of web and worker, again and again, while deliveries come in: what is lost, what is written twice.

    python -m lab.benchmarks.crash [--deliveries 500] [--kills 20] [--seed 1] [--database-url URL]

Real processes (`bouncer serve`, `bouncer worker`) against the fake GitHub, on SQLite unless a database is named. What
people do is at least one delivery each. `--kills` is for each of the two processes. What GitHub could not hand over
while the web process was dead is sent again, as the reconcile loop asks GitHub to. Exit status 1 when an acknowledged
delivery was lost, a comment or label written twice, or an issue ended in the wrong state.
"""

import sys
import time
from random import Random

from lab.benchmarks.processes import read_options, scratch
from tests.crash.fleet import Fleet, storm


def main() -> None:
    options = read_options(__doc__, deliveries=500, kills=20, seed=1, database_url="")
    with scratch() as place:
        started = time.monotonic()
        with Fleet(options.database_url or f"sqlite:///{place}/bouncer.db", place) as fleet:
            toll = storm(fleet, Random(options.seed), options.deliveries, options.kills)
            issues = len(fleet.expected)
            database = fleet.engine.dialect.name
        print(f"{toll.deliveries} deliveries about {issues} issues, {toll.acknowledged} acknowledged, on {database}")
        print(f"{options.kills} kills of the web process, {options.kills} of the worker, seed {options.seed}")
        print(f"acknowledged deliveries lost:     {len(toll.lost)}")
        print(f"issues with a comment too many:   {len(toll.comments_twice)}")
        print(f"issues with a label put on twice: {len(toll.labels_twice)}")
        print(f"issues in the wrong state:        {len(toll.wrong)}")
        print(f"{time.monotonic() - started:.0f} s")
    sys.exit(0 if toll.clean() else 1)


if __name__ == "__main__":
    main()
