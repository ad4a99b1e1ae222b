"""What a run is about, for whoever watches the server: its log lines, its metrics and its trace all say the same. And
how many verdicts were reached, and how long after the delivery that asked for them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from prometheus_client import Counter, Gauge, Histogram

from bot.storage.inbox import Arrival, Inbox
from bot.telemetry import logs, traces
from bot.telemetry.metrics import REGISTRY, SECONDS
from bot.verdicts import Decision
from bot.workflows.jobs import RunJob, Why


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """arrival: of the delivery that the job stands for, `None` once forgotten."""

    job: RunJob
    arrival: Arrival | None


BY_THE_CLOCK = frozenset({Why.RETRY, Why.SILENCE, Why.FIXED, Why.OVERDUE})  # hours after the delivery they stand for
UNUSUAL = ("failed", "later")  # how the lines begin that runs end with when something went wrong
RUNS = Counter(
    "bouncer_runs_total",
    "Runs of workflows: `ended`, `failed` by Bouncer's own doing, or put off until `later`.",
    ["workflow", "outcome"],
    registry=REGISTRY,
)
RUNNING = Gauge("bouncer_runs_running", "Runs that this worker does now.", ["workflow"], registry=REGISTRY)
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

_current: ContextVar[WatchedRun | None] = ContextVar("watched_run", default=None)


def current() -> WatchedRun | None:
    """The run that this thread is in."""
    return _current.get()


def announce(workflow: str) -> None:
    """Its runs are counted from nought on."""
    for outcome in ("ended", *UNUSUAL):
        RUNS.labels(workflow, outcome)


def watch(job: RunJob, run: Callable[[], str], inbox: Inbox) -> str:
    """What `run` returns; while it runs, `current` and the log know what it is about."""
    ended = "failed"
    RUNNING.labels(job.workflow).inc()
    try:
        with _about(WatchedRun(job, inbox.arrival(job.seq) if job.seq else None)):
            line = run()
            ended = line.partition(":")[0]
            traces.tell(status=ended if ended in UNUSUAL else "ended")
        return line
    finally:
        RUNNING.labels(job.workflow).dec()
        RUNS.labels(job.workflow, ended if ended in UNUSUAL else "ended").inc()


@contextmanager
def _about(run: WatchedRun) -> Iterator[None]:
    token = _current.set(run)
    guid = run.arrival.guid if run.arrival is not None else ""
    try:
        with (
            logs.about(delivery=guid, subject=run.job.place, commit=run.job.commit),
            traces.delivery_span(run.job.workflow, guid, subject=run.job.place, commit=run.job.commit),
        ):
            yield
    finally:
        _current.reset(token)


def count_verdict(door: str, decision: Decision, now: datetime) -> None:
    """door: one of `DOORS`; `reviews` are those of review bots. To be called once the verdict is stored."""
    VERDICTS.labels(door, decision.value.lower()).inc()
    run = current()
    if run is not None and run.arrival is not None and run.job.why not in BY_THE_CLOCK:
        WAITED.labels(door).observe(max(0.0, (now - run.arrival.at).total_seconds()))
