"""Ten minutes of random faults under real processes: what is lost, doubled, wrong or left hanging in the end.

    python -m lab.benchmarks.chaos [--minutes 10] [--seed 1] [--rounds N] [--database both]

Half of the time on SQLite, half on a PostgreSQL server that is stopped and started, unless one alone is named. Web and
worker are killed, GitHub refuses, breaks off or is away for an hour, the model too, deliveries are lost and repeated,
the clock jumps. Judges and executions are stand-ins that answer at once; hours pass on a clock of its own. The seed
with `--rounds` (printed for each database) draws the same once more. Exit status 1 when anything is lost, doubled,
wrong or hanging.
"""

import sys
import tempfile
import time
from pathlib import Path
from random import Random

from lab.benchmarks.processes import read_options, scratch
from tests.crash.chaos import Chaos, Damage
from tests.crash.fleet import Fleet
from tests.support.postgres import server_to_stop

DATABASES = ("sqlite", "postgres")


def main() -> None:
    database = {"choices": [*DATABASES, "both"], "default": "both"}
    options = read_options(__doc__, minutes=10.0, seed=1, rounds=0, database=database)
    names = DATABASES if options.database == "both" else (options.database,)
    seconds = options.minutes * 60 / len(names)
    with scratch():
        found = [_run(name, options.seed, options.rounds, seconds) for name in names]
    print(f"together {sum(each.injected.total() for each in found)} faults")
    sys.exit(0 if all(each.clean() for each in found) else 1)


def _run(name: str, seed: int, rounds: int, seconds: float) -> Damage:
    end = time.monotonic() + seconds

    def enough(so_far: Damage) -> bool:
        return so_far.rounds >= rounds if rounds else time.monotonic() >= end

    with tempfile.TemporaryDirectory(prefix="bouncer-chaos-") as place, server_to_stop() as (server, process):
        directory = Path(place)
        if name == "postgres":
            process.start()
        url = server.create() if name == "postgres" else f"sqlite:///{directory}/bouncer.db"
        try:
            with Fleet(url, directory) as fleet:
                found = Chaos(fleet, Random(seed), process if name == "postgres" else None).live(enough)
        except AssertionError:
            _keep(directory)
            raise
        told = _told(directory)
        if not found.clean() or "Traceback" in told:
            _keep(directory)
    toll, kinds = found.toll, found.injected
    print(f"{name}: {kinds.total()} faults in {found.rounds} rounds, seed {seed}; {toll.deliveries} deliveries")
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    print(f"lost {len(toll.lost)}, doubled {len(toll.comments_twice) + len(toll.labels_twice)}, ", end="")
    print(f"wrong {len(toll.wrong)}, hanging {len(found.hanging)}; {toll.kills} kills, ", end="")
    print(f"{told.count('Traceback')} tracebacks", flush=True)
    if not found.clean():
        print(found)
    return found


def _told(directory: Path) -> str:
    return "".join(log.read_text() for log in directory.glob("*.log"))


def _keep(directory: Path) -> None:
    kept = Path(tempfile.mkdtemp(prefix="bouncer-chaos-logs-"))
    (kept / "log").write_text(_told(directory))
    print(f"The logs are in {kept}", flush=True)


if __name__ == "__main__":
    main()
