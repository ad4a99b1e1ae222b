"""A step of a run: done once, and what came of it is remembered. What GitHub would not do is a value: it crosses a
checkpoint, and says whether coming back later helps."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from dbos import DBOS, StepOptions
from dbos import error as dbos_error
from prometheus_client import Histogram
from pydantic import TypeAdapter

from bot.errors import is_disk_trouble
from bot.github.errors import Forbidden, GitHubError, Gone, NotFound, NoToken, RateLimited, Unauthorized, Unavailable
from bot.storage.database import is_away
from bot.telemetry import traces
from bot.telemetry.metrics import REGISTRY, SECONDS
from bot.workflows.jobs import adapter
from bot.workflows.run_context import current

T = TypeVar("T")

STEPS = Histogram(
    "bouncer_step_seconds", "How long a step took.", ["workflow", "step"], buckets=SECONDS, registry=REGISTRY
)


def step(name: str, kind: type[T], effect: Callable[[], T]) -> T:
    """Run `effect` once and remember its value, a plain value of type `kind`.

    What a step raises is remembered too and comes back after a restart as another exception type, so an effect
    returns its expected failures as values. Only a database that is away is waited out, for about two minutes; then
    this raises `Stopped`. Outside a workflow the effect just runs, also where no engine was ever started.
    """
    values: TypeAdapter[T] = adapter(kind)
    if not current_run():
        return values.validate_json(values.dump_json(_timed(name, effect)))
    try:
        stored = DBOS.run_step(step_options(name), lambda: values.dump_json(_timed(name, effect)).decode())
    except dbos_error.DBOSMaxStepRetriesExceeded as error:
        raise Stopped(Trouble("the database does not answer", retry=True)) from error
    return values.validate_json(stored)


def _timed(name: str, effect: Callable[[], T]) -> T:
    run = current()
    with STEPS.labels(run.job.workflow if run is not None else "", name).time(), traces.span(f"step {name}", step=name):
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


# How long to stay away, one entry an attempt; then a person has to look.
PATIENCE = (30.0, 120.0, 600.0, 1800.0, 7200.0, 21600.0, 21600.0, 21600.0)  # seconds

NO_ROOM = "A disk cannot be written, so what needs it comes back later: %s. Make room, or set BOUNCER_CACHE_DIR."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trouble:
    """reason: one line for the log. retry: whether it may pass. after: seconds GitHub asks to stay away.
    refused: GitHub says no. That is said at once, since it may stay so, and tried again, since it may pass as well.
    """

    reason: str
    retry: bool
    after: float = 0.0
    refused: bool = False


class Stopped(Exception):
    """A step met trouble; the run ends here and may come back."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.reason)
        self.trouble = trouble


def attempt(name: str, kind: type[T], effect: Callable[[], T]) -> T:
    """A checkpointed step that talks to GitHub. Raises `Stopped`, after a restart too."""

    def guarded() -> tuple[T | None, Trouble | None]:
        try:
            return effect(), None
        except GitHubError as error:
            return None, trouble_of(error)
        except (OSError, sqlite3.Error) as error:
            if not is_disk_trouble(error):
                raise
            log.warning(NO_ROOM, error)
            return None, Trouble("this machine's disk cannot be written", retry=True)

    pair: Any = tuple[kind | None, Trouble | None]  # type: ignore[valid-type]
    value, trouble = step(name, pair, guarded)
    if trouble is not None:
        raise Stopped(trouble)
    result: T = value
    return result


def trouble_of(error: GitHubError) -> Trouble:
    if isinstance(error, RateLimited):
        return Trouble("GitHub's rate limit is reached", retry=True, after=error.retry_after)
    if isinstance(error, Unavailable | Unauthorized):
        return Trouble(str(error), retry=True)
    if isinstance(error, NotFound | Gone):
        return Trouble("it is gone, or Bouncer may not see it any more", retry=False)
    return Trouble(str(error), retry=False, refused=True)


def may_pass(error: GitHubError) -> bool:
    """Whether it says nothing about what was asked for: GitHub may give it when it is asked again."""
    return trouble_of(error).retry or isinstance(error, NoToken | Forbidden)


def wait_for(trouble: Trouble, attempts: int) -> float | None:
    """Seconds until the next attempt after so many; `None` when there is none."""
    if not (trouble.retry or trouble.refused) or attempts >= len(PATIENCE):
        return None
    return max(trouble.after, PATIENCE[attempts])
