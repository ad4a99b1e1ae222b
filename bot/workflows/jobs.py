"""What a run is asked to do: the one argument of every workflow, stored as JSON."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import TypeAdapter

from bot.github.values import Delivery, Repository


class Why(StrEnum):
    """What brings a run about."""

    DELIVERY = "delivery"
    RETRY = "retry"  # the last look ended UNAVAILABLE
    SILENCE = "silence"  # nobody answered for days


@dataclass(frozen=True, slots=True)
class Acted:
    """recheck: judge again even a text that was judged. outcome: one line, empty when nobody did anything."""

    outcome: str = ""
    recheck: bool = False


@dataclass(frozen=True, slots=True)
class IssueJob:
    """seq: the delivery it stands for. delivery: absent for a schedule. attempt: how often GitHub was away already.

    acted: what was done before GitHub went away; it is not done again hours later, when people may have said more.
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
    acted: Acted | None = None

    @property
    def subject(self) -> str:
        return f"issue:{self.repository.id}:{self.number}"


@dataclass(frozen=True, slots=True)
class PolicyJob:
    """A push or a pull request that may have changed the policy."""

    run_id: str
    seq: int
    delivery: Delivery
    attempt: int = 0

    @property
    def subject(self) -> str:
        repository = self.delivery.repository
        return f"policy:{repository.id if repository else 0}"


@dataclass(frozen=True, slots=True)
class PullJob:
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
        return f"pull:{self.repository.id}:{self.number}"


ISSUE: TypeAdapter[IssueJob] = TypeAdapter(IssueJob)
POLICY: TypeAdapter[PolicyJob] = TypeAdapter(PolicyJob)
PULL: TypeAdapter[PullJob] = TypeAdapter(PullJob)


def pack(job: IssueJob | PolicyJob | PullJob) -> str:
    """As the engine stores it."""
    if isinstance(job, IssueJob):
        return ISSUE.dump_json(job).decode()
    return (POLICY.dump_json(job) if isinstance(job, PolicyJob) else PULL.dump_json(job)).decode()
