"""How long the demo takes, from the command to its end: `python -m lab.benchmarks.demo`.

`bouncer demo --once` as a newcomer starts it: its default stories, with the fake GitHub, web process and worker started
and stopped. The goal is 30 s; the exit status is 1 where the median is over it. Run it on a machine that does nothing
else.
"""

import statistics
import subprocess
import sys

from lab.benchmarks.processes import read_options, scratch, seconds_of
from tests.webhooks.serving import bouncer

GOAL = 30.0  # seconds


def play() -> None:
    """One run. Raises `CalledProcessError` where it fails."""
    subprocess.run(bouncer("demo", "--once", "--json"), check=True, capture_output=True)


def main() -> None:
    times = read_options(__doc__, times=3).times
    with scratch():
        taken = sorted(seconds_of(play) for _ in range(times))
    median = statistics.median(taken)
    print(f"bouncer demo --once: {taken[0]:.1f} to {taken[-1]:.1f} s, median {median:.1f} s of {GOAL:.0f} s")
    sys.exit(median > GOAL)


if __name__ == "__main__":
    main()
