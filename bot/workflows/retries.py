"""Looks that nobody's delivery brings about: again after UNAVAILABLE, and after days of silence."""

from datetime import datetime

from bot.github.values import Repository
from bot.storage.subjects import Subject
from bot.workflows.jobs import IssueJob, Why, pack
from bot.workflows.services import Services


def retry(services: Services, subject: Subject) -> None:
    """Asked twice for the same moment, it runs once."""
    moment = subject.retry_at.isoformat() if subject.retry_at else ""
    _submit(services, subject, Why.RETRY, f"retry-{moment}")


def break_silence(services: Services, subject: Subject, now: datetime) -> None:
    """At most once a day."""
    _submit(services, subject, Why.SILENCE, f"silence-{now.date().isoformat()}")


def _submit(services: Services, subject: Subject, why: Why, tail: str) -> None:
    job = IssueJob(
        run_id=f"issue:{subject.repo_id}:{subject.number}:{subject.latest_seq:012d}:{tail}",
        seq=subject.latest_seq,
        installation_id=subject.installation_id,
        repository=Repository(subject.repo_id, subject.repository),
        number=subject.number,
        received_at=services.now(),
        why=why,
    )
    services.submit("issue", job.run_id, job.subject, pack(job))
