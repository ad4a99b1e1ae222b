"""A step of a run: done once, and what came of it is remembered."""

from collections.abc import Callable
from typing import TypeVar

from dbos import DBOS, StepOptions
from dbos import error as dbos_error
from prometheus_client import Histogram
from pydantic import TypeAdapter

from bot.storage.database import is_away
from bot.telemetry import traces
from bot.telemetry.metrics import REGISTRY, SECONDS
from bot.workflows.jobs import adapter
from bot.workflows.run_context import current

T = TypeVar("T")

STEPS = Histogram(
    "bouncer_step_seconds", "How long a step took.", ["workflow", "step"], buckets=SECONDS, registry=REGISTRY
)


class DatabaseAway(Exception):
    """A step waited for the database in vain."""


def step(name: str, kind: type[T], effect: Callable[[], T]) -> T:
    """Run `effect` once and remember its value, a plain value of type `kind`.

    What a step raises is remembered too and comes back after a restart as another exception type, so an effect
    returns its expected failures as values. Only a database that is away is waited out, for about two minutes; then
    this raises `DatabaseAway`. Outside a workflow the effect just runs, also where no engine was ever started.
    """
    values: TypeAdapter[T] = adapter(kind)
    if not current_run():
        return values.validate_json(values.dump_json(_timed(name, effect)))
    try:
        stored = DBOS.run_step(step_options(name), lambda: values.dump_json(_timed(name, effect)).decode())
    except dbos_error.DBOSMaxStepRetriesExceeded as error:
        raise DatabaseAway(name) from error
    return values.validate_json(stored)


def _timed(name: str, effect: Callable[[], T]) -> T:
    run = current()
    with STEPS.labels(run.workflow if run is not None else "", name).time(), traces.span(f"step {name}", step=name):
        return effect()


def step_options(name: str) -> StepOptions:
    return StepOptions(
        name=name,
        retries_allowed=True,
        interval_seconds=1.0,
        backoff_rate=2.0,
        max_attempts=8,
        should_retry=is_away,
    )


def current_run() -> str:
    """The id of the run this thread is in; empty outside."""
    return DBOS.workflow_id or ""
