"""How fast Bouncer acknowledges deliveries, and how many a second at most.

    python -m lab.benchmarks.acknowledge [--rate 100] [--seconds 20] [--only TEXT ...] [--list]

First, at a fixed rate with a worker draining, on SQLite. Then the most that holds (p99 at most 100 ms, every answer
2xx): for each database, for 1, 2 and 4 web processes, without a worker and with one draining. Everything is real:
`bouncer serve`, `bouncer worker`, a PostgreSQL with fsync, and the fake GitHub, which the worker asks. They and the
sender share the machine.

Deliveries are signed `issues` payloads, each on a connection of its own, at fixed moments whether or not earlier ones
were answered (open loop), in turn to the web processes. Latency counts from the moment a delivery was due. The most
that holds is found so: as many as are answered a second with 32 under way (closed loop) is tried as a rate, then less
and less until it holds. With a worker, deliveries of the closed loop are waiting for it all the time.

Processor: of the web processes, for one delivery of the closed loop; it tells two servers apart on a busy machine too.

--only: the lines whose name has one of these in it, and no fixed rate; `--list` shows the names.
"""

import itertools
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from bot.storage.database import Database
from bot.storage.inbox import Inbox
from fake_github import FakeGitHub
from lab.benchmarks.processes import processor_seconds, read_options, scratch, start, start_beside
from lab.benchmarks.sending import Result, Sender
from tests.support.postgres import Server, running_server

REPOSITORIES, ISSUES = 10, 500
PRESS, TRY = 2.0, 3.0  # seconds: of the closed loop, and of each rate that is tried
TRIES = (1.0, 0.85, 0.7, 0.55, 0.4)
BODY = (
    "When I save a table with more than a thousand rows the window closes. I expected it to be saved.\n\n"
    "1. Open a table\n2. Save it\n\n```\nTraceback (most recent call last):\n"
    + "\n".join(f'  File "table.py", line {number}, in save' for number in range(40))
    + "\nMemoryError\n```\nVersion 2.3 on Linux.\n"
)
VAGUE = "It doesn't work\n\nPlease fix."


def fake_github(pipe: Connection, issues: int = ISSUES, vague: float = 0.0, nice: int = 10) -> None:
    """In a process of its own: a GitHub with issues. Tells its settings and the event, payload and body of each
    delivery, then stays. vague: that share of the issues. nice: GitHub's own work would happen elsewhere."""
    os.nice(nice)
    with FakeGitHub() as github:
        names = [f"acme/widgets-{number}" for number in range(REPOSITORIES)]
        for name in names:
            github.create_repository(name)
        github.install("acme", names)
        for number, name in zip(range(issues), itertools.cycle(names), strict=False):
            text = VAGUE if int((number + 1) * vague) > int(number * vague) else BODY
            github.open_issue(name, f"Saving table {number} closes the window", text)
        sent = [(item.event, item.payload, item.body) for item in github.webhooks.deliveries]
        pipe.send((github.environment(), sent))
        pipe.recv()


def bodies_of(sent: Iterable[tuple[str, object, bytes]]) -> list[bytes]:
    """Of the deliveries of issues."""
    return [body for event, _, body in sent if event == "issues"]


@dataclass(frozen=True)
class Line:
    """One line of the table. database: `sqlite` or `postgres`. web: how many web processes."""

    database: str
    web: int
    draining: bool

    def __str__(self) -> str:
        return f"{self.database} {self.web} {'draining' if self.draining else 'alone'}"


NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
LINES = tuple(Line(database, web, draining) for database in NAMES for draining in (False, True) for web in (1, 2, 4))


class Bench:
    """What the lines share: a GitHub with issues, a PostgreSQL, and a directory."""

    def __init__(self, directory: Path, settings: dict[str, str], bodies: list[bytes], server: Server) -> None:
        self._directory, self._settings, self._bodies, self._server = directory, settings, bodies, server
        self._numbers = itertools.count()

    @contextmanager
    def start(self, line: Line) -> Iterator[tuple[Sender, list[int], Inbox]]:
        """The servers of a line, warm, on a database of their own: a sender to them and their processes."""
        place = self._directory / str(next(self._numbers))
        place.mkdir()
        with ExitStack() as stack:
            url = f"sqlite:///{place}/bouncer.db" if line.database == "sqlite" else self._server.create()
            own = self._settings | {"BOUNCER_DATABASE_URL": url}
            web = [stack.enter_context(start("serve", own)) for _ in range(line.web)]
            if line.draining:
                stack.enter_context(start("worker", own))
            database = Database.open(url)
            stack.callback(database.close)
            sender = Sender([address for _, address in web], self._settings["BOUNCER_WEBHOOK_SECRET"], self._bodies)
            sender.run(20 * line.web, 1)  # first connections, first imports
            yield sender, [process for process, _ in web], Inbox(database)

    def measure_at(self, rate: float, seconds: float) -> None:
        with self.start(Line("sqlite", 1, draining=True)) as (sender, _, inbox):
            print(f"{rate:g} deliveries a second for {seconds:g} s, SQLite, a worker draining:")
            print(f"  {sender.run(rate, seconds)}; {inbox.depth()} wait for the worker at the end", flush=True)

    def measure_most(self, line: Line) -> str:
        """The line of the table, with the most that held."""
        with self.start(line) as (sender, processes, inbox):
            used = processor_seconds(processes)
            pressed = sender.press(PRESS)
            cost = (processor_seconds(processes) - used) / (pressed * PRESS) * 1000
            result: Result | None = None
            for share in TRIES:
                result = sender.run(pressed * share, TRY)
                if result.held:
                    break
            left = inbox.depth()
        assert result is not None
        most = f"{result.rate:.0f}" if result.held else f"less than {result.rate:.0f}"
        worker = "draining" if line.draining else "none"
        points = f"{result.percentile(0.5):.1f} | {result.percentile(0.99):.1f}"
        measured = f"{pressed:.0f} | {most} | {points} | {cost:.2f} | {left:,}"
        return f"| {NAMES[line.database]} | {line.web} | {worker} | {measured} |"


HEAD = """\
| database | processes | worker | 32 at once, a second | most a second | p50, ms | p99, ms | processor, ms | waiting |
|---|---|---|---|---|---|---|---|---|"""


def main() -> None:
    only = {"nargs": "+", "default": [""], "metavar": "TEXT"}
    options = read_options(__doc__, seconds=20.0, rate=100.0, only=only, list={"action": "store_true"})
    lines = [line for line in LINES if any(text in str(line) for text in options.only)]
    if options.list:
        print(*lines, sep="\n")
        return
    with ExitStack() as stack:
        directory = stack.enter_context(scratch())
        server = stack.enter_context(running_server(durable=True))
        _, pipe = stack.enter_context(start_beside(fake_github))
        settings, sent = pipe.recv()
        bench = Bench(directory, settings, bodies_of(sent), server)
        if options.only == [""]:
            bench.measure_at(options.rate, options.seconds)
        print(HEAD)
        for line in lines:
            print(bench.measure_most(line), flush=True)


if __name__ == "__main__":
    main()
