"""What a run is about, for whoever watches the server: its log lines, its metrics and its trace all say the same. And
how many verdicts were reached, and how long after the delivery that asked for them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from prometheus_client import Counter, Gauge, Histogram
from pydantic import TypeAdapter

from bot.github.deliveries import Delivery
from bot.github.values import Repository
from bot.storage.inbox import Arrival, Inbox
from bot.telemetry import logs, traces
from bot.telemetry.metrics import REGISTRY, SECONDS
from bot.verdicts import Decision
from bot.workflows.jobs import GateEvent, Why


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """subject, commit: empty where there is none. arrival: of the delivery it stands for, `None` once forgotten.
    prompt: it is that delivery's own run, and none that came hours later by the clock."""

    workflow: str
    subject: str = ""
    commit: str = ""
    arrival: Arrival | None = None
    prompt: bool = True


@dataclass(frozen=True, slots=True)
class _Job:
    """What all jobs have in common, as they are stored."""

    seq: int = 0
    repository: Repository | None = None
    number: int = 0
    head: str = ""
    delivery: Delivery | None = None
    why: str = ""


BY_THE_CLOCK = frozenset({Why.RETRY, Why.SILENCE, Why.FIXED, GateEvent.OVERDUE})
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

_jobs = TypeAdapter(_Job)
_current: ContextVar[WatchedRun | None] = ContextVar("watched_run", default=None)


def current() -> WatchedRun | None:
    """The run that this thread is in."""
    return _current.get()


def watch(workflow: str, run: Callable[[str], str], inbox: Inbox) -> Callable[[str], str]:
    """`run`, as the engine calls it; while it runs, `current` and the log know what it is about."""
    for outcome in ("ended", *UNUSUAL):
        RUNS.labels(workflow, outcome)

    def run_watched(argument: str) -> str:
        ended = "failed"
        RUNNING.labels(workflow).inc()
        try:
            with _about(describe(workflow, argument, inbox)):
                line = run(argument)
                ended = line.partition(":")[0]
                traces.tell(status=ended if ended in UNUSUAL else "ended")
            return line
        finally:
            RUNNING.labels(workflow).dec()
            RUNS.labels(workflow, ended if ended in UNUSUAL else "ended").inc()

    return run_watched


def describe(workflow: str, argument: str, inbox: Inbox) -> WatchedRun:
    """From the job as the engine stored it."""
    job = _jobs.validate_json(argument)
    named = job.delivery
    subject, commit = (named.subject, named.commit) if named is not None else ("", "")
    if job.repository is not None and (job.number or not subject):
        subject = f"{job.repository.full_name}#{job.number}" if job.number else job.repository.full_name
    arrival = inbox.arrival(job.seq) if job.seq else None
    return WatchedRun(workflow, subject, job.head or commit, arrival, prompt=job.why not in BY_THE_CLOCK)


@contextmanager
def _about(run: WatchedRun) -> Iterator[None]:
    token = _current.set(run)
    guid = run.arrival.guid if run.arrival is not None else ""
    try:
        with (
            logs.about(delivery=guid, subject=run.subject, commit=run.commit),
            traces.delivery_span(run.workflow, guid, subject=run.subject, commit=run.commit),
        ):
            yield
    finally:
        _current.reset(token)


def count_verdict(door: str, decision: Decision, now: datetime) -> None:
    """door: one of `DOORS`; `reviews` are those of review bots. To be called once the verdict is stored."""
    VERDICTS.labels(door, decision.value.lower()).inc()
    run = current()
    if run is not None and run.prompt and run.arrival is not None:
        WAITED.labels(door).observe(max(0.0, (now - run.arrival.at).total_seconds()))
