"""The database goes away under web and worker: restarted, read-only, slow. Deliveries get 503 and come back."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Thread

import psycopg
import pytest
import requests

from tests.crash.fleet import Fleet
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH
from tests.support.postgres import Server, ServerProcess, server_to_stop
from tests.support.waiting import eventually

pytestmark = pytest.mark.crash

ACTS = 6
SECONDS_LOCKED = 12 if EVERY_DEATH else 1  # longer than anybody is patient


@pytest.fixture(scope="module")
def own_server() -> Iterator[tuple[Server, ServerProcess]]:
    with server_to_stop() as (server, process):
        process.start()
        yield server, process


@pytest.fixture
def fleet(own_server: tuple[Server, ServerProcess], tmp_path: Path) -> Iterator[Fleet]:
    with Fleet(own_server[0].create(), tmp_path) as fleet:
        fleet.open_for_business()
        act(fleet, Random(6))
        fleet.settle()
        yield fleet


def act(fleet: Fleet, random: Random) -> None:
    for _ in range(ACTS):
        fleet.act(random)
    fleet.github.wait_for_webhooks(120)


def refused(fleet: Fleet) -> bool:
    return any(item.status_code == 503 for item in fleet.github.deliveries)


def status(fleet: Fleet, path: str) -> int:
    return requests.get(f"http://127.0.0.1:{fleet.port}{path}", timeout=120).status_code


def all_is_well_in_the_end(fleet: Fleet) -> None:
    """Whoever started the worker starts it again when it ends, as `bouncer run` does."""
    fleet.keep_alive()
    fleet.settle(180)
    toll = fleet.toll()
    assert toll.clean(), toll
    told = "".join(log.read_text() for log in fleet.directory.glob("*.log"))
    assert not re.findall(r"Traceback.*?\n(?=\d{4}-)", told, re.DOTALL)


@pytest.mark.parametrize("how", [signal.SIGQUIT, *([signal.SIGINT] if EVERY_DEATH else [])], ids=lambda how: how.name)
def test_a_database_that_restarts(fleet: Fleet, own_server: tuple[Server, ServerProcess], how: signal.Signals) -> None:
    random = Random(7)
    act(fleet, random)
    own_server[1].stop(how)
    act(fleet, random)
    assert refused(fleet)
    assert (status(fleet, "/readyz"), status(fleet, "/"), status(fleet, "/healthz")) == (503, 503, 200)
    own_server[1].start()
    act(fleet, random)
    all_is_well_in_the_end(fleet)


def test_a_database_that_may_not_be_written(fleet: Fleet, own_server: tuple[Server, ServerProcess]) -> None:
    """As after a failover to a standby, in the middle of runs."""
    server, random = own_server[0], Random(7)
    gather(fleet, random)
    server.execute("ALTER SYSTEM SET default_transaction_read_only = on")
    server.execute("SELECT pg_reload_conf()")
    act(fleet, random)
    assert refused(fleet)
    assert (status(fleet, "/readyz"), status(fleet, "/"), status(fleet, "/healthz")) == (503, 503, 200)
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("ALTER SYSTEM RESET default_transaction_read_only")
        connection.execute("SELECT pg_reload_conf()")
    act(fleet, random)
    all_is_well_in_the_end(fleet)


def gather(fleet: Fleet, random: Random) -> None:
    """Some runs are in the middle of a call to GitHub."""
    fleet.github.slow_down(0.5, 4, route="/issues/{issue_number}/comments")
    asked = len(fleet.github.traffic.exchanges)
    for _ in range(ACTS):
        fleet.act(random)
    eventually(lambda: len(fleet.github.traffic.exchanges) > asked, seconds=60)


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_a_database_that_is_locked_for_seconds(database_url: str, tmp_path: Path) -> None:
    """By another program, in the middle of the inbox; whoever waits too long is told to come again."""
    random = Random(7)
    with Fleet(database_url, tmp_path) as fleet:
        fleet.open_for_business()
        with locked(fleet):
            acts = Thread(target=act, args=(fleet, random))
            acts.start()
            acts.join(SECONDS_LOCKED)
        acts.join()
        all_is_well_in_the_end(fleet)
        assert refused(fleet) is EVERY_DEATH


@contextmanager
def locked(fleet: Fleet) -> Iterator[None]:
    with fleet.database.inbox.connect() as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN EXCLUSIVE")
        else:
            connection.exec_driver_sql("LOCK TABLE inbox IN ACCESS EXCLUSIVE MODE")
        yield
        connection.rollback()
