"""What takes minutes about a pull request; its own workflow shows it. The judging workflow judges one head commit:
gather, ask the judge, execute, decide, keep; it ends as soon as a newer commit is known. The merge group workflow
executes what the merge queue would merge, against the commit below it."""

from dataclasses import replace

from bot.changes.write import shown_diff
from bot.github.errors import GitHubError
from bot.judges.agent.code_tools import CodeReader
from bot.judges.reviews import PatchReview
from bot.live.precision import Subject
from bot.pulls.facts import PullFacts
from bot.pulls.judgement import ReviewAnswer, concluded, judged, opinion, subject_of
from bot.pulls.result import answered, stored
from bot.pulls.suggestions import SuggestionError
from bot.rendering.annotations import annotations
from bot.rendering.escape import LINE, one_line
from bot.rendering.pull_reasons import verdict_with_reasons
from bot.rendering.suggestions import suggestion_notes
from bot.storage.gates import GateRecord, GateState, MergeGroupRecord, MergeGroupState
from bot.storage.judgements import JudgementRecord
from bot.verification.evidence import HeadTrial
from bot.verification.execution import RejectedChange, rejection
from bot.workflows.durable.step import attempt, may_pass
from bot.workflows.jobs import Why
from bot.workflows.pull.already_fixed import with_need
from bot.workflows.pull.base import tell_the_gate
from bot.workflows.pull.gather import GateGathering, GateInputs
from bot.workflows.pull.merge_queue import STOOD
from bot.workflows.pull.offers import Offers
from bot.workflows.run_context import count_verdict
from bot.workflows.verifier import ExecutionRequest
from bot.workflows.workflow import WorkflowRun

NEWER = "superseded: a newer commit is judged"
GONE = "the group is gone"


class JudgingWorkflow(WorkflowRun):
    """One head commit."""

    name, long = "judging", True

    def perform(self) -> str:
        gathered = attempt("gather", GateInputs, self._gather)
        if gathered.outcome:
            return gathered.outcome
        if gathered.through:
            outcome = attempt("let through", str, lambda: self._let_through(gathered))
            tell_the_gate(self.services, self.job, Why.DONE)
            return outcome
        facts = judged(
            with_need(self.services, self.job, gathered),
            ask=lambda: attempt("judge", ReviewAnswer, lambda: self._opinion(gathered)),
            execute=lambda review: attempt("execute", HeadTrial, lambda: self._execute(gathered, review)),
        )
        outcome = attempt("keep", str, lambda: self._keep(gathered, facts))
        tell_the_gate(self.services, self.job, Why.DONE)
        return outcome

    def _gather(self) -> GateInputs:
        """Of several runs that waited for their turn only the newest asks for anything. Raises `GitHubError`."""
        return GateGathering(self.services, self.job).gather() if self._record() else GateInputs(NEWER)

    def _let_through(self, gathered: GateInputs) -> str:
        record = self._record()
        if record is None:
            return NEWER
        left = gathered.left.value if gathered.left else ""
        record = replace(record, state=GateState.DONE, due_at=None, base_branch=gathered.base_branch, left_alone=left)
        settled = self.services.gates.settle(record)
        return gathered.through if settled else NEWER

    def _opinion(self, gathered: GateInputs) -> ReviewAnswer:
        reviewer = self.services.patch_reviewer(gathered.policy.pulls)
        code = self._code() if reviewer.looks else ""
        return opinion(reviewer, subject_of(gathered.wanted, gathered.change), code)

    def _code(self) -> CodeReader | str:
        """The head commit to look things up in; or why there is none, which is no reason not to judge. Raises a
        `GitHubError` that may pass: what runs needs the commit as well, so a model would be asked in vain."""
        job = self.job
        try:
            return self.services.verifier.code(job.repository, job.number, job.head, self.credential)
        except (GitHubError, SuggestionError) as error:
            if isinstance(error, GitHubError) and may_pass(error):
                raise
            return "the commit could not be fetched"

    def _execute(self, gathered: GateInputs, review: PatchReview | None) -> HeadTrial:
        """A rejection that says what it means is put to the test. Raises `GitHubError`."""
        job = self.job
        offers = Offers(self.services, job, gathered.wanted)
        wanted = ExecutionRequest(
            repository=job.repository,
            number=job.number,
            head=job.head,
            base=gathered.base,
            tip=gathered.tip,
            specification=gathered.wanted.specification,
            policy=gathered.policy,
            shared=gathered.guarded,
            sources=gathered.wanted.sources,
            offered=offers,
        )
        trial = execute(self, wanted, rejection(subject_of(gathered.wanted, gathered.change), review))
        # Where another job ran it, its words are a stranger's: a link is one of those that are looked up here.
        known = {fix.url for fix in offers()} if trial.holes else set()
        holes = (replace(each, url=each.url if each.url in known else "") for each in trial.holes)
        return replace(trial, holes=tuple(holes))

    def _keep(self, gathered: GateInputs, facts: PullFacts) -> str:
        """Store the verdict and what led to it, unless a newer commit came meanwhile."""
        record, job = self._record(), self.job
        if record is None:
            return NEWER
        entries = self.services.ledger.entries(job.repository.id, job.number)
        facts = replace(facts, answered=answered((entry.verdict for entry in entries), job.head))
        result = concluded(facts, head=job.head, base=gathered.tip, agent=gathered.agent, asked=gathered.wanted.said)
        # GitHub never takes back what was said beside a line, so that is said once for each commit.
        beside = self.services.judgements.annotations(job.repository.id, job.head) or annotations(
            gathered.change, result
        )
        result = replace(
            result,
            annotations=beside,
            suggestions=suggestion_notes(facts.trial.fix, gathered.change),
            diff=shown_diff(gathered.change),
            policy=gathered.policy_source,
        )
        kept_as, verdict, now = stored(result), verdict_with_reasons(result), self.services.now()
        why = verdict.reasons[0]
        judgement = JudgementRecord(
            run_id=job.run_id,
            **job.key,
            head=job.head,
            at=now,
            decision=verdict.decision,
            sentence=one_line(why, LINE),
            result=kept_as,
            annotations=beside,
        )
        kept = replace(record, base_branch=gathered.base_branch, left_alone="")
        kept = kept.with_decision(verdict.decision, kept_as)
        self.services.judgements.keep(judgement)
        self.services.enter(job, Subject.PULL, verdict, author=gathered.author, mode=gathered.policy.mode)
        if not self.services.gates.settle(kept):
            return NEWER
        count_verdict("pulls", verdict.decision, now)
        return f"{verdict.decision.value.lower()}: {why}"

    def on_end_short(self, outcome: str, error: str) -> None:
        if self._record():
            tell_the_gate(self.services, self.job, Why.FAILED if error else Why.GIVEN_UP, error=error)

    def _record(self) -> GateRecord | None:
        """The gate's record, as long as this run is the newest that was asked for."""
        found = self.services.gates.get(self.job.repository.id, self.job.number)
        ours = found is not None and found.run_id == self.job.run_id and found.state is GateState.JUDGING
        return found if ours else None


