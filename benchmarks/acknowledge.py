"""How fast Bouncer acknowledges deliveries while a worker drains them, and how many a second it can keep up with.

    python -m benchmarks.acknowledge [--seconds 20] [--rate 100] [--no-worker] [--no-search] [--database-url URL]

Starts the real `bouncer serve` and `bouncer worker` against the fake GitHub and sends signed `issues` deliveries, each
on a connection of its own, at fixed moments whether or not earlier ones were answered (open loop). Latency counts from
the moment a delivery was due, so that a stalled server cannot hide. Sender, fake GitHub, web process and worker share
the machine. The search raises the rate by a quarter until p99 exceeds 100 ms, an answer is not 202, or the sender
itself falls behind, twice in a row; what is printed is the highest rate that held. Every attempt is printed.
"""

import argparse
import asyncio
import itertools
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.machine import machine
from bot.fake_github import FakeGitHub
from bot.storage.database import Database
from bot.storage.inbox import Inbox
from webhooks.signature import sign

REPOSITORIES = 10
ISSUES_EACH = 50
TARGET_MS = 100.0
PATIENCE = 15.0  # seconds a delivery may take; GitHub waits 10
BODY = (
    "When I save a table with more than a thousand rows the window closes. I expected it to be saved.\n\n"
    "1. Open a table\n2. Save it\n\n```\nTraceback (most recent call last):\n"
    + "\n".join(f'  File "table.py", line {number}, in save' for number in range(40))
    + "\nMemoryError\n```\nVersion 2.3 on Linux.\n"
)


@dataclass(frozen=True)
class Result:
    """latencies: milliseconds from the moment each delivery was due. answers: how often each status came."""

    rate: float
    latencies: list[float]
    answers: Counter[str]
    late: float

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

    @property
    def held(self) -> bool:
        return set(self.answers) == {"202"} and self.percentile(0.99) <= TARGET_MS and self.late <= TARGET_MS

    def __str__(self) -> str:
        answers = ", ".join(f"{count} x {status}" for status, count in sorted(self.answers.items()))
        points = "  ".join(
            f"{name} {self.percentile(share):.1f}"
            for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0))
        )
        return f"{self.rate:7.1f}/s  {points} ms  answers: {answers}  sender late by at most {self.late:.1f} ms"


def fake_github(pipe: Connection) -> None:
    """In a process of its own: a GitHub with issues. Tells its settings and its deliveries' bodies, then stays."""
    os.nice(10)  # GitHub's own work would happen elsewhere
    with FakeGitHub() as github:
        names = [f"acme/widgets-{number}" for number in range(REPOSITORIES)]
        for name in names:
            github.create_repository(name)
        github.install("acme", names)
        for name, number in itertools.product(names, range(ISSUES_EACH)):
            github.open_issue(name, f"Saving table {number} closes the window", BODY)
        bodies = [item.body for item in github.webhooks.deliveries if item.event == "issues"]
        pipe.send((github.environment(), bodies))
        pipe.recv()


@contextmanager
def running_github() -> Iterator[tuple[dict[str, str], list[bytes]]]:
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=fake_github, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("done")
        process.join(5)


@contextmanager
def running(command: str, environment: dict[str, str], log: Path, announces: str) -> Iterator[str]:
    """A `bouncer` command as a process; yields the line in which it says that it is ready."""
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", *command.split()],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        if announces not in line:
            process.terminate()
            sys.exit(f"`bouncer {command}` did not start:\n{log.read_text()}")
        try:
            yield line.strip()
        finally:
            process.terminate()
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()


