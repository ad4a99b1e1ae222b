"""Which executor runs untrusted code on this machine: the first that proves itself, or a reason why none does."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.registry import AUTO, EXECUTORS
from bot.sandbox.actions import RunnerRepository
from bot.sandbox.metrics import JOBS, MetricsExecutor
from bot.sandbox.protocol import Capabilities, Executor, Job, Outcome, Status
from bot.settings import Settings

for _entry in EXECUTORS:
    JOBS.labels(_entry.name, Status.SANDBOX_ERROR.value)


def choose(settings: Settings, runner: RunnerRepository | None = None) -> Executor | Capabilities:
    """An executor that isolates. Without any, a value that says why, with the mends: then nothing may be run.

    runner: the settings' runner repository, see `bot.github.actions.from_settings`.
    """
    problems = []
    for executor in candidates(settings, runner):
        capabilities = executor.probe()
        if capabilities.usable:
            return MetricsExecutor(executor)
        problems.append(f"{executor.name}: {capabilities.problem}")
    return Capabilities("none", "", usable=False, problem="; ".join(problems))


def candidates(settings: Settings, runner: RunnerRepository | None = None) -> Iterator[Executor]:
    """The executors that `BOUNCER_EXECUTOR` names, best first; `auto` leaves out what sends code elsewhere."""
    for entry in EXECUTORS:
        if settings.executor == entry.name or (settings.executor == AUTO and entry.by_default):
            yield entry.load().from_settings(settings, runner)


@dataclass(frozen=True, slots=True)
class ConfidentialExecutor:
    """Runs what `executor` runs; one that would send the code elsewhere refuses each job."""

    executor: Executor

    @property
    def name(self) -> str:
        return self.executor.name

    def probe(self) -> Capabilities:
        return self.executor.probe()

    def run(self, job: Job) -> Outcome:
        return self.executor.run(replace(job, confidential=True))
