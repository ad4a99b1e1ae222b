"""Faults at random under real processes: web, worker and database, GitHub's answers, the model, lost deliveries, clock.

What is drawn comes from one seed: the same seed and number of rounds draw the same. Which moment of a run a fault meets
differs. `python -m lab.benchmarks.chaos` prints the figures, `tests/crash/test_burst.py` runs a slice.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from bot.github.deliveries import Delivery
from bot.github.events import read
from bot.rendering.gate import NAME
from bot.workflows.durable.step import PATIENCE
from tests.crash.fleet import POLICY, REPOSITORY, Fleet, Toll
from tests.support.postgres import ServerProcess
from tests.support.waiting import eventually
from tests.workflows.test_faults import LIMIT

AGENT = "copilot-swe-agent[bot]"
COPIES = 100
LONGEST_AHEAD = timedelta(
    days=4
)  # the web process lives by the machine's clock, and deliveries are kept for seven days
REFUSALS: dict[str, Mapping[str, object]] = {
    "401": {"status": 401},
    "403 with Retry-After": {"status": 403, "message": LIMIT, "headers": {"retry-after": "1"}},
    "403 without": {"status": 403, "message": "Resource not accessible by integration"},
    "404 for the installation": {"status": 404, "route": "/access_tokens"},
    "422": {"status": 422},
    "500": {"status": 500},
    "502 after the work": {"status": 502, "after_effect": True},
}


@dataclass
class Damage:
    """injected: how many faults of each kind. What the toll lists has to be empty, and so `hanging`."""

    injected: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    toll: Toll = field(default_factory=Toll)
    hanging: list[str] = field(default_factory=list)

    def clean(self) -> bool:
        return self.toll.clean() and not self.hanging


class Chaos:
    """One repository, its people, and what goes wrong around it. database: a server that may be stopped; none on
    SQLite, which is locked instead."""

    def __init__(self, fleet: Fleet, random: Random, database: ServerProcess | None = None) -> None:
        self.fleet, self.random, self.database = fleet, random, database
        self.damage = Damage()
        self.deck = random.sample(list(FAULTS), len(FAULTS))
        self.pulls: list[int] = []
        self.log_was_read = fleet.clock.ahead
        fleet.github.access.limit = 10**9  # many hours pass in one: what GitHub allows in an hour would end in all
        fleet.github.push(REPOSITORY, {".github/bouncer.yml": f"mode: enforce\n{POLICY}"})
        fleet.start("serve")
        fleet.start_quick_worker()
        fleet.wait_for_web()
        fleet.github.app.webhook_url = f"http://127.0.0.1:{fleet.port}/webhook"
        fleet.github.install("acme", [REPOSITORY])
        fleet.github.wait_for_webhooks()
        self.installed = fleet.clock.ahead
        eventually((fleet.directory / "kept").exists, seconds=60)

    def live(self, enough: Callable[[Damage], bool]) -> Damage:
        """Rounds of acts and faults until there are enough; then nothing goes wrong any more, and all is counted."""
        while not enough(self.damage):
            for _ in range(self.random.randint(1, 3)):
                self.act()
            for _ in range(self.random.randint(1, 4)):
                self.strike()
            self.fleet.keep_alive()
            self.read_the_log()
            self.damage.rounds += 1
        self.settle()
        return self.reckon()

    def read_the_log(self) -> None:
        """GitHub keeps its log for three days, which pass here within a minute: once in each of them the worker is let
        alone for long enough to read it. Whoever is kept from that for three days loses what the log held."""
        if self.fleet.clock.ahead - self.log_was_read > timedelta(days=1):
            self.calm()
            self.look_through(3 * 3600)
            self.log_was_read = self.fleet.clock.ahead

    # People

    def act(self) -> None:
        what = self.random.choices([self.on_issues, self.propose, self.push], [6, 1, 1])
        what[0]()

    def on_issues(self) -> None:
        self.fleet.act(self.random)

    def propose(self) -> None:
        change = {f"part{len(self.pulls)}.py": "x = 1\n"}
        self.pulls.append(self.fleet.github.open_pull(REPOSITORY, "Add a part", change, by=AGENT))

    def push(self) -> None:
        if self.pulls:
            number = self.random.choice(self.pulls)
            change = {f"part{self.pulls.index(number)}.py": f"x = {self.random.randrange(10**9)}\n"}
            self.fleet.github.push_to_pull(REPOSITORY, number, change, by=AGENT)

    # What goes wrong

    def strike(self) -> None:
        """One fault, of a kind that is drawn: first each once, then those that cost seconds seldom."""
        kinds = list(FAULTS)
        kind = self.deck.pop() if self.deck else self.random.choices(kinds, [FAULTS[each][0] for each in kinds])[0]
        FAULTS[kind][1](self)
        self.damage.injected[kind] += 1

    def refuse(self) -> None:
        """GitHub answers the next calls so."""
        given = REFUSALS[self.random.choice(list(REFUSALS))]
        self.fleet.github.fail(times=self.random.randint(1, 4), **given)  # type: ignore[arg-type]

    def halve(self) -> None:
        self.fleet.github.halve(self.random.choice(["cut", "chunk", "text"]), self.random.randint(1, 4))

    def drop(self) -> None:
        self.fleet.github.drop(self.random.randint(1, 4), after_effect=self.random.random() < 0.5)

    def an_hour_of_it(self) -> None:
        """GitHub answers everything so for an hour, in which people go on, and the worker may be killed."""
        given = REFUSALS[self.random.choice(list(REFUSALS))]
        self.fleet.github.fail(times=10**6, **given)  # type: ignore[arg-type]
        for _ in range(3):
            self.act()
            if self.random.random() < 0.3:
                self.kill("worker")
            self.hours(1 / 3)
            self.fleet.keep_alive()
        self.fleet.github.traffic.clear()

    def an_hour_without_a_model(self) -> None:
        away = self.fleet.directory / "away"
        away.touch()
        for _ in range(3):
            self.act()
            self.hours(1 / 3)
        away.unlink()

    def kill(self, command: str) -> None:
        self.fleet.kill(command)
        self.fleet.start_again(command)

    def lose(self) -> None:
        self.fleet.github.lose_webhooks(self.random.randint(1, 5))

    def repeat(self) -> None:
        """The last delivery comes a hundred times more, under the same number."""
        if sent := [item for item in self.fleet.github.deliveries if item.status_code]:
            for _ in range(COPIES):
                self.fleet.github.webhooks.duplicate(sent[-1].id)

    def hours(self, hours: float) -> None:
        if self.fleet.clock.ahead < LONGEST_AHEAD:
            self.fleet.pass_time(hours=hours)

    def back(self) -> None:
        """GitHub's clock goes with it, so not to before the installation: what is older than that is left alone."""
        most = (self.fleet.clock.ahead - self.installed).total_seconds() / 60
        self.fleet.pass_time(minutes=-min(self.random.uniform(1, 90), most))

    def without_database(self) -> None:
        """Its server ends and comes back; SQLite's file is locked for a while."""
        if self.database is not None:
            self.database.stop()
            self.act()
            if self.random.random() < 0.3:
                self.kill("worker")
            self.database.start()
            if self.random.random() < 0.3:
                self.kill("worker")  # in the middle of taking up what it had
            return
        with self.fleet.database.main.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            self.act()
            time.sleep(self.random.uniform(0.1, 1.0))
            connection.rollback()

    # The end

    def settle(self) -> None:
        """Nothing goes wrong any more; hours pass, until everybody who waits has come back."""
        self.calm()
        for wait in (60, *PATIENCE, *[7 * 3600] * 4):
            self.look_through(wait)
        eventually(lambda: self._alive() and self.fleet.unfinished() == 0, seconds=60)

    def calm(self) -> None:
        self.fleet.github.traffic.clear()
        self.fleet.github.webhooks.lose_next = 0

    def look_through(self, wait: float) -> None:
        """After so many seconds what was asked for again has come, and its runs are through."""
        self.fleet.pass_time(seconds=wait + 1)
        kept = self.fleet.directory / "kept"
        for _ in range(2):
            kept.unlink(missing_ok=True)
            eventually(lambda: self._alive() and kept.exists(), seconds=600)
            self.fleet.github.wait_for_webhooks(300)
            eventually(lambda: self._alive() and self.fleet.still(0), seconds=600)

    def _alive(self) -> bool:
        self.fleet.keep_alive()
        return True

    def reckon(self) -> Damage:
        """Count what is wrong, once all has settled."""
        found, github = self.damage, self.fleet.github
        found.toll = self.fleet.toll()
        sent = {item.guid for item in github.deliveries if isinstance(read(item.event, item.payload), Delivery)}
        found.toll.lost = sorted(sent - self.fleet.inbox.claims_among(sent))  # also what never arrived
        for number in self.pulls:
            pull = github.repo(REPOSITORY).issues[number].pull
            head = pull.head if pull else ""
            runs = [run for run in github.checks(REPOSITORY) if run.name == NAME]
            ended = [run.conclusion for run in runs if run.head_sha == head]
            if ended != ["success"]:
                found.hanging.append(f"#{number}: {ended}")
            if len({run.head_sha for run in runs}) != len(runs):
                found.toll.labels_twice.append(number)
        unfinished = (run for run in github.checks(REPOSITORY) if run.status != "completed")
        found.hanging += [f"{run.head_sha}: {run.title}" for run in unfinished]
        return found


# How often each is drawn once all were, and what it does.
FAULTS: dict[str, tuple[float, Callable[[Chaos], None]]] = {
    "GitHub refuses": (8, Chaos.refuse),
    "half an answer": (6, Chaos.halve),
    "dropped": (4, Chaos.drop),
    "an hour without GitHub": (0.7, Chaos.an_hour_of_it),
    "an hour without a model": (0.5, Chaos.an_hour_without_a_model),
    "worker killed": (2, lambda chaos: chaos.kill("worker")),
    "web killed": (1, lambda chaos: chaos.kill("serve")),
    "deliveries lost": (4, Chaos.lose),
    "a hundred copies": (0.5, Chaos.repeat),
    "hours pass": (1, lambda chaos: chaos.hours(chaos.random.uniform(0.1, 3))),
    "the clock goes back": (1.5, Chaos.back),
    "tokens end": (2, lambda chaos: chaos.fleet.github.expire_tokens()),
    "no database": (0.7, Chaos.without_database),
}
