"""Coming back to a subject when GitHub would not answer."""

import logging
from dataclasses import replace
from typing import TypeVar

from bot.workflows.jobs import DeskJob, FixedJob, GateJob, GroupJob, IssueJob, PullJob, pack
from bot.workflows.services import Services
from bot.workflows.trouble import Trouble, wait_for

log = logging.getLogger(__name__)

Job = TypeVar("Job", IssueJob, FixedJob, PullJob, DeskJob, GateJob, GroupJob)


def is_over(job: Job, trouble: Trouble) -> bool:
    """Whether there is no coming back to it."""
    return wait_for(trouble, job.attempt) is None


def come_back(services: Services, workflow: str, job: Job, trouble: Trouble) -> str:
    """Submit the job once more for later, or give up; one line that says which."""
    wait = wait_for(trouble, job.attempt)
    if wait is None:
        if trouble.retry:
            log.error("%s#%d: given up: %s", job.repository.full_name, job.number, trouble.reason)
        return f"ended: {trouble.reason}"
    again = replace(job, attempt=job.attempt + 1)
    services.submit(workflow, f"{job.run_id}/again-{again.attempt}", job.subject, pack(again), wait)
    return f"later: {trouble.reason}"
