"""Real processes to be killed: `bouncer serve` and `bouncer worker` against the fake GitHub in this process."""

import os
import signal
import socket
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from random import Random
from types import TracebackType

import requests
import sqlalchemy as sa

from bot.storage.database import Database
from bot.storage.inbox import Inbox
from bot.storage.migrate import migrate
from fake_github import FakeGitHub
from fake_github.webhooks import SentDelivery
from tests.crash import nursery, standing_in
from tests.support.waiting import BUSY, eventually
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE, Clock

REPOSITORY = "acme/widgets"
POLICY = "issues: {already_fixed: {enabled: false}}\nbudgets: {per_repository: 100000, per_author: 100000}\n"
UNFINISHED = ("ENQUEUED", "PENDING", "DELAYED")


@dataclass
class Toll:
    """What the kills cost. All but the first three have to be zero."""

    deliveries: int = 0
    acknowledged: int = 0
    kills: int = 0
    lost: list[str] = field(default_factory=list)
    comments_twice: list[int] = field(default_factory=list)
    labels_twice: list[int] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)

    def clean(self) -> bool:
        return not (self.lost or self.comments_twice or self.labels_twice or self.wrong)


class Fleet:
    """Starts, kills and starts again. Everything a process prints lands in a file under `directory`."""

    def __init__(self, database_url: str, directory: Path, private_key: str | None = None) -> None:
        self.directory = directory
        self.clock = Clock()  # of GitHub, and of a quick worker
        self.github = FakeGitHub(private_key=private_key, clock=self.clock)
        self.fed = set[str]()  # of GitHub's deliveries, where no web process takes them
        self.github.start()
        self.github.create_repository(REPOSITORY, files={".github/bouncer.yml": POLICY})
        self.port = free_port()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("BOUNCER_")},
            **self.github.environment(),
            "BOUNCER_DATABASE_URL": database_url,
            "BOUNCER_PORT": str(self.port),
        }
        self.database = Database.open(database_url)
        migrate(self.database)
        self.inbox = Inbox(self.database)
        self.engine = sa.create_engine(self.database.engine_url, pool_pre_ping=True)
        self.processes: dict[str, ForkServerProcess] = {}
        self._again: dict[str, Callable[[], ForkServerProcess]] = {}
        self.kills = 0
        self.expected: dict[int, bool] = {}  # issue number -> whether it has to be held in the end

    def __enter__(self) -> "Fleet":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes.values():
            process.kill()
            process.join()
        self.github.close()
        self.engine.dispose()
        self.database.close()

    # Processes

    def start(self, command: str, name: str = "", **settings: str) -> None:
        """name: of one of several that run the same command."""
        name = name or command
        self._start(name, lambda: nursery.start(command, self.environment | settings, self._log(name)))

    def start_quick_worker(self) -> None:
        """In the worker's place: `tests/crash/standing_in.py`."""
        self._set_clock()
        place = str(self.directory)
        self._start("worker", lambda: nursery.start(place, self.environment, self._log("worker"), standing_in.run))

    def _start(self, command: str, begin: Callable[[], ForkServerProcess]) -> None:
        self._again[command] = begin
        self.processes[command] = begin()

    def _log(self, name: str) -> Path:
        return self.directory / f"{name}.log"

    def wait_for_worker(self, name: str = "worker") -> None:
        eventually(lambda: b"Working." in self._log(name).read_bytes(), seconds=60)

    def end(self, name: str) -> int:
        """Tell a process to end, and wait; its exit status."""
        process = self.processes.pop(name)
        process.terminate()
        process.join(60)
        assert process.exitcode is not None
        return process.exitcode

    def start_again(self, command: str) -> None:
        """The same as before, in the place of one that was killed."""
        self.processes[command] = self._again[command]()

    def kill(self, command: str) -> None:
        """kill -9 of the process and its children (gunicorn's arbiter has one), without a word."""
        process = self.processes[command]
        assert process.pid
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()
        self.kills += 1

    def pass_time(self, **units: float) -> None:
        """For GitHub and a quick worker, and for what waits in the engine for its hour."""
        before = self.clock.ahead
        self.clock.advance(**units)
        self._set_clock()
        runs = self._runs()
        if not sa.inspect(self.engine).has_table(runs.name, runs.schema):
            return  # no worker has run so far
        gone_by = int((self.clock.ahead - before).total_seconds() * 1000)
        earlier = runs.update().where(runs.c.status == "DELAYED")
        with self.engine.begin() as connection:
            connection.execute(earlier.values(delay_until_epoch_ms=runs.c.delay_until_epoch_ms - gone_by))

    def _set_clock(self) -> None:
        new = self.directory / "ahead.new"
        new.write_text(str(self.clock.ahead.total_seconds()))
        new.replace(self.directory / "ahead")

    def keep_alive(self) -> None:
        """Start what has ended by itself, as `bouncer run` does."""
        for command, process in list(self.processes.items()):
            if not process.is_alive():
                self.start_again(command)

    def open_for_business(self) -> None:
        """Both run, and the App is installed."""
        self.start("serve")
        self.start("worker")
        self.wait_for_web()
        self.github.app.webhook_url = f"http://127.0.0.1:{self.port}/webhook"
        self.github.install("acme", [REPOSITORY])
        self.github.wait_for_webhooks()

    def wait_for_web(self) -> None:
        eventually(self.web_answers, seconds=60)

    def web_answers(self, port: int | None = None) -> bool:
        try:
            return requests.get(f"http://127.0.0.1:{port or self.port}/healthz", timeout=10).ok
        except requests.RequestException:
            return False

    # People

    def act(self, random: Random) -> None:
        """One thing somebody does: a new issue, an edit that may make one clear, or a command.

        What once was clear stays clear: an item that was ticked is never asked for again, so a vague edit afterwards
        ends differently according to which texts were judged before they were superseded.
        """
        numbers = list(self.expected)
        what = random.choice(["open", "open", "edit", "command"]) if numbers else "open"
        number = random.choice(numbers) if numbers else 0
        clear = random.random() < 0.4 or (what == "edit" and not self.expected[number])
        body = CLEAR + "\nStill so." * random.randrange(1, 9) if clear else VAGUE + " Please!" * random.randrange(9)
        title = CLEAR_TITLE if clear else VAGUE_TITLE
        if what == "open":
            self.expected[self.github.open_issue(REPOSITORY, title, body)] = not clear
        elif what == "edit":
            self.github.edit_issue(REPOSITORY, number, title=title, body=body)
            self.expected[number] = not clear
        else:
            self.github.comment(REPOSITORY, number, "/bouncer recheck")

    # The reckoning

    def redeliver(self) -> int:
        """Have GitHub send again what nobody acknowledged, as the reconcile loop asks it to."""
        again = [attempts[-1] for attempts in self.attempts().values() if not any(map(acknowledged, attempts))]
        for item in again:
            self.github.webhooks.redeliver(item.id)
        self.github.wait_for_webhooks(60)
        return len(again)

    def attempts(self) -> dict[str, list[SentDelivery]]:
        found: defaultdict[str, list[SentDelivery]] = defaultdict(list)
        for item in self.github.deliveries:
            found[item.guid].append(item)
        return dict(found)

    def settle(self, seconds: float = 120) -> None:
        """Everything was acknowledged, routed and run."""
        deadline = time.monotonic() + BUSY * seconds

        def done() -> bool:
            self.keep_alive()
            return self.inbox.depth() == 0 and self.unfinished() == 0

        while True:
            self.github.wait_for_webhooks(60)
            eventually(done, seconds=seconds)
            if not self.redeliver() and self.inbox.depth() == 0 and self.unfinished() == 0:
                return
            assert time.monotonic() < deadline, "it never settles"

    def still(self, stopped: int) -> bool:
        """Nothing moves but what stopped for ever: so many runs, and those that wait for their turn behind them."""
        runs = self._runs()
        with self.engine.connect() as connection:
            rows = connection.execute(sa.select(runs.c.status, runs.c.queue_partition_key)).all()
        running = [subject for status, subject in rows if status == "PENDING"]
        waiting = {subject for status, subject in rows if status == "ENQUEUED"}
        return self.inbox.depth() == 0 and len(running) == stopped and waiting <= set(running)

    def _runs(self) -> sa.TableClause:
        schema = None if self.engine.dialect.name == "sqlite" else "dbos"
        names = ("status", "queue_partition_key", "workflow_uuid", "executor_id", "delay_until_epoch_ms")
        return sa.table("workflow_status", *map(sa.column, names), schema=schema)

    def unfinished(self) -> int:
        table = self._runs()
        query = sa.select(sa.func.count()).select_from(table).where(table.c.status.in_(UNFINISHED))
        with self.engine.connect() as connection:
            return connection.execute(query).scalar_one()

    def failed_runs(self) -> list[str]:
        """Runs that ended in an error, or say so."""
        schema = None if self.engine.dialect.name == "sqlite" else "dbos"
        with self.engine.connect() as connection:

            def rows(table: str, what: str) -> list[tuple[str, str]]:
                found = sa.table(table, sa.column("workflow_uuid"), sa.column(what), schema=schema)
                return [(run, str(value)) for run, value in connection.execute(sa.select(found))]

            broken = [f"{run}: {status}" for run, status in rows("workflow_status", "status") if status != "SUCCESS"]
            said = [f"{run}: {outcome}" for run, outcome in rows("workflow_output", "output") if "failed" in outcome]
        return broken + said

    def taken(self) -> dict[str, str]:
        """Which worker has taken up which run."""
        runs = self._runs()
        with self.engine.connect() as connection:
            found = connection.execute(sa.select(runs.c.workflow_uuid, runs.c.executor_id)).all()
        return {run: worker for run, worker in found if worker}

    def toll(self) -> Toll:
        """Count, once everything has settled."""
        attempts = self.attempts()
        acked = [guid for guid, each in attempts.items() if any(map(acknowledged, each))]
        queued = [guid for guid in acked if any("queued" in item.answer for item in attempts[guid])]
        toll = Toll(len(attempts), len(acked), self.kills)
        toll.lost = sorted(set(queued) - self.inbox.claims_among(queued))
        for number, held in self.expected.items():
            issue = self.github.issue(REPOSITORY, number)
            writes = self.github.writes(REPOSITORY, number)
            posted = sum(
                call.took_effect and call.method == "POST" and call.path.endswith("/comments") for call in writes
            )
            if posted > 1 or sum(comment.by_bouncer for comment in issue.comments) > 1:
                toll.comments_twice.append(number)
            if labels_put_on(issue.history) > labels_taken_off(issue.history) + 1:
                toll.labels_twice.append(number)
            if (LABEL in issue.labels) != held:
                toll.wrong.append(number)
        return toll


def acknowledged(item: SentDelivery) -> bool:
    return 200 <= item.status_code < 300


def labels_put_on(history: tuple[str, ...]) -> int:
    return sum(event == "labeled" for event in history)


def labels_taken_off(history: tuple[str, ...]) -> int:
    return sum(event == "unlabeled" for event in history)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def storm(fleet: Fleet, random: Random, deliveries: int, kills: int) -> Toll:
    """People act while web and worker are killed `kills` times each, spread over the whole time."""
    fleet.open_for_business()
    moments = sorted(
        [(random.randrange(1, deliveries), "serve") for _ in range(kills)]
        + [(random.randrange(1, deliveries), "worker") for _ in range(kills)]
    )
    for done in range(deliveries):
        fleet.act(random)
        while moments and moments[0][0] <= done:
            command = moments.pop(0)[1]
            time.sleep(random.uniform(0.0, 0.3))  # anywhere within what is under way
            fleet.kill(command)
            fleet.start(command)
            if command == "serve":
                fleet.wait_for_web()
    while moments:
        command = moments.pop(0)[1]
        fleet.kill(command)
        fleet.start(command)
    fleet.wait_for_web()
    fleet.settle()
    return fleet.toll()
