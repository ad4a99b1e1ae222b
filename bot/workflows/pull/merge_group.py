"""The merge group workflow: execute what the merge queue would merge, against the commit below it. The pull
request workflow shows it."""

from bot.policy_choices import Door
from bot.storage.gates import MergeGroupState
from bot.verification.standing import HeadTrial
from bot.workflows.durable.github_step import attempt
from bot.workflows.jobs import GateEvent, JudgingJob, MergeGroupJob
from bot.workflows.policies import policy_status
from bot.workflows.pull.base import tell_the_gate
from bot.workflows.pull.execute import execute
from bot.workflows.pull.gather import GateGathering
from bot.workflows.pull.merge_queue import STOOD
from bot.workflows.verifier import ExecutionRequest
from bot.workflows.workflow import Workflow

GONE = "the group is gone"


class MergeGroupWorkflow(Workflow[MergeGroupJob], kind=MergeGroupJob):
    """One commit of the merge queue."""

    def perform(self, job: MergeGroupJob) -> str:
        if not self._waits(job):
            return GONE
        specification = attempt("gather", str, lambda: self._specification(job))
        stood = attempt("execute", HeadTrial, lambda: self._execute(job, specification))
        if not attempt("keep", bool, lambda: self._keep(job, stood)):
            return GONE
        tell_the_gate(self.services, job, GateEvent.DONE, job.head)
        return "executed" if stood.patch else f"not executed: {stood.problem}"

    def _specification(self, job: MergeGroupJob) -> str:
        """What the pull request was asked for, in others' words; empty when it changed meanwhile."""
        own = JudgingJob(job.run_id, job.seq, job.installation_id, job.repository, job.number, job.pull_head)
        return GateGathering(self.services, own).gather().specification

    def _execute(self, job: MergeGroupJob, specification: str) -> HeadTrial:
        """Raises `GitHubError`."""
        policy = policy_status(self.services, job.installation_id, job.repository, Door.PULLS).in_force
        if policy is None:
            return HeadTrial(problem="The policy is invalid.")
        wanted = ExecutionRequest(
            repository=job.repository,
            number=0,
            head=job.head,
            base=job.base,
            suggestions=(),
            specification=specification,
            review="",
            policy=policy,
        )
        return execute(self.services, wanted, job.installation_id).stood

    def _keep(self, job: MergeGroupJob, stood: HeadTrial) -> bool:
        """Whether anybody still waits for it."""
        return self.services.merge_groups.keep(job.repository.id, job.head, STOOD.dump_json(stood).decode())

    def on_end_short(self, job: MergeGroupJob, outcome: str, error: str) -> None:
        if self._waits(job):
            tell_the_gate(self.services, job, GateEvent.FAILED if error else GateEvent.GIVEN_UP, job.head, error)

    def _waits(self, job: MergeGroupJob) -> bool:
        group = self.services.merge_groups.get(job.repository.id, job.head)
        return group is not None and group.state is MergeGroupState.RUNNING
