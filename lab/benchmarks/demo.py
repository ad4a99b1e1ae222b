"""How long the demo takes, from the command to its end: `python -m lab.benchmarks.demo`.

`bouncer demo --once` as a newcomer starts it: its default stories, with the fake GitHub, web process and worker started
and stopped. The goal is 30 s; the exit status is 1 where the median is over it. Run it on a machine that does nothing
else.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab.benchmarks.processes import machine
from tests.webhooks.serving import bouncer

GOAL = 30.0  # seconds


def time_demo() -> float:
    """Seconds of one run. Raises `CalledProcessError` where it fails."""
    started = time.perf_counter()
    subprocess.run(bouncer("demo", "--once", "--json"), check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3)
    times = parser.parse_args().times
    taken = sorted(time_demo() for _ in range(times))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = (used.ru_utime + used.ru_stime) / times
    print(machine(Path(tempfile.gettempdir())))
    median = statistics.median(taken)
    print(f"bouncer demo --once: {taken[0]:.1f} to {taken[-1]:.1f} s, median {median:.1f} s of {GOAL:.0f} s")
    print(f"{processor:.1f} s of processor each")
    sys.exit(median > GOAL)


if __name__ == "__main__":
    main()
