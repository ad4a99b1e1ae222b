"""What a run is asked to do: the one argument of every workflow, stored as JSON."""

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any, Self

from pydantic import TypeAdapter

from bot.github.deliveries import Delivery
from bot.github.values import Repository
from bot.reports import IssueText
from bot.storage.fixes import FixRecord
from bot.storage.gates import GateRecord, MergeGroupRecord
from bot.storage.subjects import SubjectRecord

StoredSubject = FixRecord | GateRecord | MergeGroupRecord | SubjectRecord


class Why(StrEnum):
    """What brings a run about. First of an issue, then of a pull request."""

    DELIVERY = "delivery"
    RETRY = "retry"  # the last look ended UNAVAILABLE
    SILENCE = "silence"  # nobody answered for days
    FOUND = "found"  # somebody looked for the fix of what it reports
    FIXED = "fixed"  # it was said to be fixed, days ago

    DONE = "done"  # its newest commit was judged
    OVERDUE = "overdue"  # it should have been judged by now
    GIVEN_UP = "given-up"  # judging it met what will not pass
    FAILED = "failed"  # Bouncer itself broke down over it
    REFUSED = "refused"  # GitHub did not take what was to be shown, or not give what that takes
    RENEWED = "renewed"  # the policy changed, and so far nothing was judged
    ANSWERED = "answered"  # a maintainer's answer decided about a rejection of its newest commit
    OFFERED = "offered"  # what a review suggests meets an example of its issue that its newest commit does not
    LOOKED = "looked"  # more is known of whether its issue is fixed


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
        either = {each.name: getattr(other, each.name) or getattr(self, each.name) for each in fields(self)}
        return replace(IssueOutcome(**either), outcome=other.outcome)


@dataclass(frozen=True, slots=True)
class RunJob:
    """workflow: whose run this is for. seq: the delivery it stands for. number: of the issue or pull request, 0 where
    it is about none. why, delivery: what brought it about. attempt: how often GitHub was away already.

    head: the commit to judge, or that of the merge group it is about. error: the number under which the log has what
    Bouncer did wrong. report: whose fix is looked for. asked_in: the id of the comment by which somebody asked for it,
    and waits for the answer.
    acted: what a delivery about an issue asked for beside a look, which is done once: not again hours later, when
    people may have said more. `None` until then. That something is asked for is said with the job, since telling it
    takes the App's name, which a run that is begun again may not be able to ask for.
    """

    workflow: str
    run_id: str
    seq: int
    installation_id: int
    repository: Repository
    number: int = 0
    head: str = ""
    why: Why = Why.DELIVERY
    delivery: Delivery | None = None
    attempt: int = 0
    error: str = ""
    report: IssueText | None = None
    asked_in: int | None = None
    acted: IssueOutcome | None = IssueOutcome()

    def __str__(self) -> str:
        """For the log."""
        return f"{self.workflow} of {self.place}{f' at {self.head[:7]}' if self.head else ''}"

    @property
    def place(self) -> str:
        """`OWNER/REPO#N`, or `OWNER/REPO`."""
        return f"{self.repository.full_name}#{self.number}" if self.number else self.repository.full_name

    @property
    def commit(self) -> str:
        """The commit it is about; empty without one."""
        return self.head or (self.delivery.commit if self.delivery else "")

    @property
    def key(self) -> dict[str, Any]:
        """Of what is stored of an issue or a pull request, and where that lies by now."""
        return {"repo_id": self.repository.id, "number": self.number, **self.whereabouts}

    @property
    def whereabouts(self) -> dict[str, Any]:
        """An issue or a pull request is renamed and moved along with its repository."""
        return {"installation_id": self.installation_id, "repository": self.repository.full_name}

    @property
    def subject(self) -> str:
        """Runs of the same one never overlap."""
        about = self.head if self.workflow == "merge_group" else self.number
        return f"{self.workflow}:{self.repository.id}:{about}"

    def pack(self) -> str:
        """As the engine stores it."""
        return adapter(RunJob).dump_json(self).decode()

    @classmethod
    def unpack(cls, stored: str) -> Self:
        """As it was packed."""
        job: Self = adapter(cls).validate_json(stored)
        return job

    @classmethod
    def about(cls, workflow: str, where: "RunJob | StoredSubject | Delivery", seq: int, tail: str, **more: Any) -> Self:
        """About what another job, a stored record or a delivery is about, as far as `more` does not say otherwise.
        tail: with it the run's id is the same whenever the same is asked for; by it the runs of a subject sort."""
        place = Repository(where.repo_id, where.repository) if isinstance(where, StoredSubject) else where.repository
        assert place is not None  # the dispatcher saw to it
        given: dict[str, Any] = {"repository": place, "number": where.number} | more
        run_id = f"{workflow}:{place.id}:{given['number']}:{tail}"
        return cls(workflow, run_id, seq, where.installation_id, **given)


_made = cache(TypeAdapter)  # making one anew costs more than all else that is done to start a run


def adapter(kind: Any) -> TypeAdapter[Any]:
    """How values of this kind are stored."""
    return _made(kind)


def clock_job(subject: SubjectRecord, why: Why, moment: object) -> RunJob:
    """A look at an issue by the clock. Submitted twice for the same moment, it runs once."""
    return RunJob.about("issue", subject, subject.latest_seq, f"{subject.latest_seq:012d}:{why}-{moment}", why=why)


def is_due(job: RunJob, subject: SubjectRecord) -> bool:
    """Whether a look is still to be tried again by this job: a newer one without a verdict has set another moment."""
    return subject.retry_at is None or job.run_id.endswith(f":{Why.RETRY}-{subject.retry_at}")
