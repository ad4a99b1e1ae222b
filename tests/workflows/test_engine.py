"""The engine on toy workflows: what `bot/workflows/durable/engine.py` promises, on SQLite and on PostgreSQL."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from bot.storage.database import Database
from bot.verdicts import Item
from bot.workflows.durable.engine import MOST_ATTEMPTS, SUSPICIOUS, Engine
from bot.workflows.durable.step import current_run, step
from tests.support.databases import BOTH, Databases
from tests.support.runs import count_unfinished, outcome
from tests.support.waiting import eventually


class Toys:
    """One running engine for many tests: `submit` runs any function under a subject of its own."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.functions: dict[str, Callable[[str], str]] = {}
        workflows = {"toy": self.run, "long": self.run}
        self.engine = Engine(url, workflows, threads=3, poll_seconds=0.1, long=frozenset({"long"}))

    def run(self, argument: str) -> str:
        name, _, rest = argument.partition(" ")
        return self.functions[name](rest)

    def submit(self, function: Callable[[str], str], run_id: str, argument: str = "", *, workflow: str = "toy") -> None:
        name = str(id(function))
        self.functions[name] = function
        self.engine.submit(workflow, run_id, run_id.partition(":")[0], f"{name} {argument}")

    def outcome(self, run_id: str) -> str:
        return eventually(lambda: outcome(run_id)) or ""


@pytest.fixture(scope="module", params=BOTH)
def toys(request: pytest.FixtureRequest) -> Iterator[Toys]:
    databases: Databases = request.getfixturevalue(f"{request.param}_databases")
    toys = Toys(Database.open(databases.empty()).engine_url)
    toys.engine.start()
    yield toys
    toys.engine.stop()


def test_one_id_runs_once(toys: Toys) -> None:
    calls: list[str] = []

    def run(argument: str) -> str:
        calls.append(argument)
        return f"ran {argument}"

    toys.submit(run, "once:1", "x")
    toys.submit(run, "once:1", "x")
    assert toys.outcome("once:1") == "ran x"
    toys.submit(run, "once:1", "x")
    toys.submit(run, "once:2", "y")
    assert toys.outcome("once:2") == "ran y"
    assert calls == ["x", "y"]


def test_runs_of_one_subject_do_not_overlap_and_keep_their_order(toys: Toys) -> None:
    began: list[str] = []
    inside = threading.Lock()

    def run(argument: str) -> str:
        assert inside.acquire(blocking=False), "two runs of one subject at once"
        began.append(argument)
        time.sleep(0.01)
        inside.release()
        return "done"

    for number in range(8):
        toys.submit(run, f"order:{number:03}", str(number))
    assert {toys.outcome(f"order:{number:03}") for number in range(8)} == {"done"}
    assert began == [str(number) for number in range(8)]


def test_the_run_that_waits_longest_for_its_turn_is_known(toys: Toys) -> None:
    """One that runs waits no more."""
    assert toys.engine.oldest_waiting() is None
    go_on, runs = threading.Event(), threading.Event()

    def run(argument: str) -> str:
        runs.set()
        go_on.wait(60)
        return "done"

    try:
        for number in range(3):
            toys.submit(run, f"waits:{number}")
            assert runs.wait(300)
        now = datetime.now(UTC).replace(microsecond=0)
        with rows(toys) as (connection, table):
            for number, hours in enumerate((3, 2, 1)):
                since = now - timedelta(hours=hours)
                one = table.update().where(table.c.workflow_uuid == f"waits:{number}")
                connection.execute(one.values(created_at=int(since.timestamp() * 1000)))
        assert toys.engine.oldest_waiting() == now - timedelta(hours=2)
    finally:
        go_on.set()
    toys.outcome("waits:2")
    assert toys.engine.oldest_waiting() is None


