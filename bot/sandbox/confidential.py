"""An executor for code that must not leave this machine's executors: every job it is given says so."""

from dataclasses import dataclass, replace

from bot.sandbox.protocol import Capabilities, Executor, Job, Outcome


@dataclass(frozen=True, slots=True)
class Confidential:
    """Runs what `executor` runs; one that would send the code elsewhere refuses each job."""

    executor: Executor

    @property
    def name(self) -> str:
        return self.executor.name

    def probe(self) -> Capabilities:
        return self.executor.probe()

    def run(self, job: Job) -> Outcome:
        return self.executor.run(replace(job, confidential=True))
