"""The fixed workflow: look for the fix of what an issue reports, and run what it shows. Gather, examine, keep; then the
issue's own workflow says what was found. It may take minutes, and its answer counts only for the text that it read."""

import logging
from dataclasses import dataclass, replace

from bot.already_fixed.finding import FOUND, FixFinding
from bot.issues.parse import parse
from bot.policy_choices import Door
from bot.workflows.already_fixed.similar_issues import relatives
from bot.workflows.durable.github_step import attempt
from bot.workflows.fix_finder import Suspect
from bot.workflows.jobs import ALREADY_FIXED, AlreadyFixedJob, IssueJob, Why, pack
from bot.workflows.policies import policy_status
from bot.workflows.pull.already_fixed import ask_again
from bot.workflows.resubmit import carry_through
from bot.workflows.services import Services

log = logging.getLogger(__name__)

NEWER = "superseded: a newer text is looked at"


@dataclass(frozen=True, slots=True)
class FixInputs:
    """outcome: set when nothing is to be looked for."""

    outcome: str = ""
    suspect: Suspect | None = None


class AlreadyFixedWorkflow:
    """`AlreadyFixedWorkflow(services).run` is what the engine runs."""

    name = "already_fixed"

    def __init__(self, services: Services) -> None:
        self.services = services

    def run(self, argument: str) -> str:
        job = ALREADY_FIXED.validate_json(argument)
        outcome = carry_through(self.services, self.name, job, lambda: self._run(job))
        log.info("a fix for %s#%d: %s", job.repository.full_name, job.number, outcome)
        return outcome

    def _run(self, job: AlreadyFixedJob) -> str:
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
        told = IssueJob(
            run_id=f"issue:{job.repository.id}:{job.number}:{job.seq:012d}:found:{job.run_id}",
            seq=job.seq,
            installation_id=job.installation_id,
            repository=job.repository,
            number=job.number,
            received_at=self.services.now(),
            why=Why.FOUND,
            asked_in=job.asked_in,
        )
        self.services.submit("issue", told.run_id, told.subject, pack(told))