def test_subjects_run_side_by_side_up_to_the_number_of_threads(toys: Toys) -> None:
    together = threading.Barrier(3, timeout=10)
    running: list[str] = []
    most: list[int] = []

    def run(argument: str) -> str:
        running.append(argument)
        most.append(len(running))
        together.wait()
        running.remove(argument)
        return "done"

    for number in range(6):
        toys.submit(run, f"side{number}:1", str(number))
    assert {toys.outcome(f"side{number}:1") for number in range(6)} == {"done"}
    assert max(most) == 3


def test_long_runs_keep_no_short_one_waiting(toys: Toys) -> None:
    """More of them than there are threads; none ends before the short one has."""
    release, began = threading.Event(), threading.Semaphore(0)

    def long(argument: str) -> str:
        began.release()
        release.wait(60)
        return "long"

    for number in range(5):
        toys.submit(long, f"long{number}:1", workflow="long")
    assert all(began.acquire(timeout=30) for _ in range(3))
    toys.submit(lambda argument: "short", "short:1")
    assert toys.outcome("short:1") == "short"
    assert not any(outcome(f"long{number}:1") for number in range(5))
    release.set()
    assert {toys.outcome(f"long{number}:1") for number in range(5)} == {"long"}


def test_a_failed_run_ends_and_does_not_block_its_subject(toys: Toys, caplog: pytest.LogCaptureFixture) -> None:
    def bad(argument: str) -> str:
        raise ValueError("broken")

    toys.submit(bad, "fail:1")
    toys.submit(lambda argument: "fine", "fail:2")
    assert toys.outcome("fail:2") == "fine"
    assert toys.outcome("fail:1") == "failed"
    assert "Workflow toy failed" in caplog.text


@dataclass(frozen=True)
class Found:
    items: tuple[Item, ...]
    weights: dict[Item, float]
    when: datetime


def test_a_step_gives_back_the_very_value_it_stored(toys: Toys) -> None:
    value = Found((Item.STEPS, Item.ERROR), {Item.GOAL: 0.5}, datetime(2026, 1, 2, tzinfo=UTC))
    seen: list[Found] = []

    def run(argument: str) -> str:
        seen.append(step("find", Found, lambda: value))
        return "done"

    toys.submit(run, "value:1")
    assert toys.outcome("value:1") == "done"
    assert seen == [value]
    assert step("find", Found, lambda: value) == value, "outside a workflow it just runs"


def test_a_step_waits_for_a_database_that_is_away_and_for_nothing_else(toys: Toys) -> None:
    tries: list[str] = []

    def away_once() -> str:
        tries.append("database")
        if len(tries) == 1:
            raise sa.exc.OperationalError("SELECT 1", {}, Exception("the server is gone"))
        return "back"

    def broken() -> str:
        tries.append("broken")
        raise ValueError("not the database")

    toys.submit(lambda argument: step("read", str, away_once), "away:1")
    assert toys.outcome("away:1") == "back"
    toys.submit(lambda argument: step("read", str, broken), "away:2")
    assert toys.outcome("away:2") == "failed"
    assert tries == ["database", "database", "broken"]


def test_only_json_is_stored(toys: Toys) -> None:
    toys.submit(lambda argument: str(step("say", str, lambda: "hello")), "json:1", "argument")
    assert toys.outcome("json:1") == "hello"
    tables = sa.MetaData(schema=None if toys.url.startswith("sqlite") else "dbos")
    with sa.create_engine(toys.url).connect() as connection:
        tables.reflect(connection)
        named = {table.name: table for table in tables.tables.values()}
        kinds = {
            row.serialization
            for name in ("workflow_status", "operation_outputs")
            for row in connection.execute(sa.select(named[name]))
        }
    assert kinds == {"portable_json"}


@contextmanager
def rows(toys: Toys) -> Iterator[tuple[sa.Connection, sa.TableClause]]:
    """What dbos keeps of runs."""
    schema = None if toys.url.startswith("sqlite") else "dbos"
    document = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    names = ("workflow_uuid", "recovery_attempts", "created_at")
    columns = (*map(sa.column, names), sa.column("attributes", document))
    engine = sa.create_engine(toys.url)
    with engine.begin() as connection:
        yield connection, sa.table("workflow_status", *columns, schema=schema)
    engine.dispose()


