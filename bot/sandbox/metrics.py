"""How the jobs of an executor ended, for whoever watches the server."""

from dataclasses import dataclass

from prometheus_client import Counter, Histogram

from bot.sandbox.protocol import Capabilities, Executor, Job, Outcome
from bot.telemetry import traces
from bot.telemetry.metrics import REGISTRY, SECONDS

JOBS = Counter(
    "bouncer_sandbox_jobs_total", "Jobs in the sandbox, by how they ended.", ["executor", "status"], registry=REGISTRY
)
TIMES = Histogram(
    "bouncer_sandbox_seconds", "How long a job in the sandbox took.", ["executor"], buckets=SECONDS, registry=REGISTRY
)


@dataclass(frozen=True, slots=True)
class MetricsExecutor:
    """Runs what `executor` runs, and counts it."""

    executor: Executor

    @property
    def name(self) -> str:
        return self.executor.name

    def probe(self) -> Capabilities:
        return self.executor.probe()

    def run(self, job: Job) -> Outcome:
        with traces.span("sandbox job", executor=self.name):
            outcome = self.executor.run(job)
            traces.tell(status=outcome.status.value)
        JOBS.labels(self.name, outcome.status.value).inc()
        TIMES.labels(self.name).observe(outcome.seconds)
        return outcome
