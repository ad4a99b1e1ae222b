"""Whether the memory of web process and worker stays flat while deliveries come in.

    python -m lab.benchmarks.memory [--deliveries 10000] [--rate 200] [--database-url URL]

The real `bouncer serve` and `bouncer worker` against the fake GitHub, on SQLite unless a database is named. The
deliveries are about 500 issues, again and again. After a tenth, a quarter, a half, three quarters and all of them it
waits until the worker has taken what waits and has no run left, and prints what both hold of the machine's memory
(resident set). Exit status 1 when one of them grew by more than 10 in 100 from the first quarter to the end.
"""

import sys
from contextlib import ExitStack

import sqlalchemy as sa

from bot.storage.database import Database
from bot.storage.inbox import Inbox
from lab.benchmarks.acknowledge import bodies_of, fake_github
from lab.benchmarks.processes import read_options, resident, scratch, start, start_beside, wait_for
from lab.benchmarks.sending import Sender

STEPS = (0.1, 0.25, 0.5, 0.75, 1.0)
MOST_GROWTH = 1.1
PATIENCE = 1800.0  # seconds until everything that was sent is done


def count_runs(runs: sa.Engine) -> int:
    """Those that are under way. Runs that wait for their hour are left out."""
    table = "dbos.workflow_status" if runs.dialect.name == "postgresql" else "workflow_status"
    with runs.connect() as connection:
        query = sa.text(f"SELECT count(*) FROM {table} WHERE status IN ('ENQUEUED', 'PENDING')")
        return int(connection.execute(query).scalar_one())


def main() -> None:
    options = read_options(__doc__, deliveries=10_000, rate=200.0, database_url="")
    with ExitStack() as stack:
        directory = stack.enter_context(scratch())
        url = options.database_url or f"sqlite:///{directory}/bouncer.db"
        _, pipe = stack.enter_context(start_beside(fake_github))
        settings, deliveries = pipe.recv()
        own = settings | {"BOUNCER_DATABASE_URL": url}
        web, address = stack.enter_context(start("serve", own))
        worker, _ = stack.enter_context(start("worker", own))
        database = Database.open(url)
        inbox, runs = Inbox(database), sa.create_engine(database.engine_url)
        sender = Sender([address], settings["BOUNCER_WEBHOOK_SECRET"], bodies_of(deliveries))
        print(f"{0:6d} deliveries: web {resident(web):.0f} MB, worker {resident(worker):.0f} MB", flush=True)
        sent, held = 0, []
        for share in STEPS:
            more = int(options.deliveries * share) - sent
            result = sender.run(options.rate, more / options.rate)
            sent += more
            wait_for(lambda: not inbox.depth() and not count_runs(runs), "the end of what was sent", PATIENCE)
            held.append((resident(web), resident(worker)))
            megabytes = f"web {held[-1][0]:.0f} MB, worker {held[-1][1]:.0f} MB"
            print(f"{sent:6d} deliveries: {megabytes} (answers: {dict(result.answers)})", flush=True)
    growth = [last / early for early, last in zip(held[1], held[-1], strict=True)]
    print(f"from the first quarter to the end: web x {growth[0]:.2f}, worker x {growth[1]:.2f}")
    sys.exit(0 if max(growth) <= MOST_GROWTH else 1)


if __name__ == "__main__":
    main()
