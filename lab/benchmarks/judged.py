"""How many issues a second the worker judges offline, and what that takes.

    python -m lab.benchmarks.judged [--issues 600] [--vague 0] [--databases sqlite,postgresql] [--workers 1,2]

The deliveries of new issues of ten repositories wait in the inbox; real `bouncer worker` processes take them, against a
fake GitHub in a process of its own. The time counts from the moment the deliveries wait until every issue has its
verdict in the database. Processor time is that of the workers and their children; that of the fake GitHub, which shares
the machine, stands beside it, and PostgreSQL's. PostgreSQL is a server of this run, which syncs its log. vague: the
share of issues that are held, with a label and a comment; the others are accepted, in silence.
"""

import itertools
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter
from sqlalchemy import Table, func, insert, select

from bot.github import events
from bot.github.deliveries import Delivery
from bot.storage.database import Database
from bot.storage.inbox import inbox
from bot.storage.ledger import decisions
from bot.storage.migrate import migrate
from bot.storage.welcomes import welcomes
from lab.benchmarks.acknowledge import REPOSITORIES, fake_github
from lab.benchmarks.processes import processor_seconds, read_options, scratch, start, start_beside, wait_for
from tests.support.postgres import running_server

PATIENCE = 120.0  # seconds a run may take


@dataclass(frozen=True, slots=True)
class Run:
    """seconds: until all were judged. The rest: processor seconds of all workers, the fake GitHub and PostgreSQL."""

    issues: int
    seconds: float
    workers: float
    github: float
    server: float

    def __str__(self) -> str:
        each, cores = 1000 * self.workers / self.issues, self.workers / self.seconds
        beside = f"fake GitHub {self.github / self.seconds:.2f}, PostgreSQL {self.server / self.seconds:.2f} cores"
        return (
            f"{self.issues / self.seconds:6.1f} judged a second at {cores:.2f} cores of workers "
            f"({each:.1f} ms of processor an issue); {beside}"
        )


def put(database: Database, deliveries: Sequence[Delivery]) -> None:
    """Into the inbox, all at once."""
    kind, now = TypeAdapter(Delivery), datetime.now(UTC)
    rows = [
        {"guid": str(uuid.uuid4()), "delivery": kind.dump_json(delivery).decode(), "received_at": now}
        for delivery in deliveries
    ]
    with database.inbox.begin() as connection:
        connection.execute(insert(inbox), rows)


def rows(database: Database, table: Table) -> int:
    with database.main.connect() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def judge(url: str, place: Path, workers: int, issues: int, vague: float, server: Sequence[int]) -> Run:
    """One run on an empty database."""
    with ExitStack() as stack:
        github, pipe = stack.enter_context(start_beside(fake_github, issues, vague, 0))
        settings, sent = pipe.recv()
        read = (events.read(event, payload) for event, payload, _ in sent)
        deliveries = [each for each in read if isinstance(each, Delivery)]
        own = settings | {"BOUNCER_DATABASE_URL": url, "BOUNCER_CACHE_DIR": f"{place}/cache"}
        database = Database.open(url)
        stack.callback(database.close)
        migrate(database)
        named = (own | {"BOUNCER_WORKER_ID": f"worker-{number}"} for number in range(1, workers + 1))
        pids = [stack.enter_context(start("worker", each))[0] for each in named]
        put(database, [each for each in deliveries if each.event != "issues"])
        wait_for(lambda: rows(database, welcomes) >= REPOSITORIES, "the first looks at the repositories", PATIENCE)
        before = [processor_seconds(each) for each in (pids, [github], server)]
        started = time.monotonic()
        put(database, [each for each in deliveries if each.event == "issues"])
        wait_for(lambda: rows(database, decisions) >= issues, "the verdicts", PATIENCE)
        seconds = time.monotonic() - started
        after = [processor_seconds(each) for each in (pids, [github], server)]
    return Run(issues, seconds, *(late - early for early, late in zip(before, after, strict=True)))


def main() -> None:
    options = read_options(__doc__, issues=600, vague=0.0, databases="sqlite,postgresql", workers="1,2")
    with scratch() as directory, ExitStack() as stack:
        server = stack.enter_context(running_server(durable=True)) if "postgresql" in options.databases else None
        for kind, workers in itertools.product(options.databases.split(","), map(int, options.workers.split(","))):
            place = directory / f"{kind}-{workers}"
            place.mkdir()
            url = server.create() if server and kind == "postgresql" else f"sqlite:///{place}/bouncer.db"
            pids = [server.pid] if server and kind == "postgresql" else []
            print(
                f"{kind:10}  {workers} worker(s): {judge(url, place, workers, options.issues, options.vague, pids)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
