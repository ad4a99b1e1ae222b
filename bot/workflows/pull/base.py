"""What all short work on a gate has in common: who asks, which policy holds, and how a commit gets judged."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.policy import Policy
from bot.policy_choices import Door, Mode
from bot.rendering.gate import GateView, progress_view
from bot.rendering.gate_states import REFUSED, fault_view, timeout_view
from bot.storage.gates import GateRecord, GateState
from bot.workflows.jobs import GateEvent, JudgingJob, MergeGroupJob, PullJob, ReviewJob
from bot.workflows.policies import policy_status
from bot.workflows.pull.check_run import show
from bot.workflows.services import Services

PATIENCE = timedelta(minutes=30)  # beyond what the policy gives the tests, for everything else about one commit


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """outcome: one line. judge: the commits to be judged now. merge: the groups to be executed now. ask: other pull
    requests whose workflow has to run."""

    outcome: str
    judge: tuple[JudgingJob, ...] = ()
    merge: tuple[MergeGroupJob, ...] = ()
    ask: tuple[PullJob, ...] = ()


class GateContext:
    """One job of the pull request workflow. Everything here may be repeated after a kill, and raises `GitHubError`."""

    def __init__(self, services: Services, job: PullJob) -> None:
        self.services = services
        self.job = job
        self.client = services.repository(job.installation_id, job.repository)

    def gate_record(self, number: int | None = None) -> GateRecord | None:
        """The gate of the job's pull request, or of another one here."""
        return self.services.gates.get(self.job.repository.id, self.job.number if number is None else number)

    def policy(self) -> Policy | None:
        """The policy in force; `None` while the file is invalid and no valid one was ever read."""
        return policy_status(self.services, self.job.installation_id, self.job.repository, Door.PULLS).in_force

    def without_verdict(self, policy: Policy | None) -> GateView:
        """The check where this job is to say that something failed: whether Bouncer did, or GitHub refused."""
        mode, error = policy.mode if policy else Mode.ENFORCE, self.job.error
        return timeout_view(mode, REFUSED, error) if self.job.why is GateEvent.REFUSED else fault_view(mode, error)

    def judge(self, record: GateRecord, policy: Policy, doing: str) -> GateOutcome:
        """Open the gate of this commit, and have it judged."""
        where = {"repository": self.job.repository, "head": record.head}
        job = JudgingJob.about(record, self._run_id(record), self.job.seq, **where)
        judging = replace(
            record,
            state=GateState.JUDGING,
            decision=None,
            judged="",
            left_alone="",
            due_at=self.due(policy),
            run_id=job.run_id,
        )
        self.services.gates.save(judging)
        if policy.mode is not Mode.OBSERVE:
            show(self.services, self.client, judging.head, progress_view(doing))
        return GateOutcome(f"judging {record.head[:7]}", (job,))

    def began(self, record: GateRecord) -> bool:
        """Whether this very job opened the gate that stands, and came to its end before it had anything judged."""
        return record.state is GateState.JUDGING and record.run_id == self._run_id(record)

    def _run_id(self, record: GateRecord) -> str:
        """Of the run that this job has judge the record's commit."""
        # Its number is that of a delivery which others judge by as well.
        own = self.job.why in (GateEvent.LOOKED, GateEvent.ANSWERED, GateEvent.REFUSED)
        again = f":{self.job.run_id}" if own else ""
        return f"judging:{record.repo_id}:{record.number}:{self.job.seq:012d}:{record.head}{again}"

    def due(self, policy: Policy) -> datetime:
        """When what begins now is completed in any case."""
        return self.services.now() + PATIENCE + timedelta(seconds=6 * policy.verify.timeout)


def tell_the_gate(
    services: Services,
    job: JudgingJob | MergeGroupJob | PullJob | ReviewJob,
    why: GateEvent,
    head: str = "",
    error: str = "",
) -> None:
    """The work on a commit came to its end. head: of the merge group it was about, if any. error: its number, where
    that end was Bouncer's own failure. By its id what came of work runs after every delivery of the same second."""
    own = "" if isinstance(job, PullJob) else f"pull:{job.repository.id}:{job.number}:outcome:"
    services.start(PullJob.about(job, f"{own}{job.run_id}/{why.value}", job.seq, why=why, head=head, error=error))
