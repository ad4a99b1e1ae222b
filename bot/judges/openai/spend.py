"""The spend ceiling: money is reserved before a call at its worst cost and settled at its real cost after it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Protocol

from bot.verdicts import Usage


class Spend(Protocol):
    """Where money spent on models is kept, for all processes of a server. The ledger in storage is one."""

    def spent_today(self) -> float:
        """Money spent this UTC day, by every process."""
        ...

    def record(self, usage: Usage, judge: str) -> None:
        """Keep what one call cost, durably."""
        ...


class MemorySpend:
    """For one process that keeps no ledger: the command line and benchmarks."""

    def __init__(self, today: Callable[[], date] = lambda: datetime.now(UTC).date()) -> None:
        self._today = today
        self._lock = threading.Lock()
        self._spent: dict[date, float] = {}
        self._used = Usage()

    @property
    def used(self) -> Usage:
        """All calls so far."""
        with self._lock:
            return self._used

    def spent_today(self) -> float:
        with self._lock:
            return self._spent.get(self._today(), 0.0)

    def record(self, usage: Usage, judge: str) -> None:
        with self._lock:
            self._spent[self._today()] = self._spent.get(self._today(), 0.0) + usage.money
            self._used += usage


class CeilingReached(Exception):
    """The call could cost more than is left today. The message is fit for maintainers.

    tomorrow: it would not fit even when the calls under way end, so nothing changes before the next UTC day.
    """

    def __init__(self, message: str, *, tomorrow: bool) -> None:
        super().__init__(message)
        self.tomorrow = tomorrow


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens."""

    tokens_in: float
    tokens_out: float

    @property
    def known(self) -> bool:
        """Whether any price was given at all."""
        return bool(self.tokens_in or self.tokens_out)

    def usage(self, tokens_in: int, tokens_out: int) -> Usage:
        """One call's usage."""
        money = (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000
        return Usage(1, tokens_in, tokens_out, money)


@dataclass(slots=True)
class Charge:
    """What a call turned out to cost. Until somebody says otherwise it cost nothing."""

    usage: Usage = field(default_factory=Usage)


class InFlight:
    """Money reserved by calls that have not ended yet."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.money = 0.0


PROCESS = InFlight()


class Purse:
    """Lets a call happen only when its worst cost fits under the day's ceiling. Safe for threads.

    Threads of one process never overshoot together, whatever number of judges they use: what is in flight counts as
    spent. Processes see each other only in the ledger, so several of them may overshoot the ceiling by one call's worst
    cost for each thread of the others.
    """

    def __init__(self, spend: Spend, ceiling: float, judge: str, in_flight: InFlight = PROCESS) -> None:
        self._spend = spend
        self._ceiling = ceiling
        self._judge = judge
        self._in_flight = in_flight

    @contextmanager
    def call(self, worst: Usage) -> Iterator[Charge]:
        """Around one call. Raises CeilingReached before it when `worst` does not fit; records the charge after it."""
        self._reserve(worst.money)
        charge = Charge()
        try:
            yield charge
        finally:
            try:
                if charge.usage.calls:
                    self._spend.record(charge.usage, self._judge)
            finally:
                with self._in_flight.lock:
                    self._in_flight.money -= worst.money

    def _reserve(self, money: float) -> None:
        with self._in_flight.lock:
            wanted = self._spend.spent_today() + money if self._ceiling else 0.0
            if wanted + self._in_flight.money > self._ceiling > 0:
                reached = f"today's spend ceiling of {self._ceiling:g} is reached"
                raise CeilingReached(reached, tomorrow=wanted > self._ceiling)
            self._in_flight.money += money
