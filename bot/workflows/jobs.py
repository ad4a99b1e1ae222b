"""What a run is asked to do: the one argument of every workflow, stored as JSON."""

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter

from bot.github.deliveries import Delivery
from bot.github.values import Repository
from bot.reports import IssueText


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
class IssueJob:
    """seq: the delivery it stands for. delivery: absent for a schedule. attempt: how often GitHub was away already.

    acts: whether the delivery asks for more than a look. It is said with the job: telling it takes the App's name,
    which a run that is begun again may not be able to ask for.
    acted: what was done before GitHub went away; it is not done again hours later, when people may have said more.
    asked_in: the id of the comment by which somebody asked for it, and waits for the answer.
    """

    run_id: str
    seq: int
    installation_id: int
    repository: Repository
    number: int
    received_at: datetime
    why: Why = Why.DELIVERY
    delivery: Delivery | None = None
    attempt: int = 0
    acted: IssueOutcome | None = None
    asked_in: int | None = None
    acts: bool = False

    @property
    def subject(self) -> str:
        return f"issue:{self.repository.id}:{self.number}"


@dataclass(frozen=True, slots=True)
class AlreadyFixedJob:
    """Look for the fix of what an issue reports, and run what it shows, which may take minutes. text: names title and
    body of the report. asked_in: the id of the comment by which somebody asked for it, and waits for the answer."""

    run_id: str
    seq: int
    installation_id: int
    repository: Repository
    number: int
    report: IssueText
    text: str
    attempt: int = 0
    asked_in: int | None = None

    @property
    def subject(self) -> str:
        return f"already_fixed:{self.repository.id}:{self.number}"


@dataclass(frozen=True, slots=True)
class PolicyCheckJob:
    """A push or a pull request that may have changed the policy."""

    run_id: str
    seq: int
    delivery: Delivery
    attempt: int = 0

    @property
    def subject(self) -> str:
        repository = self.delivery.repository
        return f"policy_check:{repository.id if repository else 0}"


@dataclass(frozen=True, slots=True)
class ReviewJob:
    """A review that rejects a pull request, or a comment on one that may be a command or an answer."""

    run_id: str
    seq: int
    installation_id: int
    repository: Repository
    number: int
    delivery: Delivery
    attempt: int = 0

    @property
    def subject(self) -> str:
        return f"review:{self.repository.id}:{self.number}"


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
class PullJob:
    """Short work on one pull request's gate: open it, hear a word, show what came of it. All of it is done in turn, so
    nothing older is ever written over something newer. number: 0 where a check names no pull request. head: of the
    merge group it is about, if any. error: the number under which the log has what Bouncer did wrong."""

    run_id: str
    seq: int
    installation_id: int
    repository: Repository
    number: int
    why: GateEvent
    delivery: Delivery | None = None
    attempt: int = 0
    head: str = ""
    error: str = ""

    @property
    def subject(self) -> str:
        return f"pull:{self.repository.id}:{self.number}"


@dataclass(frozen=True, slots=True)
class JudgingJob:
    """Judge one head commit of a pull request, which may take minutes."""

    run_id: str
    seq: int
    installation_id: int
    repository: Repository
    number: int
    head: str
    attempt: int = 0

    @property
    def subject(self) -> str:
        return f"judging:{self.repository.id}:{self.number}"


@dataclass(frozen=True, slots=True)
class MergeGroupJob:
    """Execute what the merge queue would merge, which may take minutes. number: of the pull request the group adds.
    base, head: the commits before and after; pull_head: the pull request's own."""

    run_id: str
    seq: int
    installation_id: int
    repository: Repository
    number: int
    base: str
    head: str
    pull_head: str
    attempt: int = 0

    @property
    def subject(self) -> str:
        return f"merge_group:{self.repository.id}:{self.head}"


ISSUE: TypeAdapter[IssueJob] = TypeAdapter(IssueJob)
ALREADY_FIXED: TypeAdapter[AlreadyFixedJob] = TypeAdapter(AlreadyFixedJob)
POLICY_CHECK: TypeAdapter[PolicyCheckJob] = TypeAdapter(PolicyCheckJob)
REVIEW: TypeAdapter[ReviewJob] = TypeAdapter(ReviewJob)
PULL: TypeAdapter[PullJob] = TypeAdapter(PullJob)
JUDGING: TypeAdapter[JudgingJob] = TypeAdapter(JudgingJob)
MERGE_GROUP: TypeAdapter[MergeGroupJob] = TypeAdapter(MergeGroupJob)


def pack(job: IssueJob | AlreadyFixedJob | PolicyCheckJob | ReviewJob | PullJob | JudgingJob | MergeGroupJob) -> str:
    """As the engine stores it."""
    return _adapter(cast(Hashable, type(job))).dump_json(job).decode()


@cache  # making one anew costs more than all else that is done to start a run
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast(Any, kind))
