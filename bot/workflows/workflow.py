"""What all runs have in common: a job is done, comes back when GitHub is away, or is said to have failed."""

import hashlib
import logging
import sys
from dataclasses import replace
from typing import Any, ClassVar, Self

from bot.github.channel import Credential
from bot.policy import Policy
from bot.policy_choices import Door
from bot.pulls.admission import SpentBudget, spent_budget
from bot.storage.database import is_away
from bot.workflows.durable.step import Stopped, Trouble, wait_for
from bot.workflows.jobs import RunJob
from bot.workflows.policies import PolicyStatus, policy_status
from bot.workflows.run_context import watch
from bot.workflows.services import Services

log = logging.getLogger(__name__)


class JobContext:
    """What is done for a job; all of it may be repeated after a kill, and what asks GitHub raises `GitHubError`."""

    door: ClassVar[Door] = Door.PULLS

    def __init__(self, services: Services, job: RunJob) -> None:
        self.services = services
        self.job = job
        self.client = services.repository(job.installation_id, job.repository)

    @property
    def is_installed(self) -> bool:
        """Whether Bouncer is still wanted there."""
        return self.services.is_installed(self.job.installation_id)

    @property
    def credential(self) -> Credential:
        """For what git fetches here."""
        return self.services.github.credential(self.job.installation_id)

    def policy_status(self) -> PolicyStatus:
        """The policy as it goes at the door."""
        return policy_status(self.services, self.job.installation_id, self.job.repository, self.door)

    def over_budget(self, policy: Policy, number: int, *makers: str) -> SpentBudget | None:
        """Which of the day's budgets is spent, where one is: that of the pull request and of its makers, or of all."""
        ledger, repo_id, now = self.services.ledger, self.job.repository.id, self.services.now()
        own = ledger.own_looks_today(repo_id, number, makers, now=now)
        return spent_budget(policy.budgets, ledger.looks_today(repo_id, now=now), own)


class WorkflowRun(JobContext):
    """One run of the workflow `name`. long: it may take minutes."""

    name: ClassVar[str]
    long: ClassVar[bool] = False

    @classmethod
    def run(cls, services: Services, argument: str) -> str:
        """What the engine runs; one line that says how the job ended."""
        this = cls(services, RunJob.unpack(argument))
        return watch(this.job, this.finish, services.inbox)

    def finish(self) -> str:
        """As `carry_through`, which is logged."""
        outcome = self.carry_through()
        logging.getLogger(type(self).__module__).info("%s: %s", self.job, outcome)
        return outcome

    def perform(self) -> str:
        """Do it; one line that says how it ended. Raises `Stopped`."""
        raise NotImplementedError

    def on_end_short(self, outcome: str, error: str) -> None:
        """It will never be done, or GitHub says no for the first time: nothing is to wait for what will not come.
        error: the number under which the log has what Bouncer itself did wrong; empty where GitHub did."""

    def carry_through(self) -> str:
        """What `perform` returned, or that the job comes back later, or that it never will."""
        try:
            return self.perform()
        except Stopped as stopped:
            trouble, wait = stopped.trouble, wait_for(stopped.trouble, self.job.attempt)
            outcome = self._come_back(trouble, wait)
            if wait is None or (trouble.refused and not self.job.attempt):
                self.on_end_short(outcome, "")
            return outcome
        except Exception:  # noqa: BLE001 - it is logged there, and nothing may wait for ever
            return self._failure()

    def again(self, **changes: Any) -> Self:
        """The same run, of whose job more is known by now."""
        return type(self)(self.services, replace(self.job, **changes))

    def _come_back(self, trouble: Trouble, wait: float | None) -> str:
        """Submit the job once more for later, or give up; one line that says which."""
        if wait is None:
            if trouble.retry or trouble.refused:
                log.error("%s: given up: %s", self.job, trouble.reason)
            return f"ended: {trouble.reason}"
        attempt = self.job.attempt + 1
        run_id = f"{self.job.run_id}/again-{attempt}"
        self.services.submit(self.name, run_id, self.job.subject, replace(self.job, attempt=attempt).pack(), wait)
        return f"later: {trouble.reason}"

    def _failure(self) -> str:
        """Log the exception being handled, and have it said. The same number whenever the run is done again.

        The database's trouble is none of Bouncer's: it is raised, and the engine does the run again.
        """
        if (error := sys.exception()) is not None and is_away(error):
            raise error
        run_id, number = self.job.run_id, error_number(self.job.run_id)
        log.exception("Workflow %s failed, error %s: %s", self.name, number, run_id)  # its job holds people's words
        outcome = f"failed: error {number}"
        self.on_end_short(outcome, number)
        return outcome


def error_number(run_id: str) -> str:
    """Under which the log has what went wrong with a run."""
    return hashlib.sha256(run_id.encode()).hexdigest()[:8]
