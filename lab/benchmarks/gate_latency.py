"""How long after a push a pull request's check is in progress.

    python -m lab.benchmarks.gate_latency [--pushes 50] [--database-url URL]

The real `bouncer serve` and `bouncer worker` against the fake GitHub, each a process of its own on one machine, with
SQLite unless a database is named. Every other push opens a pull request of a coding agent, the one after that adds a
commit to it; they change documentation alone, so that no sandbox takes the processor away. A time counts from the
moment GitHub has a webhook about the push to send until it is told that the check is in progress; both are seen in the
fake's process. The next push comes when the check of the last one is completed.
"""

import os
import statistics
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.connection import Connection

from bot.rendering.gate import NAME
from fake_github import FakeGitHub
from fake_github.traffic import Exchange
from fake_github.webhooks import SentDelivery
from lab.benchmarks.processes import read_options, scratch, start, start_beside

GOAL = 1000.0  # milliseconds
PATIENCE = 60.0  # seconds until a check must have been completed
REPOSITORY = "acme/widgets"
WARM = 2  # pushes before those that count: first connections, first imports
POLICY = "mode: enforce\n"


@dataclass
class Seen:
    """When the fake had each head commit's webhook to send, and heard of its check, by its status.

    By a clock of its own: GitHub's times, the fake's too, are in whole seconds.
    """

    at: dict[tuple[str, str], datetime] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def webhook(self, delivery: SentDelivery) -> None:
        if delivery.event == "pull_request":
            head = delivery.payload["pull_request"]["head"]["sha"]
            self.at.setdefault((head, "told"), datetime.now(UTC))

    def exchange(self, exchange: Exchange) -> None:
        sent = exchange.request if isinstance(exchange.request, dict) else {}
        if not exchange.took_effect or "/check-runs" not in exchange.route or sent.get("name") != NAME:
            return
        with self.changed:
            self.at.setdefault((exchange.response["head_sha"], sent["status"]), datetime.now(UTC))
            self.changed.notify_all()

    def wait(self, head: str, status: str) -> datetime:
        with self.changed:
            if not self.changed.wait_for(lambda: (head, status) in self.at, PATIENCE):
                sys.exit(f"no check of {head[:7]} was {status} within {PATIENCE:g} s")
            return self.at[head, status]


def milliseconds(before: datetime, after: datetime) -> float:
    return (after - before).total_seconds() * 1000


@contextmanager
def watched_github(pipe: Connection, files: Mapping[str, str]) -> Iterator[tuple[FakeGitHub, Seen]]:
    """With a repository of these files, where Bouncer is installed: tells its settings, hears where Bouncer listens."""
    seen = Seen()
    with FakeGitHub() as github:
        github.create_repository(REPOSITORY, files=dict(files))
        github.traffic.observers.append(seen.exchange)
        github.webhooks.observers.append(seen.webhook)
        pipe.send(github.environment())
        github.app.webhook_url = pipe.recv()
        github.install("acme", [REPOSITORY])
        yield github, seen
        pipe.recv()


def fake_github(pipe: Connection, pushes: int) -> None:
    """In a process of its own: pushes, tells the times."""
    os.nice(10)  # GitHub's own work would happen elsewhere
    times = []
    with watched_github(pipe, {".github/bouncer.yml": POLICY, "README.md": "# Widgets\n"}) as (github, seen):
        for turn in range(pushes + WARM):
            head = push(github, turn)
            begun = seen.wait(head, "in_progress")
            seen.wait(head, "completed")
            github.wait_for_webhooks()
            times.append((turn % 2 == 0, milliseconds(seen.at[head, "told"], begun)))
        pipe.send(times[WARM:])


def push(github: FakeGitHub, turn: int) -> str:
    """The new head: every other time of a new pull request, else of the newest."""
    text = {"README.md": f"# Widgets\n\nRevision {turn}.\n"}
    if turn % 2 == 0:
        number = github.open_pull(REPOSITORY, f"Say more, {turn}", text, by="copilot-swe-agent[bot]")
    else:
        number = max(github.repo(REPOSITORY).issues)
        github.push_to_pull(REPOSITORY, number, text, by="copilot-swe-agent[bot]")
    return head_of(github, number)


def head_of(github: FakeGitHub, number: int) -> str:
    pull = github.repo(REPOSITORY).issues[number].pull
    assert pull is not None
    return pull.head


def points(times: list[float]) -> str:
    ordered = sorted(times)
    p50, p99 = statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"p50 {p50:.0f}  p99 {p99:.0f}  max {ordered[-1]:.0f} ms"


def main() -> None:
    options = read_options(__doc__, pushes=50, database_url="")
    with ExitStack() as stack:
        directory = stack.enter_context(scratch())
        url = options.database_url or f"sqlite:///{directory}/bouncer.db"
        _, pipe = stack.enter_context(start_beside(fake_github, options.pushes))
        own = pipe.recv() | {"BOUNCER_DATABASE_URL": url, "BOUNCER_CACHE_DIR": f"{directory}/cache"}
        _, address = stack.enter_context(start("serve", own))
        stack.enter_context(start("worker", own))
        pipe.send(f"{address}/webhook")
        times: list[tuple[bool, float]] = pipe.recv()
    begun = [time for _, time in times]
    print(f"{len(times)} pushes, from the webhook to the check in progress: {points(begun)}")
    print(f"  a new pull request: {points([time for new, time in times if new])}")
    print(f"  one more commit:    {points([time for new, time in times if not new])}")
    sys.exit(0 if max(begun) < GOAL else 1)


if __name__ == "__main__":
    main()
