"""Turns by name and shared commits: nobody has a turn beside another, and everybody gets their own answer."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

import pytest
from sqlalchemy.exc import DBAPIError

from bot.storage.database import SECONDS_TO_WAIT, Database
from bot.storage.named_locks import Turns
from bot.storage.shared_commits import Together
from tests.support.databases import Databases
from tests.support.waiting import eventually


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
            assert began.wait(300)
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


def test_everybody_gets_their_own_answer() -> None:
    sizes: list[int] = []

    def work(items: Sequence[int]) -> list[int]:
        sizes.append(len(items))
        return [item * 2 for item in items]

    together = Together(work)
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(together, range(500))) == [item * 2 for item in range(500)]
    assert sum(sizes) == 500


def test_who_comes_during_a_call_shares_the_next() -> None:
    entered, go_on = threading.Event(), threading.Event()
    batches: list[list[int]] = []

    def work(items: Sequence[int]) -> Sequence[int]:
        batches.append(list(items))
        entered.set()
        assert go_on.wait(300)
        return items

    together = Together(work)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(together, 0)
        assert entered.wait(300)
        others = [pool.submit(together, item) for item in range(1, 6)]
        eventually(lambda: len(together._waiting) == 5)
        go_on.set()
        assert [call.result(10) for call in (first, *others)] == list(range(6))
    assert batches[0] == [0]
    assert sorted(batches[1]) == [1, 2, 3, 4, 5]
    assert len(batches) == 2


@pytest.mark.parametrize("error", [ValueError("broken"), SystemExit(1)])
def test_a_batch_that_fails_fails_for_each_of_it_and_for_nobody_else(error: BaseException) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def work(items: Sequence[int]) -> Sequence[int]:
        if 0 in items:
            entered.set()
            assert go_on.wait(300)
        if -1 in items:
            raise error
        return items

    together = Together(work)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(together, 0)
        assert entered.wait(300)
        doomed = [pool.submit(together, item) for item in (-1, 1, 2)]
        eventually(lambda: len(together._waiting) == 3)
        go_on.set()
        assert first.result(10) == 0
        assert [call.exception(10) for call in doomed] == [error] * 3
        assert together(7) == 7


def test_an_answer_too_few_is_an_error_not_a_guess() -> None:
    together: Together[int, int] = Together(lambda items: [])
    with pytest.raises(ValueError, match="zip"):
        together(1)
