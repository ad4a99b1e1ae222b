"""The spend ceiling: money is reserved before a call at its worst cost and settled at its real cost after it.

What is asked of models and what that costs is counted here too, for whoever watches the server.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import product
from typing import Protocol

from prometheus_client import Counter

from bot.judges.calibration.model_calibration import judged_by
from bot.settings import Settings
from bot.telemetry import traces
from bot.telemetry.metrics import REGISTRY
from bot.verdicts import Usage

CALLS = Counter(
    "bouncer_model_calls_total",
    "Calls of a model: `answered`, `failed`, or not made for the spend `ceiling`.",
    ["model", "outcome"],
    registry=REGISTRY,
)
TOKENS = Counter(
    "bouncer_model_tokens_total",
    "Tokens a model read (`in`) and wrote (`out`).",
    ["model", "way"],
    registry=REGISTRY,
)
SPEND = Counter(
    "bouncer_model_spend_total", "Money spent on a model, in the currency of its prices.", ["model"], registry=REGISTRY
)


def expect_calls(models: Iterable[str]) -> None:
    """Show how often these were called before they are called for the first time."""
    for model, outcome in product(models, ("answered", "failed", "ceiling")):
        CALLS.labels(model, outcome)


def count_call(model: str, outcome: str, usage: Usage) -> None:
    CALLS.labels(model, outcome).inc()
    TOKENS.labels(model, "in").inc(usage.tokens_in)
    TOKENS.labels(model, "out").inc(usage.tokens_out)
    SPEND.labels(model).inc(usage.money)


class Spend(Protocol):
    """Where money spent on models is kept, for all processes of a server. The ledger in storage is one."""

    def spent_today(self, model: str = "") -> float:
        """Money spent this UTC day, by every process. model: on this one alone."""
        ...

    def record(self, usage: Usage, judge: str) -> None:
        """Keep what one call cost, durably."""
        ...


class MemorySpend:
    """For one process that keeps no ledger: the command line and benchmarks.

    before: another of this process. What it spent counts for the ceilings too, and not in `used`."""

    def __init__(
        self, today: Callable[[], date] = lambda: datetime.now(UTC).date(), before: "MemorySpend | None" = None
    ) -> None:
        self._today = today
        self._before = before
        self._lock = threading.Lock()
        self._spent: defaultdict[tuple[date, str], float] = defaultdict(float)
        self._used: defaultdict[str, Usage] = defaultdict(Usage)

    @property
    def used(self) -> dict[str, Usage]:
        """All calls so far, by model."""
        with self._lock:
            return dict(self._used)

    def spent_today(self, model: str = "") -> float:
        earlier = self._before.spent_today(model) if self._before else 0.0
        with self._lock:
            return earlier + sum(
                money for (day, asked), money in self._spent.items() if day == self._today() and model in ("", asked)
            )

    def record(self, usage: Usage, judge: str) -> None:
        model = judged_by(judge)
        with self._lock:
            self._spent[self._today(), model] += usage.money
            self._used[model] += usage


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


def prices(settings: Settings) -> Prices:
    """Those of the settings' model."""
    return Prices(settings.model_price_in, settings.model_price_out)


@dataclass(slots=True)
class Charge:
    """What a call turned out to cost. Until somebody says otherwise it cost nothing."""

    usage: Usage = field(default_factory=Usage)


class InFlight:
    """Money reserved by calls that have not ended yet, by model."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.money: defaultdict[str, float] = defaultdict(float)


PROCESS = InFlight()


class Purse:
    """Lets a call happen only when its worst cost fits under the day's ceilings. Safe for threads.

    Threads of one process never overshoot together, whatever number of judges they use: what is in flight counts as
    spent. Processes see each other only in the ledger, so several of them may overshoot the ceiling by one call's worst
    cost for each thread of the others.
    """

    def __init__(
        self, spend: Spend, ceiling: float, judge: str, in_flight: InFlight = PROCESS, *, own: float = 0.0
    ) -> None:
        """ceiling: of all models together. own: of this judge's model alone. 0 means none."""
        self._spend = spend
        self._judge = judge
        self._model = judged_by(judge)
        self._ceilings = ((ceiling, ""), (own, self._model))
        self._in_flight = in_flight

    @contextmanager
    def call(self, worst: Usage) -> Iterator[Charge]:
        """Around one call. Raises CeilingReached before it when `worst` does not fit; records the charge after it."""
        self._reserve(worst.money)
        charge, ended = Charge(), "failed"
        try:
            with traces.span("model call", model=self._model):
                yield charge
            ended = "answered"
        finally:
            count_call(self._model, ended, charge.usage)
            try:
                if charge.usage.calls:
                    self._spend.record(charge.usage, self._judge)
            finally:
                with self._in_flight.lock:
                    self._in_flight.money[self._model] -= worst.money

    def _reserve(self, money: float) -> None:
        with self._in_flight.lock:
            for ceiling, model in self._ceilings:
                if ceiling:
                    try:
                        self._check(ceiling, model, money)
                    except CeilingReached:
                        CALLS.labels(self._model, "ceiling").inc()
                        raise
            self._in_flight.money[self._model] += money

    def _check(self, ceiling: float, model: str, money: float) -> None:
        flying = self._in_flight.money[model] if model else sum(self._in_flight.money.values())
        wanted = self._spend.spent_today(model) + money
        if wanted + flying > ceiling:
            whose = f" for {model}" if model else ""
            reached = f"today's spend ceiling of {ceiling:g}{whose} is reached"
            raise CeilingReached(reached, tomorrow=wanted > ceiling)


def purse(settings: Settings, spend: Spend, judge: str) -> Purse:
    """That of the settings' model. judge: the name its calls are recorded under."""
    return Purse(spend, settings.model_spend_per_day, judge, own=settings.model_own_spend_per_day)
