"""Wait for a condition, never for a time."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(probe: Callable[[], T], seconds: float = 60.0, every: float = 0.01) -> T:
    """The first truthy answer of `probe`; fails when none comes in time.

    every: seconds between the first two questions. It is asked ever more seldom, down to ten times a second: what takes
    long is not to be kept from its work.
    """
    deadline = time.monotonic() + seconds
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"still {answer!r} after {seconds} seconds: {getattr(probe, '__name__', probe)}")
        time.sleep(every)
        every = min(1.2 * every, max(every, 0.1))
