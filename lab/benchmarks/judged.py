"""How many issues a second the worker judges offline, and what that takes.

    python -m lab.benchmarks.judged [--issues 600] [--vague 0] [--databases sqlite,postgresql] [--workers 1,2]

The deliveries of new issues of ten repositories wait in the inbox; real `bouncer worker` processes take them, against a
fake GitHub in a process of its own. The time counts from the moment the deliveries wait until every issue has its
verdict in the database. Processor time is that of the workers and their children; that of the fake GitHub, which shares
the machine, stands beside it, and PostgreSQL's. PostgreSQL is a server of this run, which syncs its log. vague: the
share of issues that are held, with a label and a comment; the others are accepted, in silence.
"""

import argparse
import itertools
import os
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

from pydantic import TypeAdapter
from sqlalchemy import Table, func, insert, select

from bot.github import events
from bot.github.deliveries import Delivery
from bot.storage.database import Database
from bot.storage.migrate import migrate
from bot.storage.tables import decisions, inbox, welcomes
from fake_github import FakeGitHub
from lab.benchmarks.acknowledge import BODY
from lab.benchmarks.capacity import VAGUE
from lab.benchmarks.processes import environment, machine, processor_seconds, start_beside, start_watched
from tests.support.postgres import running_server

REPOSITORIES = 10
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


def fake_github(pipe: Connection, count: int, vague: float) -> None:
    """In a process of its own: a GitHub with issues. Tells its settings and its deliveries, then stays."""
    with FakeGitHub() as github:
        names = [f"acme/widgets-{number}" for number in range(REPOSITORIES)]
        for name in names:
            github.create_repository(name)
        github.install("acme", names)
        for number, name in zip(range(count), itertools.cycle(names), strict=False):
            text = VAGUE if int((number + 1) * vague) > int(number * vague) else BODY
            github.open_issue(name, f"Saving table {number} closes the window", text)
        sent = [(item.event, item.payload) for item in github.webhooks.deliveries]
        pipe.send((github.environment(), sent))
        pipe.recv()


@contextmanager
def worker(own: dict[str, str], name: str, log: Path) -> Iterator[int]:
    """A `bouncer worker` of this id; yields its process id once it works."""
    with start_watched("worker", own | {"BOUNCER_WORKER_ID": name}, log, "Working") as (process, _):
        yield process


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


def wait_for(done: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > deadline:
            sys.exit(f"{what} did not come within {PATIENCE:g} s")
        time.sleep(0.1)


def judge(url: str, place: Path, workers: int, issues: int, vague: float, server: Sequence[int]) -> Run:
    """One run on an empty database."""
    with ExitStack() as stack:
        github, pipe = stack.enter_context(start_beside(fake_github, issues, vague))
        settings, sent = pipe.recv()
        read = (events.read(event, payload) for event, payload in sent)
        deliveries = [each for each in read if isinstance(each, Delivery)]
        own = environment(settings | {"BOUNCER_DATABASE_URL": url, "BOUNCER_CACHE_DIR": f"{place}/cache"})
        database = Database.open(url)
        stack.callback(database.close)
        migrate(database)
        pids = [
            stack.enter_context(worker(own, f"worker-{number}", place / f"worker-{number}.log"))
            for number in range(1, workers + 1)
        ]
        put(database, [each for each in deliveries if each.event != "issues"])
        wait_for(lambda: rows(database, welcomes) >= REPOSITORIES, "the first looks at the repositories")
        before = [processor_seconds(each) for each in (pids, [github], server)]
        started = time.monotonic()
        put(database, [each for each in deliveries if each.event == "issues"])
        wait_for(lambda: rows(database, decisions) >= issues, "the verdicts")
        seconds = time.monotonic() - started
        after = [processor_seconds(each) for each in (pids, [github], server)]
    return Run(issues, seconds, *(late - early for early, late in zip(before, after, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--issues", type=int, default=600)
    parser.add_argument("--vague", type=float, default=0.0)
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--workers", default="1,2")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bouncer-benchmark-") as scratch, ExitStack() as stack:
        print(f"machine: {machine(Path(scratch))}; load {os.getloadavg()[0]:.1f}", flush=True)
        server = stack.enter_context(running_server(durable=True)) if "postgresql" in options.databases else None
        for kind, workers in itertools.product(options.databases.split(","), map(int, options.workers.split(","))):
            place = Path(scratch) / f"{kind}-{workers}"
            place.mkdir()
            url = server.create() if server and kind == "postgresql" else f"sqlite:///{place}/bouncer.db"
            pids = [server.pid] if server and kind == "postgresql" else []
            print(
                f"{kind:10}  {workers} worker(s): {judge(url, place, workers, options.issues, options.vague, pids)}",
                flush=True,
            )
    print(f"load at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
