"""Wait for a condition, never for a time."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
BUSY = 5  # times slower than a machine of one's own: what others run beside it may take most of it


def eventually(probe: Callable[[], T], seconds: float = 60.0, every: float = 0.01) -> T:
    """The first truthy answer of `probe`; fails when none comes in time.

    seconds: of a machine of one's own; a busy one has several times as many. every: seconds between the first two
    questions. It is asked ever more seldom, down to ten times a second: what takes long is not to be kept from its
    work.
    """
    deadline = time.monotonic() + seconds * BUSY
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > deadline:
            name = getattr(probe, "__name__", probe)
            raise AssertionError(f"still {answer!r} after {seconds * BUSY} seconds: {name}")
        time.sleep(every)
        every = min(1.2 * every, max(every, 0.1))
