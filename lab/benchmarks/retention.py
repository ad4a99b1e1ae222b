"""How long it takes to forget the last verdicts of settled issues, beside issues that were judged since.

    python -m lab.benchmarks.retention [--settled 2000] [--verdicts 12000]

One repository on SQLite: `--settled` issues whose only verdict is 400 days old, and five days ago as many verdicts of
other issues as are left of `--verdicts`. What is older than 365 days is removed, as `BOUNCER_KEEP_PAGES_DAYS` has it.
"""

import argparse
import os
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from bot.storage.database import Database
from bot.storage.retention import Retention
from bot.storage.tables import decisions, subjects
from lab.benchmarks.machine import machine
from tests.support.sqlite import migrated

TEXT = "{}" * 200  # instead of a verdict: about as long as the shortest
FEW = {"mode": "advise", "decision": "BOUNCE", "judge": "none/1", "applied": "[]", "verdict": TEXT}
FEW |= {"subject": "issue", "ground": ""}
ZERO = dict.fromkeys(("calls", "tokens_in", "tokens_out", "money", "seconds"), 0)
ISSUE = {"installation_id": 1, "repository": "acme/widgets", "author": "x", "state": "active", "held": False}
ISSUE |= {"label_by_human": False, "asked": "[]", "satisfied": "[]", "judged_hash": "h", "latest_seq": 0, "retries": 0}
ISSUE |= {"label": "", "private": True, "left_alone": ""}


def filled(database: Database, settled: int, verdicts: int, now: datetime) -> None:
    old, new = now - timedelta(days=400), now - timedelta(days=5)
    numbers = [(n, old) if n < settled else (settled + n % settled, new) for n in range(verdicts)]
    rows = [
        {
            **FEW,
            **ZERO,
            "workflow_id": f"issue:{seq}",
            "repo_id": 1,
            "number": number,
            "author": "x",
            "at": at,
            "seq": seq,
        }
        for seq, (number, at) in enumerate(numbers)
    ]
    issues = [{**ISSUE, "repo_id": 1, "number": number, "verdict": TEXT} for number in {each for each, _ in numbers}]
    with database.main.begin() as connection:
        connection.execute(insert(decisions), rows)
        connection.execute(insert(subjects), issues)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settled", type=int, default=2_000)
    parser.add_argument("--verdicts", type=int, default=12_000)
    options = parser.parse_args()
    now = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="bouncer-retention-") as scratch:
        print(f"machine: {machine(Path(scratch))}; load {os.getloadavg()[0]:.1f}")
        database = Database.open(migrated(Path(scratch)))
        filled(database, options.settled, options.verdicts, now)
        for run in ("first", "second"):
            began = time.perf_counter()
            forgotten = Retention(database).remove_pages(now - timedelta(days=365))
            print(f"{run} time: {forgotten:,} forgotten in {time.perf_counter() - began:.2f} s")
        database.close()


if __name__ == "__main__":
    main()
