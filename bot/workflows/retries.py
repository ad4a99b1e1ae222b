"""Looks that nobody's delivery brings about: again after UNAVAILABLE, and after days of silence."""

from datetime import datetime

from bot.github.values import Repository
from bot.storage.subjects import Subject
from bot.workflows.jobs import IssueJob, Why


def retry(subject: Subject, now: datetime) -> IssueJob:
    """Submitted twice for the same moment, it runs once."""
    moment = subject.retry_at.isoformat() if subject.retry_at else ""
    return _job(subject, Why.RETRY, f"retry-{moment}", now)


def break_silence(subject: Subject, now: datetime) -> IssueJob:
    """At most once a day."""
    return _job(subject, Why.SILENCE, f"silence-{now.date().isoformat()}", now)


def _job(subject: Subject, why: Why, tail: str, now: datetime) -> IssueJob:
    return IssueJob(
        run_id=f"issue:{subject.repo_id}:{subject.number}:{subject.latest_seq:012d}:{tail}",
        seq=subject.latest_seq,
        installation_id=subject.installation_id,
        repository=Repository(subject.repo_id, subject.repository),
        number=subject.number,
        received_at=now,
        why=why,
    )
