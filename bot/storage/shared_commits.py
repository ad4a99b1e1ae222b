"""Many threads, few transactions: whoever comes while one is being committed shares the next.

A commit that reaches the disk takes milliseconds whatever it holds, and SQLite lets one writer in at a time; without
this, eight threads queue up eight commits, and SQLite's own waiting (sleep and try again) is neither fair nor fast.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


class Together(Generic[In, Out]):
    """Call it with one item from any thread; `work` gets all that wait, one call at a time, and answers in order.

    When `work` fails, everybody in that batch gets its exception.
    """

    def __init__(self, work: Callable[[Sequence[In]], Sequence[Out]]) -> None:
        self._work = work
        self._gate = threading.Lock()
        self._turn = threading.Lock()
        self._waiting: list[tuple[In, Future[Out]]] = []

    def __call__(self, item: In) -> Out:
        answer = Future[Out]()
        with self._gate:
            self._waiting.append((item, answer))
        with self._turn:
            if not answer.done():  # nobody took it along while this thread waited for its turn
                self._lead()
        return answer.result()

    def _lead(self) -> None:
        with self._gate:
            batch, self._waiting = self._waiting, []
        try:
            results = self._work([item for item, _ in batch])
            for (_, answer), result in [*zip(batch, results, strict=True)]:
                answer.set_result(result)
        except BaseException as error:  # noqa: BLE001 - whatever it is, each of the batch must hear of it
            for _, answer in batch:
                answer.set_exception(error)
