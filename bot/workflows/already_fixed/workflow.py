"""The fixed workflow: look for the fix of what an issue reports, and run what it shows. Gather, examine, keep; then the
issue's own workflow says what was found. It may take minutes, and its answer counts only for the text that it read."""

from dataclasses import replace
from typing import Any

from bot.already_fixed.finding import FOUND, FixFinding
from bot.issues.parse import parse
from bot.policy_choices import Door
from bot.workflows.already_fixed.relatives import relatives
from bot.workflows.durable.step import attempt
from bot.workflows.fix_finder import Suspect
from bot.workflows.issue.replies import digest_of
from bot.workflows.jobs import RunJob, Why
from bot.workflows.pull.already_fixed import ask_again
from bot.workflows.workflow import WorkflowRun

NEWER = "superseded: a newer text is looked at"
_GATHERED: Any = Suspect | str  # what `_gather` tells


class AlreadyFixedWorkflow(WorkflowRun):
    """One look for a fix."""

    name, long, door = "already_fixed", True, Door.ISSUES

    def perform(self) -> str:
        suspect: Suspect | str = attempt("gather", _GATHERED, self._gather)
        if isinstance(suspect, str):
            return suspect
        found = attempt("examine", FixFinding, lambda: self.services.examiner.examine(suspect, self.credential))
        if not attempt("keep", bool, lambda: self._keep(found)):
            return NEWER
        if self._is_told(found):
            job = self.job
            more = {"asked_in": job.asked_in, "why": Why.FOUND}
            self.services.start(RunJob.about("issue", job, job.seq, f"{job.seq:012d}:found:{job.run_id}", **more))
        ask_again(self.services, self.job)
        return str(found.fixed.status)

    def _gather(self) -> Suspect | str:
        """Or why nothing is looked for: of several runs that waited for their turn only the newest asks anything."""
        job, report = self.job, self.job.report
        record = self.services.fixes.get(job.repository.id, job.number)
        if record is None or record.run_id != job.run_id or report is None:
            return NEWER
        if not self.is_installed:
            return "uninstalled"
        policy = self.policy_status().policy
        if policy is None:
            return "not looked for: the policy is invalid"
        alike = relatives(self.client, parse(report.reporters), job.number)
        return Suspect(job.repository, job.number, report, digest_of(report), policy.verify, alike)

    def _keep(self, found: FixFinding) -> bool:
        """Unless a newer text is looked at by now."""
        job = self.job
        commits = f"{self.services.web_url}/{job.repository.full_name}/commit/"
        stored = FOUND.dump_json(replace(found, commits=commits)).decode()
        return self.services.fixes.settle(job.repository.id, job.number, job.run_id, stored)

    def _is_told(self, found: FixFinding) -> bool:
        """Whether the issue is to hear of it: asked once the finding is stored, so that what is wanted from now on
        finds it there."""
        record = self.services.fixes.get(self.job.repository.id, self.job.number)
        return record is None or bool(found.speaks or record.spoke or record.brief_wanted or self.job.asked_in)
