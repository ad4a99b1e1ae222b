"""How long the filter takes on MBPP pairs drawn at random.

python -m lab.benchmarks.filter_time [PAIRS] [SIDE_BY_SIDE]
"""

import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from bot.sandbox.bubblewrap import BubblewrapExecutor
from lab.benchmarks.machine import machine
from lab.data.programs import Pair, read_pairs
from lab.scores.filter import verified

DATA = Path("../shared/data")


def main() -> None:
    """Print the median, of all and by case, in seconds."""
    number, jobs = (int(word) for word in [*sys.argv[1:], "60", "2"][:2])
    pairs = [pair for pair in read_pairs(DATA) if pair.dataset == "mbpp solutions"]
    executor = BubblewrapExecutor()
    executor.probe()

    def timed(pair: Pair) -> tuple[str, float]:
        started = time.monotonic()
        case = verified(executor, pair).case
        return str(case or "nothing could run"), time.monotonic() - started

    with ThreadPoolExecutor(jobs) as threads:
        taken = list(threads.map(timed, Random(1).sample(pairs, number)))
    print(machine(Path.cwd()))
    print(f"median of {number} pairs, {jobs} side by side: {statistics.median(seconds for _, seconds in taken):.2f} s")
    for case in sorted({case for case, _ in taken}):
        times = [seconds for name, seconds in taken if name == case]
        print(f"  {case}: {statistics.median(times):.2f} s ({len(times)})")


if __name__ == "__main__":
    main()