def execute(run: WorkflowRun, wanted: ExecutionRequest, rejected: RejectedChange | None = None) -> HeadTrial:
    """As the verifier's `check`; why nothing ran stands in the answer. Raises a `GitHubError` that may pass."""
    try:
        return run.services.verifier.check(wanted, run.credential, rejected)
    except SuggestionError as error:
        return HeadTrial(problem=str(error))
    except GitHubError as error:
        if may_pass(error):
            raise
        return HeadTrial(problem=f"It could not be fetched to be executed: {error}.")


class MergeGroupWorkflow(WorkflowRun):
    """One commit of the merge queue."""

    name, long = "merge_group", True

    def perform(self) -> str:
        group = self._waiting()
        if group is None:
            return GONE
        specification = attempt("gather", str, self._specification)
        stood = attempt("execute", HeadTrial, lambda: self._execute(group, specification))
        if not attempt("keep", bool, lambda: self._keep(stood)):
            return GONE
        tell_the_gate(self.services, self.job, Why.DONE, self.job.head)
        return "executed" if stood.patch else f"not executed: {stood.problem}"

    def _specification(self) -> str:
        """What the pull request was asked for, in others' words; empty when it changed meanwhile."""
        gate = self.services.gates.get(self.job.repository.id, self.job.number)
        own = replace(self.job, head=gate.head if gate else "")
        return GateGathering(self.services, own).gather().wanted.specification

    def _execute(self, group: MergeGroupRecord, specification: str) -> HeadTrial:
        """Raises `GitHubError`."""
        policy = self.policy_status().in_force
        if policy is None:
            return HeadTrial(problem="The policy is invalid.")
        wanted = ExecutionRequest(
            repository=self.job.repository,
            number=0,
            head=group.head,
            base=group.base,
            specification=specification,
            policy=policy,
        )
        return execute(self, wanted)

    def _keep(self, stood: HeadTrial) -> bool:
        """Whether anybody still waits for it."""
        found = STOOD.dump_json(stood).decode()
        return self.services.merge_groups.keep(self.job.repository.id, self.job.head, found)

    def on_end_short(self, outcome: str, error: str) -> None:
        if self._waiting():
            tell_the_gate(self.services, self.job, Why.FAILED if error else Why.GIVEN_UP, self.job.head, error)

    def _waiting(self) -> MergeGroupRecord | None:
        """The group, as long as somebody waits for it."""
        group = self.services.merge_groups.get(self.job.repository.id, self.job.head)
        return group if group is not None and group.state is MergeGroupState.RUNNING else None
