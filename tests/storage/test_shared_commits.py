"""Sharing a commit: everybody gets their own answer, and nobody waits for a batch that failed."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.storage.shared_commits import Together
from tests.support.waiting import eventually


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
        assert go_on.wait(10)
        return items

    together = Together(work)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(together, 0)
        assert entered.wait(10)
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
            assert go_on.wait(10)
        if -1 in items:
            raise error
        return items

    together = Together(work)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(together, 0)
        assert entered.wait(10)
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