def taken(toys: Toys, run: Callable[[str], str], run_id: str, times: int, begun_again: int = 0) -> None:
    """Have it run as after so many deaths of its worker."""
    toys.functions[str(id(run))] = run
    toys.engine.submit("toy", run_id, run_id.partition(":")[0], f"{id(run)} ", delay=3600)
    with rows(toys) as (connection, table):
        change = table.update().where(table.c.workflow_uuid == run_id)
        connection.execute(change.values(recovery_attempts=times, attributes={"begun again": begun_again}))
    toys.engine.hurry(timedelta(0))


def test_a_run_that_only_waited_at_its_workers_deaths_is_no_killer(toys: Toys) -> None:
    """dbos counts each time that it was taken from the queue."""
    taken(toys, lambda argument: "done", "ahead:1", 500)
    assert toys.outcome("ahead:1") == "done"


def test_a_run_that_was_under_way_at_its_workers_deaths_is_left_alone(
    toys: Toys, caplog: pytest.LogCaptureFixture
) -> None:
    began: list[str] = []

    def run(argument: str) -> str:
        began.append(current_run())
        return "done"

    taken(toys, run, "killer:1", 99, MOST_ATTEMPTS - 1)
    taken(toys, run, "killer:2", 99, MOST_ATTEMPTS)
    assert (toys.outcome("killer:1"), toys.outcome("killer:2")) == ("done", "failed")
    assert began == ["killer:1"]
    assert f"is left alone, it was under way at {MOST_ATTEMPTS} deaths of its worker: killer:2" in caplog.text


def test_what_was_under_way_at_deaths_is_counted_and_then_runs_alone(toys: Toys) -> None:
    """So the death of the worker can be laid at the door of one."""
    inside, counted = threading.Lock(), list[object]()

    def run(argument: str) -> str:
        assert inside.acquire(blocking=False), "two suspected runs at once"
        with rows(toys) as (connection, table):
            query = sa.select(table.c.attributes).where(table.c.workflow_uuid == current_run())
            counted.append(connection.execute(query).scalar_one())
        inside.release()
        return "done"

    for number in range(6):
        taken(toys, run, f"beside{number}:1", 5, SUSPICIOUS)
    assert {toys.outcome(f"beside{number}:1") for number in range(6)} == {"done"}
    assert counted == [{"begun again": SUSPICIOUS + 1}] * 6


def test_one_that_hangs_keeps_no_other_suspected_run_waiting_for_ever(
    toys: Toys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.workflows.durable.engine.ALONE", 0.05)
    inside, hold = threading.Event(), threading.Event()

    def hang(argument: str) -> str:
        inside.set()
        hold.wait(60)
        return "held"

    taken(toys, hang, "hangs:1", 99, SUSPICIOUS)
    assert inside.wait(300)
    taken(toys, lambda argument: "done", "behind:1", 99, SUSPICIOUS)
    assert toys.outcome("behind:1") == "done"
    hold.set()
    assert toys.outcome("hangs:1") == "held"


def test_a_run_knows_its_id(toys: Toys) -> None:
    toys.submit(lambda argument: current_run(), "name:1")
    assert toys.outcome("name:1") == "name:1"
    assert current_run() == ""


def test_pruning_forgets_old_finished_runs_only(toys: Toys) -> None:
    release = threading.Event()

    def wait(argument: str) -> str:
        release.wait(20)
        return "done"

    toys.submit(lambda argument: "done", "prune:1")
    toys.submit(wait, "pruned:1")
    assert toys.outcome("prune:1") == "done"
    now = datetime.now(UTC)
    assert toys.engine.prune(now - timedelta(days=8)) == 0
    assert toys.engine.prune(now + timedelta(days=8)) >= 1
    assert outcome("prune:1") is None
    assert count_unfinished() == 1
    release.set()
    assert toys.outcome("pruned:1") == "done"
