"""How many calls GitHub still answers, as its own headers say, for whoever watches the server."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from time import time
from weakref import WeakKeyDictionary

from prometheus_client import Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.telemetry.metrics import REGISTRY

RESOURCES = frozenset({"core", "search", "graphql"})  # which GitHub counts apart, as far as Bouncer uses them
REQUESTS = Counter(
    "bouncer_github_requests_total",
    "Requests to GitHub, by the first digit of the answer; `none` without one.",
    ["status"],
    registry=REGISTRY,
)
LIMITED = Counter("bouncer_github_rate_limited_total", "Answers of GitHub that ask Bouncer to wait.", registry=REGISTRY)


@dataclass(frozen=True, slots=True)
class Allowance:
    """remaining: calls until `reset`, which is in seconds since 1970."""

    remaining: int
    reset: float


class RateLimits(Collector):
    """What is left, by credential. Each installation has an allowance of its own; shown is the smallest of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._left: WeakKeyDictionary[Hashable, dict[str, Allowance]] = WeakKeyDictionary()

    def record(self, credential: Hashable, headers: Mapping[str, str]) -> None:
        """From the headers of an answer; their names are in lower case."""
        remaining, reset = headers.get("x-ratelimit-remaining", ""), headers.get("x-ratelimit-reset", "")
        resource = headers.get("x-ratelimit-resource", "core")
        if remaining.isdigit() and reset.isdigit() and resource in RESOURCES:
            with self._lock:
                self._left.setdefault(credential, {})[resource] = Allowance(int(remaining), float(reset))

    def smallest(self, now: float) -> dict[str, int]:
        """By resource; what was reset meanwhile is not known any more, and left out."""
        with self._lock:
            told = [each for left in self._left.values() for each in left.items()]
        found: dict[str, int] = {}
        for resource, left in told:
            if left.reset > now:
                found[resource] = min(left.remaining, found.get(resource, left.remaining))
        return found

    def collect(self) -> Iterator[GaugeMetricFamily]:
        said = "Calls GitHub still answers within the hour, of the installation with the fewest."
        family = GaugeMetricFamily("bouncer_github_rate_limit_remaining", said, labels=["resource"])
        for resource, remaining in self.smallest(time()).items():
            family.add_metric([resource], remaining)
        yield family


LIMITS = RateLimits()
REGISTRY.register(LIMITS)
