"""What all workflows have in common: a job is done, comes back when GitHub is away, or is said to have failed."""

import hashlib
import logging
import sys
from dataclasses import replace
from typing import ClassVar, Generic, TypeVar

from bot.storage.database import is_away
from bot.workflows.durable.step import Stopped, Trouble, wait_for
from bot.workflows.jobs import (
    AlreadyFixedJob,
    IssueJob,
    JudgingJob,
    MergeGroupJob,
    PolicyCheckJob,
    PullJob,
    ReviewJob,
)
from bot.workflows.services import Services

log = logging.getLogger(__name__)

AnyJob = TypeVar("AnyJob", IssueJob, AlreadyFixedJob, PolicyCheckJob, ReviewJob, PullJob, JudgingJob, MergeGroupJob)


class Workflow(Generic[AnyJob]):
    """`run` is what the engine runs under `name`, for each job of this kind that is submitted."""

    kind: type[AnyJob]
    name: ClassVar[str]

    def __init_subclass__(cls, kind: type[AnyJob]) -> None:
        cls.kind, cls.name = kind, kind.workflow

    def __init__(self, services: Services) -> None:
        self.services = services

    def run(self, argument: str) -> str:
        """One line that says how the job ended."""
        job = self.kind.unpack(argument)
        outcome = self.carry_through(job)
        logging.getLogger(type(self).__module__).info("%s: %s", job, outcome)
        return outcome

    def perform(self, job: AnyJob) -> str:
        """Do it; one line that says how it ended. Raises `Stopped`."""
        raise NotImplementedError

    def on_end_short(self, job: AnyJob, outcome: str, error: str) -> None:
        """It will never be done, or GitHub says no for the first time: nothing is to wait for what will not come.
        error: the number under which the log has what Bouncer itself did wrong; empty where GitHub did."""

    def carry_through(self, job: AnyJob) -> str:
        """What `perform` returned, or that the job comes back later, or that it never will."""
        try:
            return self.perform(job)
        except Stopped as stopped:
            trouble, wait = stopped.trouble, wait_for(stopped.trouble, job.attempt)
            outcome = self._come_back(job, trouble, wait)
            if wait is None or (trouble.refused and not job.attempt):
                self.on_end_short(job, outcome, "")
            return outcome
        except Exception:  # noqa: BLE001 - it is logged there, and nothing may wait for ever
            return self._failure(job)

    def _come_back(self, job: AnyJob, trouble: Trouble, wait: float | None) -> str:
        """Submit the job once more for later, or give up; one line that says which."""
        if wait is None:
            if trouble.retry or trouble.refused:
                log.error("%s: given up: %s", job, trouble.reason)
            return f"ended: {trouble.reason}"
        attempt = job.attempt + 1
        again = replace(job, attempt=attempt)
        self.services.submit(self.name, f"{job.run_id}/again-{attempt}", job.subject, again.pack(), wait)
        return f"later: {trouble.reason}"

    def _failure(self, job: AnyJob) -> str:
        """Log the exception being handled, and have it said. The same number whenever the run is done again.

        The database's trouble is none of Bouncer's: it is raised, and the engine does the run again.
        """
        if (error := sys.exception()) is not None and is_away(error):
            raise error
        number, outcome = error_number(job.run_id), f"failed: error {error_number(job.run_id)}"
        log.exception("Workflow %s failed, error %s: %s", self.name, number, job.run_id)  # its job holds people's words
        self.on_end_short(job, outcome, number)
        return outcome


def error_number(run_id: str) -> str:
    """Under which the log has what went wrong with a run."""
    return hashlib.sha256(run_id.encode()).hexdigest()[:8]
