"""Looks that nobody's delivery brings about: again after UNAVAILABLE, and after days of silence."""

from datetime import datetime

from bot.storage.fixes import FixRecord
from bot.storage.subjects import SubjectRecord
from bot.workflows.jobs import IssueJob, Why


def retry(subject: SubjectRecord, now: datetime) -> IssueJob:
    """Submitted twice for the same moment, it runs once."""
    return _job(subject, Why.RETRY, _retried(subject), now)


def is_due(job: IssueJob, subject: SubjectRecord) -> bool:
    """Whether a look is still to be tried again by this job: a newer one without a verdict has set another moment."""
    return subject.retry_at is None or job.run_id.endswith(f":{_retried(subject)}")


def break_silence(subject: SubjectRecord, now: datetime) -> IssueJob:
    """At most once a day."""
    return _job(subject, Why.SILENCE, f"silence-{now.date().isoformat()}", now)


def close_fixed(record: FixRecord, now: datetime) -> IssueJob:
    """Submitted twice for the same moment, it runs once."""
    run_id = f"issue:{record.repo_id}:{record.number}:fixed-{record.close_at.isoformat() if record.close_at else ''}"
    return IssueJob.about(record, run_id, 0, received_at=now, why=Why.FIXED)


def _retried(subject: SubjectRecord) -> str:
    return f"retry-{subject.retry_at.isoformat() if subject.retry_at else ''}"


def _job(subject: SubjectRecord, why: Why, tail: str, now: datetime) -> IssueJob:
    run_id = f"issue:{subject.repo_id}:{subject.number}:{subject.latest_seq:012d}:{tail}"
    return IssueJob.about(subject, run_id, subject.latest_seq, received_at=now, why=why)
