"""What all short work on a gate has in common: who asks, which policy holds, and how a commit gets judged."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.policy import Policy
from bot.policy_choices import Mode
from bot.rendering.gate import GateView
from bot.rendering.gate_states import REFUSED, state_view, timeout_view
from bot.storage.gates import GateRecord, GateState
from bot.workflows.jobs import RunJob, Why
from bot.workflows.pull.check_run import show
from bot.workflows.services import Services
from bot.workflows.workflow import JobContext

PATIENCE = timedelta(minutes=30)  # beyond what the policy gives the tests, for everything else about one commit
UNWANTED = "not judged again: the policy is invalid, or does not want it"


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """outcome: one line. start: what follows: commits to be judged, groups to be executed, other pull requests."""

    outcome: str
    start: tuple[RunJob, ...] = ()


class GateContext(JobContext):
    """One job of the pull request workflow."""

    def gate_record(self, number: int | None = None) -> GateRecord | None:
        """The gate of the job's pull request, or of another one here."""
        return self.services.gates.get(self.job.repository.id, self.job.number if number is None else number)

    def policy(self) -> Policy | None:
        """The policy in force; `None` while the file is invalid and no valid one was ever read."""
        return self.policy_status().in_force

    def without_verdict(self, policy: Policy | None) -> GateView:
        """The check where this job is to say that something failed: whether Bouncer did, or GitHub refused."""
        mode, error = policy.mode if policy else Mode.ENFORCE, self.job.error
        refused = self.job.why is Why.REFUSED
        return timeout_view(mode, REFUSED, error) if refused else state_view("fault", mode, error=error)

    def judge(self, record: GateRecord, policy: Policy, doing: str) -> GateOutcome:
        """Open the gate of this commit, and have it judged."""
        place, tail = self.job.repository, self._tail(record)
        job = RunJob.about("judging", record, self.job.seq, tail, repository=place, head=record.head)
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
            show(self.services, self.client, judging.head, state_view("progress", doing=doing))
        return GateOutcome(f"judging {record.head[:7]}", (job,))

    def began(self, record: GateRecord) -> bool:
        """Whether this very job opened the gate that stands, and came to its end before it had anything judged."""
        return record.state is GateState.JUDGING and record.run_id.endswith(f":{self._tail(record)}")

    def _tail(self, record: GateRecord) -> str:
        """Of the id of the run that this job has judge the record's commit."""
        # Its number is that of a delivery which others judge by as well.
        again = f":{self.job.run_id}" if self.job.why in (Why.LOOKED, Why.ANSWERED, Why.OFFERED, Why.REFUSED) else ""
        return f"{self.job.seq:012d}:{record.head}{again}"

    def due(self, policy: Policy) -> datetime:
        """When what begins now is completed in any case."""
        return self.services.now() + PATIENCE + timedelta(seconds=6 * policy.verify.timeout)


def tell_the_gate(services: Services, job: RunJob, why: Why, head: str = "", error: str = "") -> None:
    """The work on a commit came to its end. head: of the merge group it was about, if any. error: its number, where
    that end was Bouncer's own failure. By its id what came of work runs after every delivery of the same second."""
    told = RunJob.about("pull", job, job.seq, f"outcome:{job.run_id}/{why}", why=why, head=head, error=error)
    own = f"{job.run_id}/{why}" if job.workflow == "pull" else told.run_id
    services.start(replace(told, run_id=own))
