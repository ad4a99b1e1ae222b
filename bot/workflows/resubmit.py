"""Coming back to a subject when GitHub would not answer, and saying so when Bouncer itself failed."""

import hashlib
import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from bot.storage.database import is_away
from bot.workflows.durable.github_step import Stopped, Trouble, wait_for
from bot.workflows.jobs import AlreadyFixedJob, IssueJob, JudgingJob, MergeGroupJob, PullJob, ReviewJob, pack
from bot.workflows.services import Services

log = logging.getLogger(__name__)

Job = TypeVar("Job", IssueJob, AlreadyFixedJob, ReviewJob, PullJob, JudgingJob, MergeGroupJob)


def carry_through(
    services: Services,
    workflow: str,
    job: Job,
    run: Callable[[], str],
    stopped_short: Callable[[str], None] = lambda outcome: None,
    failed: Callable[[str], None] = lambda number: None,
) -> str:
    """One line that says how it ended: what `run` returned, or that the job comes back later, or that it never will.
    stopped_short: called with that line where it never will, and where GitHub says no for the first time. failed:
    called with the number under which the log has what Bouncer itself did wrong, so that nothing waits for what will
    not come."""
    try:
        return run()
    except Stopped as stopped:
        outcome = come_back(services, workflow, job, stopped.trouble)
        refused = stopped.trouble.refused and not job.attempt
        if refused or wait_for(stopped.trouble, job.attempt) is None:
            stopped_short(outcome)
        return outcome
    except Exception:  # noqa: BLE001 - it is logged there, and nothing may wait for ever
        return failure(workflow, job.run_id, failed)


def failure(workflow: str, run_id: str, failed: Callable[[str], None] = lambda number: None) -> str:
    """Log the exception being handled, and have it said. The same number whenever the run is done again.

    The database's trouble is none of Bouncer's: it is raised, and the engine does the run again.
    """
    if (error := sys.exception()) is not None and is_away(error):
        raise error
    number = error_number(run_id)
    log.exception("Workflow %s failed, error %s: %s", workflow, number, run_id)  # its job holds what people wrote
    failed(number)
    return f"failed: error {number}"


def error_number(run_id: str) -> str:
    """Under which the log has what went wrong with a run."""
    return hashlib.sha256(run_id.encode()).hexdigest()[:8]


def come_back(services: Services, workflow: str, job: Job, trouble: Trouble) -> str:
    """Submit the job once more for later, or give up; one line that says which."""
    wait = wait_for(trouble, job.attempt)
    if wait is None:
        if trouble.retry or trouble.refused:
            log.error("%s#%d: given up: %s", job.repository.full_name, job.number, trouble.reason)
        return f"ended: {trouble.reason}"
    again = replace(job, attempt=job.attempt + 1)
    services.submit(workflow, f"{job.run_id}/again-{again.attempt}", job.subject, pack(again), wait)
    return f"later: {trouble.reason}"
