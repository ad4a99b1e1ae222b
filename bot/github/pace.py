"""When one installation may call: writes a little apart, nothing at all while GitHub asks for patience.

Each installation has its own `Pace`, so waiting for one never holds up another's calls. A wait longer than `patience`
is not slept through here: it raises `RateLimited`, so that a workflow can sleep durably and leave its thread to others.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.github.errors import RateLimited


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as three functions, so that hours pass in a test at once. All in seconds."""

    wall: Callable[[], float] = time.time
    ticks: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Pace:
    """Thread-safe. gap: the least seconds between two writes. patience: the most seconds one call may wait here."""

    def __init__(self, gap: float, patience: float, clock: Clock) -> None:
        self._gap = gap
        self._patience = patience
        self._clock = clock
        self._lock = threading.Lock()
        self._next_write = clock.ticks()
        self._blocked_until = clock.ticks()

    def wait_for_turn(self, *, write: bool) -> None:
        """Reserve the next free moment, then sleep until it comes. Raises `RateLimited` when that takes too long."""
        with self._lock:
            now = self._clock.ticks()
            start = max(now, self._blocked_until, self._next_write if write else now)
            wait = start - now
            if wait > self._patience:
                raise RateLimited(f"GitHub asks for patience: {wait:.0f} more seconds", 0, wait)
            if write:
                self._next_write = start + self._gap
        if wait > 0:
            self._clock.sleep(wait)

    def block(self, seconds: float) -> None:
        """No call before so many seconds from now."""
        with self._lock:
            self._blocked_until = max(self._blocked_until, self._clock.ticks() + seconds)
