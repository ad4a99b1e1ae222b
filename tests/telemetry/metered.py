"""Reads the metrics of this process."""

from collections.abc import Callable

from bot.telemetry.metrics import REGISTRY


def value(name: str, **labels: str) -> float:
    """A sample's value; 0 before it was counted for the first time."""
    return REGISTRY.get_sample_value(name, labels) or 0.0


def grown(name: str, **labels: str) -> Callable[[], float]:
    """A function that says by how much a count has grown since now: other tests count, too."""
    before = value(name, **labels)
    return lambda: value(name, **labels) - before
