"""Turns by name: nobody has one beside another, in another process neither, and whoever has it may ask again."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

import pytest
from sqlalchemy.exc import DBAPIError

from bot.storage.database import SECONDS_TO_WAIT, Database
from bot.storage.named_locks import Turns
from tests.support.databases import Databases


@pytest.fixture
def workers(postgres_databases: Databases) -> Iterator[tuple[Database, Database]]:
    """Two on one database."""
    url = postgres_databases.migrated()
    with ExitStack() as opened:
        one, two = Database.open(url), Database.open(url)
        opened.callback(one.close)
        opened.callback(two.close)
        yield one, two


def _in_turn(one: Turns, two: Turns) -> None:
    told: list[str] = []
    began = Event()

    def other() -> None:
        began.set()
        with two.turn("a"):
            told.append("second")

    with ThreadPoolExecutor(1) as pool:
        with one.turn("a"), one.turn("a"):
            later = pool.submit(other)
            assert began.wait(10)
            with one.turn("a"):
                told.append("first")
            assert not later.done()
        later.result(10)
    assert told == ["first", "second"]


def test_one_at_a_time(database: Database) -> None:
    turns = Turns(database)
    _in_turn(turns, turns)


def test_one_at_a_time_over_two_workers(workers: tuple[Database, Database]) -> None:
    _in_turn(*map(Turns, workers))


def test_a_turn_that_nobody_gives_back_is_taken(
    workers: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.storage.named_locks.PATIENCE", 10)
    one, two = map(Turns, workers)
    with one.turn("a"):
        with two.turn("a"):
            pass
        with workers[1].main.connect() as same:
            assert same.exec_driver_sql("SHOW lock_timeout").scalar() == f"{SECONDS_TO_WAIT}s", "of all that wait"
        with two.turn("a"):
            pass


def test_a_turn_ends_with_what_failed_and_with_its_session(workers: tuple[Database, Database]) -> None:
    one, two = map(Turns, workers)
    with pytest.raises(ValueError, match="broken"), one.turn("a"):
        raise ValueError("broken")
    with workers[1].main.connect() as killer, one.turn("a"):
        killer.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid < 64"
        )
        with two.turn("a"):  # the session is gone, and the lock with it
            pass
    with one.turn("a"), pytest.raises(DBAPIError), workers[0].main.connect() as plain:
        plain.exec_driver_sql("SELECT nothing")
    with two.turn("a"):
        pass
