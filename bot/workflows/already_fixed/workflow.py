"""The fixed workflow: look for the fix of what an issue reports, and run what it shows. Gather, examine, keep; then the
issue's own workflow says what was found. It may take minutes, and its answer counts only for the text that it read."""

from dataclasses import dataclass, replace

from bot.already_fixed.finding import FOUND, FixFinding
from bot.issues.parse import parse
from bot.policy_choices import Door
from bot.workflows.already_fixed.relatives import relatives
from bot.workflows.durable.step import attempt
from bot.workflows.fix_finder import Suspect
from bot.workflows.jobs import AlreadyFixedJob, IssueJob, Why
from bot.workflows.policies import policy_status
from bot.workflows.pull.already_fixed import ask_again
from bot.workflows.workflow import Workflow

NEWER = "superseded: a newer text is looked at"


@dataclass(frozen=True, slots=True)
class FixInputs:
    """outcome: set when nothing is to be looked for."""

    outcome: str = ""
    suspect: Suspect | None = None


class AlreadyFixedWorkflow(Workflow[AlreadyFixedJob], kind=AlreadyFixedJob):
    """One look for a fix."""

    def perform(self, job: AlreadyFixedJob) -> str:
        gathered = attempt("gather", FixInputs, lambda: self._gather(job))
        suspect = gathered.suspect
        if suspect is None:
            return gathered.outcome
        credential = self.services.github.credential(job.installation_id)
        found = attempt("examine", FixFinding, lambda: self.services.examiner.examine(suspect, credential))
        if not attempt("keep", bool, lambda: self._keep(job, found)):
            return NEWER
        if self._is_told(job, found):
            self._tell(job)
        ask_again(self.services, job)
        return str(found.fixed.status)

    def _gather(self, job: AlreadyFixedJob) -> FixInputs:
        """Of several runs that waited for their turn only the newest asks for anything. Raises `GitHubError`."""
        record = self.services.fixes.get(job.repository.id, job.number)
        if record is None or record.run_id != job.run_id:
            return FixInputs(NEWER)
        if not self.services.is_installed(job.installation_id):
            return FixInputs("uninstalled")
        policy = policy_status(self.services, job.installation_id, job.repository, Door.ISSUES).policy
        if policy is None:
            return FixInputs("not looked for: the policy is invalid")
        client = self.services.repository(job.installation_id, job.repository)
        alike = relatives(client, parse(job.report.reporters), job.number)
        return FixInputs(suspect=Suspect(job.repository, job.number, job.report, job.text, policy.verify, alike))

    def _keep(self, job: AlreadyFixedJob, found: FixFinding) -> bool:
        """Unless a newer text is looked at by now."""
        commits = f"{self.services.web_url}/{job.repository.full_name}/commit/"
        stored = FOUND.dump_json(replace(found, commits=commits)).decode()
        return self.services.fixes.settle(job.repository.id, job.number, job.run_id, stored)

    def _is_told(self, job: AlreadyFixedJob, found: FixFinding) -> bool:
        """Whether the issue is to hear of it: asked once the finding is stored, so that what is wanted from now on
        finds it there."""
        record = self.services.fixes.get(job.repository.id, job.number)
        return record is None or bool(found.speaks or record.spoke or record.brief_wanted or job.asked_in)

    def _tell(self, job: AlreadyFixedJob) -> None:
        run_id = f"issue:{job.repository.id}:{job.number}:{job.seq:012d}:found:{job.run_id}"
        when = {"received_at": self.services.now(), "why": Why.FOUND}
        self.services.start(IssueJob.about(job, run_id, job.seq, asked_in=job.asked_in, **when))
