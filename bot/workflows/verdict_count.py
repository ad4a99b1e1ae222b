"""How many verdicts were reached, and how long after the delivery that asked for them."""

from datetime import datetime
from itertools import product

from prometheus_client import Counter, Histogram

from bot.telemetry.metrics import REGISTRY, SECONDS
from bot.verdicts import Decision
from bot.workflows.run_context import current

DOORS = ("issues", "pulls", "reviews")
VERDICTS = Counter("bouncer_verdicts_total", "Verdicts, by door and decision.", ["door", "decision"], registry=REGISTRY)
WAITED = Histogram(
    "bouncer_verdict_seconds",
    "From the receipt of a delivery to its verdict.",
    ["door"],
    buckets=SECONDS,
    registry=REGISTRY,
)

for _door, _decision in product(DOORS, Decision):
    VERDICTS.labels(_door, _decision.value.lower())


def count_verdict(door: str, decision: Decision, now: datetime) -> None:
    """door: one of `DOORS`; `reviews` are those of review bots. To be called once the verdict is stored."""
    VERDICTS.labels(door, decision.value.lower()).inc()
    run = current()
    if run is not None and run.prompt and run.arrival is not None:
        WAITED.labels(door).observe(max(0.0, (now - run.arrival.at).total_seconds()))