class Sender:
    """GitHub's side of the wire."""

    def __init__(self, address: str, secret: str, bodies: list[bytes]) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname, parts.port
        self._signed = itertools.cycle([(body, sign(body, secret.encode())) for body in bodies])

    def run(self, rate: float, seconds: float) -> Result:
        return asyncio.run(self._run(rate, int(rate * seconds)))

    async def _run(self, rate: float, count: int) -> Result:
        requests = [self._request(*next(self._signed)) for _ in range(count)]
        loop = asyncio.get_running_loop()
        start = loop.time() + 0.2
        tasks, late = [], 0.0
        for number, request in enumerate(requests):
            due = start + number / rate
            await asyncio.sleep(max(0.0, due - loop.time()))
            late = max(late, loop.time() - due)
            tasks.append(asyncio.create_task(self._send(request, due)))
        done = await asyncio.gather(*tasks)
        return Result(rate, [latency for latency, _ in done], Counter(status for _, status in done), late * 1000)

    def _request(self, body: bytes, signature: str) -> bytes:
        head = (
            f"POST /webhook HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nUser-Agent: GitHub-Hookshot/benchmark\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nX-GitHub-Event: issues\r\n"
            f"X-GitHub-Delivery: {uuid.uuid4()}\r\nX-Hub-Signature-256: {signature}\r\nConnection: close\r\n\r\n"
        )
        return head.encode() + body

    async def _send(self, request: bytes, due: float) -> tuple[float, str]:
        try:
            async with asyncio.timeout(PATIENCE):
                reader, writer = await asyncio.open_connection(self._host, self._port)
                writer.write(request)
                status = (await reader.readline()).split()[1].decode()
                latency = asyncio.get_running_loop().time() - due
                writer.close()
        except (OSError, TimeoutError, IndexError) as error:
            return PATIENCE * 1000, type(error).__name__
        return latency * 1000, status


def search(sender: Sender, start: float, seconds: float) -> Result | None:
    """The highest rate that held, raising it by a quarter until it does not, twice in a row."""
    best, rate, misses = None, start, 0
    while misses < 2:
        result = sender.run(rate, seconds)
        print(f"  {result}{'' if result.held else '   did not hold'}", flush=True)
        if result.held:
            best, rate, misses = result, rate * 1.25, 0
        else:
            misses += 1
    return best


def drained(inbox: Inbox, seconds: float) -> int:
    """Wait for the worker to take what waits; how many deliveries are left."""
    deadline = time.monotonic() + seconds
    while inbox.depth() and time.monotonic() < deadline:
        time.sleep(0.5)
    return inbox.depth()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--no-worker", action="store_true", help="only the web process")
    parser.add_argument("--no-search", action="store_true", help="only the fixed rate")
    parser.add_argument("--database-url", help="default: SQLite in a temporary directory")
    options = parser.parse_args()

    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bouncer-benchmark-")))
        url = options.database_url or f"sqlite:///{directory}/bouncer.db"
        settings, bodies = stack.enter_context(running_github())
        clean = {name: value for name, value in os.environ.items() if not name.startswith("BOUNCER_")}
        environment = clean | settings | {"BOUNCER_DATABASE_URL": url}
        print(f"machine: {machine(directory)}", flush=True)
        web = running("serve --port 0", environment, directory / "web.log", "Listening")
        address = stack.enter_context(web).split()[-1]
        if not options.no_worker:
            stack.enter_context(running("worker", environment, directory / "worker.log", "Working"))
        inbox = Inbox(Database.open(url))
        sender = Sender(address, settings["BOUNCER_WEBHOOK_SECRET"], bodies)
        sender.run(10, 2)  # first connections, first imports

        worker = "no worker" if options.no_worker else "a worker draining"
        print(f"{options.rate:g} deliveries a second for {options.seconds:g} s, {worker}:")
        result = sender.run(options.rate, options.seconds)
        print(f"  {result}", flush=True)
        if not options.no_worker:
            print(f"  waiting for the worker at the end: {inbox.depth()}; a while later: {drained(inbox, 30)}")
        if not options.no_search:
            print(f"the most that holds (p99 within {TARGET_MS:g} ms, every answer 202, 10 s each), {worker}:")
            best = search(sender, options.rate, 10)
            print(f"  held: {best.rate:.0f} deliveries a second" if best else "  none held")
        sys.exit(0 if result.held else 1)


if __name__ == "__main__":
    main()
