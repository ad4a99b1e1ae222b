"""Which executor runs untrusted code on this machine: the first that proves itself, or a reason why none does.

What it runs is counted, for whoever watches the server.
"""

from collections.abc import Iterator
from dataclasses import replace

from prometheus_client import Counter, Histogram

from bot.registry import AUTO, EXECUTORS
from bot.sandbox.protocol import Capabilities, Executor, ExecutorAround, Job, Outcome, Status
from bot.settings import Settings
from bot.telemetry import traces
from bot.telemetry.metrics import REGISTRY, SECONDS

JOBS = Counter(
    "bouncer_sandbox_jobs_total", "Jobs in the sandbox, by how they ended.", ["executor", "status"], registry=REGISTRY
)
TIMES = Histogram(
    "bouncer_sandbox_seconds", "How long a job in the sandbox took.", ["executor"], buckets=SECONDS, registry=REGISTRY
)


class MetricsExecutor(ExecutorAround):
    """Runs what `executor` runs, and counts it."""

    def run(self, job: Job) -> Outcome:
        with traces.span("sandbox job", executor=self.name):
            outcome = self.executor.run(job)
            traces.tell(status=outcome.status.value)
        JOBS.labels(self.name, outcome.status.value).inc()
        TIMES.labels(self.name).observe(outcome.seconds)
        return outcome


for _entry in EXECUTORS:
    JOBS.labels(_entry.name, Status.SANDBOX_ERROR.value)


def choose(settings: Settings) -> Executor | Capabilities:
    """An executor that isolates. Without any, a value that says why, with the mends: then nothing may be run."""
    problems = []
    for executor in candidates(settings):
        capabilities = executor.probe()
        if capabilities.usable:
            return MetricsExecutor(executor)
        problems.append(f"{executor.name}: {capabilities.problem}")
    return Capabilities("none", "", usable=False, problem="; ".join(problems))


def candidates(settings: Settings) -> Iterator[Executor]:
    """The executors that `BOUNCER_EXECUTOR` names, best first; `auto` leaves out what sends code elsewhere."""
    for entry in EXECUTORS:
        if settings.executor == entry.name or (settings.executor == AUTO and entry.by_default):
            yield entry.load().from_settings(settings)


class ConfidentialExecutor(ExecutorAround):
    """Runs what `executor` runs; one that would send the code elsewhere refuses each job."""

    def run(self, job: Job) -> Outcome:
        return self.executor.run(replace(job, confidential=True))
