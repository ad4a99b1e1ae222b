"""What is asked of models and what that costs, for whoever watches the server. Models are those of the settings."""

from collections.abc import Iterable
from itertools import product

from prometheus_client import Counter

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


def expect(models: Iterable[str]) -> None:
    """Show how often these were called before they are called for the first time."""
    for model, outcome in product(models, ("answered", "failed", "ceiling")):
        CALLS.labels(model, outcome)


def count_call(model: str, outcome: str, usage: Usage) -> None:
    CALLS.labels(model, outcome).inc()
    TOKENS.labels(model, "in").inc(usage.tokens_in)
    TOKENS.labels(model, "out").inc(usage.tokens_out)
    SPEND.labels(model).inc(usage.money)
