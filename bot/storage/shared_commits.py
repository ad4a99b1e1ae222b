"""Many threads, few transactions: whoever comes while one is being committed shares the next.

A commit that reaches the disk takes milliseconds whatever it holds, and SQLite lets one writer in at a time; without
this, eight threads queue up eight commits, and SQLite's own waiting (sleep and try again) is neither fair nor fast.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


class _Ticket(Generic[In, Out]):
    def __init__(self, item: In) -> None:
        self.item = item
        self.result: Out
        self.error: BaseException | None = None
        self.done = False


class Together(Generic[In, Out]):
    """Call it with one item from any thread; `work` gets all that wait, one call at a time, and answers in order.

    When `work` fails, everybody in that batch gets its exception.
    """

    def __init__(self, work: Callable[[Sequence[In]], Sequence[Out]]) -> None:
        self._work = work
        self._gate = threading.Lock()
        self._turn = threading.Lock()
        self._waiting: list[_Ticket[In, Out]] = []

    def __call__(self, item: In) -> Out:
        ticket = _Ticket[In, Out](item)
        with self._gate:
            self._waiting.append(ticket)
        with self._turn:
            if not ticket.done:  # nobody took it along while this thread waited for its turn
                self._lead()
        if ticket.error is not None:
            raise ticket.error
        return ticket.result

    def _lead(self) -> None:
        with self._gate:
            batch, self._waiting = self._waiting, []
        try:
            for ticket, result in zip(batch, self._work([ticket.item for ticket in batch]), strict=True):
                ticket.result = result
        except BaseException as error:  # noqa: BLE001 - whatever it is, each of the batch must hear of it
            for ticket in batch:
                ticket.error = error
        for ticket in batch:
            ticket.done = True
