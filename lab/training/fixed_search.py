"""Fit the weights of `bot/history` on reports whose fix is known and write them beside the ranking.

    python -m lab.training.fixed_search --repos DIR [--cache DIR]

DIR holds repositories with their whole history as `OWNER+NAME/repo`, `OWNER+NAME.git` or `OWNER+NAME`; the reports are
those of `../shared/data/already_fixed_pairs.jsonl` whose fix is found there. Run it again whenever `bot/history` reads
changes or reports differently; `lab/benchmarks/fixed_search.py` measures what it gives on repositories it has not seen.
"""

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from lab.benchmarks.fixed_model import examples, train
from lab.benchmarks.fixed_pairs import DATA

WEIGHTS = Path(__file__).resolve().parents[2] / "bot" / "history" / "weights.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="where the indexes are kept; default: a temporary directory")
    options = parser.parse_args()
    if not DATA.is_file():
        sys.exit(f"There are no reports in {DATA.parent}: nothing was trained.")
    with ExitStack() as stack:
        cache = options.cache or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bouncer-benchmark-")))
        found = list(examples(options.repos, cache))
    if not found:
        sys.exit(f"No fix of any report was found below {options.repos}: nothing was trained.")
    weights = train(found, options.repos).raw
    WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found) // 2} reports, cut at {weights['cut']:.3f} -> {WEIGHTS.name}")


if __name__ == "__main__":
    main()
