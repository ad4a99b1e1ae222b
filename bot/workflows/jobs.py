"""What a run is asked to do: the one argument of every workflow, stored as JSON. And the looks that nobody's delivery
brings about: again after UNAVAILABLE, after days of silence, and when the time to object is over."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Self

from pydantic import TypeAdapter

from bot.github.deliveries import Delivery
from bot.github.values import Repository
from bot.reports import IssueText
from bot.storage.fixes import FixRecord
from bot.storage.gates import GateRecord, MergeGroupRecord
from bot.storage.subjects import SubjectRecord

StoredSubject = FixRecord | GateRecord | MergeGroupRecord | SubjectRecord


_made = cache(TypeAdapter)  # making one anew costs more than all else that is done to start a run


def adapter(kind: Any) -> TypeAdapter[Any]:
    """How values of this kind are stored."""
    return _made(kind)


@dataclass(frozen=True, slots=True)
class RunJob:
    """workflow: whose run this is for. seq: the delivery it stands for. Every one has an `attempt`: how often GitHub
    was away already."""

    workflow: ClassVar[str]

    run_id: str
    seq: int

    @property
    def subject(self) -> str:
        """Runs of the same one never overlap."""
        raise NotImplementedError

    def pack(self) -> str:
        """As the engine stores it."""
        return adapter(type(self)).dump_json(self).decode()

    @classmethod
    def unpack(cls, stored: str) -> Self:
        """As it was packed."""
        job: Self = adapter(cls).validate_json(stored)
        return job


@dataclass(frozen=True, slots=True)
class SubjectJob(RunJob):
    """About an issue or a pull request."""

    installation_id: int
    repository: Repository
    number: int

    def __str__(self) -> str:
        """For the log."""
        return f"{self.repository.full_name}#{self.number}"

    @property
    def subject(self) -> str:
        return f"{self.workflow}:{self.repository.id}:{self.number}"

    @classmethod
    def about(cls, where: "SubjectJob | StoredSubject | Delivery", run_id: str, seq: int, **more: Any) -> Self:
        """About what another job, a stored record or a delivery is about, as far as `more` does not say otherwise: of a
        delivery it says the number."""
        place: dict[str, Any] = {"installation_id": where.installation_id, "repository": where.repository}
        if isinstance(where, StoredSubject):
            place["repository"] = Repository(where.repo_id, where.repository)
        if not isinstance(where, Delivery):
            place["number"] = where.number
        return cls(run_id=run_id, seq=seq, **place | more)


class Why(StrEnum):
    """What brings a run about."""

    DELIVERY = "delivery"
    RETRY = "retry"  # the last look ended UNAVAILABLE
    SILENCE = "silence"  # nobody answered for days
    FOUND = "found"  # somebody looked for the fix of what it reports
    FIXED = "fixed"  # it was said to be fixed, days ago


@dataclass(frozen=True, slots=True)
class IssueOutcome:
    """recheck: judge again even a text that was judged. look: look for the fix of what is reported; asked: somebody did
    in so many words. within: a label came that has it looked at, or one went that kept it from being held. objected:
    somebody disagreed with what was said of a fix. outcome: one line, empty when nobody did anything."""

    outcome: str = ""
    recheck: bool = False
    look: bool = False
    asked: bool = False
    objected: bool = False
    within: bool = False

    def and_then(self, other: "IssueOutcome") -> "IssueOutcome":
        """Both, with the later outcome."""
        return IssueOutcome(
            outcome=other.outcome,
            recheck=self.recheck or other.recheck,
            look=self.look or other.look,
            asked=self.asked or other.asked,
            objected=self.objected or other.objected,
            within=self.within or other.within,
        )


@dataclass(frozen=True, slots=True)
class IssueJob(SubjectJob):
    """delivery: absent for a schedule.

    acts: whether the delivery asks for more than a look. It is said with the job: telling it takes the App's name,
    which a run that is begun again may not be able to ask for.
    acted: what was done before GitHub went away; it is not done again hours later, when people may have said more.
    asked_in: the id of the comment by which somebody asked for it, and waits for the answer.
    """

    workflow = "issue"

    received_at: datetime
    why: Why = Why.DELIVERY
    delivery: Delivery | None = None
    attempt: int = 0
    acted: IssueOutcome | None = None
    asked_in: int | None = None
    acts: bool = False


@dataclass(frozen=True, slots=True)
class AlreadyFixedJob(SubjectJob):
    """Look for the fix of what an issue reports, and run what it shows, which may take minutes. text: names title and
    body of the report. asked_in: the id of the comment by which somebody asked for it, and waits for the answer."""

    workflow = "already_fixed"

    report: IssueText
    text: str
    attempt: int = 0
    asked_in: int | None = None

    def __str__(self) -> str:
        return f"a fix for {self.repository.full_name}#{self.number}"


@dataclass(frozen=True, slots=True)
class PolicyCheckJob(RunJob):
    """A push or a pull request that may have changed the policy."""

    workflow = "policy_check"

    delivery: Delivery
    attempt: int = 0

    @property
    def subject(self) -> str:
        repository = self.delivery.repository
        return f"policy_check:{repository.id if repository else 0}"

    def __str__(self) -> str:
        return f"policy of {self.delivery.repository and self.delivery.repository.full_name}"


@dataclass(frozen=True, slots=True)
class ReviewJob(SubjectJob):
    """A review that rejects a pull request, or a comment on one that may be a command or an answer."""

    workflow = "review"

    delivery: Delivery
    attempt: int = 0


class GateEvent(StrEnum):
    """What makes the workflow of a pull request run."""

    DELIVERY = "delivery"
    DONE = "done"  # its newest commit was judged
    OVERDUE = "overdue"  # it should have been judged by now
    GIVEN_UP = "given-up"  # judging it met what will not pass
    FAILED = "failed"  # Bouncer itself broke down over it
    REFUSED = "refused"  # GitHub did not take what was to be shown, or not give what that takes
    RENEWED = "renewed"  # the policy changed, and so far nothing was judged
    ANSWERED = "answered"  # a maintainer's answer decided about a rejection of its newest commit
    LOOKED = "looked"  # more is known of whether its issue is fixed


@dataclass(frozen=True, slots=True)
class PullJob(SubjectJob):
    """Short work on one pull request's gate: open it, hear a word, show what came of it. All of it is done in turn, so
    nothing older is ever written over something newer. number: 0 where a check names no pull request. head: of the
    merge group it is about, if any. error: the number under which the log has what Bouncer did wrong."""

    workflow = "pull"

    why: GateEvent
    delivery: Delivery | None = None
    attempt: int = 0
    head: str = ""
    error: str = ""

    def __str__(self) -> str:
        return f"gate of {self.repository.full_name}#{self.number}"


@dataclass(frozen=True, slots=True)
class JudgingJob(SubjectJob):
    """Judge one head commit of a pull request, which may take minutes."""

    workflow = "judging"

    head: str
    attempt: int = 0

    def __str__(self) -> str:
        return f"{self.repository.full_name}#{self.number} at {self.head[:7]}"


@dataclass(frozen=True, slots=True)
class MergeGroupJob(SubjectJob):
    """Execute what the merge queue would merge, which may take minutes. number: of the pull request the group adds.
    base, head: the commits before and after; pull_head: the pull request's own."""

    workflow = "merge_group"

    base: str
    head: str
    pull_head: str
    attempt: int = 0

    @property
    def subject(self) -> str:
        return f"merge_group:{self.repository.id}:{self.head}"

    def __str__(self) -> str:
        return f"merge group {self.head[:7]} of {self.repository.full_name}"


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
