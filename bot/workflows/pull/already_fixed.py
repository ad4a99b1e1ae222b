"""Whether a pull request is needed at all: what its issues report may be fixed already. A part of the gate."""

from dataclasses import replace

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.values import Run
from bot.github.errors import GitHubError
from bot.pulls.already_fixed import evidence_of, fixed_elsewhere, may_be_unneeded, suspicion, unneeded
from bot.pulls.facts import NeedlessChange, PullFacts
from bot.workflows.durable.step import attempt, may_pass
from bot.workflows.fix_finder import PullBase
from bot.workflows.jobs import RunJob, Why
from bot.workflows.pull.gather import GateInputs
from bot.workflows.services import Services


def with_need(services: Services, job: RunJob, gathered: GateInputs) -> PullFacts:
    """The gathered facts, with what speaks against changing anything. What only a text says is told, and blocks
    nobody. Raises `Stopped`."""
    facts, looked = gathered.facts, gathered.looked
    if not may_be_unneeded(looked):
        return replace(facts, remarks=(*suspicion(looked), *facts.remarks))
    runs = attempt("run what is fixed", dict[int, dict[str, Run]], lambda: _at_base(services, job, gathered))
    found: NeedlessChange | None = unneeded(looked, runs, gathered.base, leaves_code=gathered.leaves_code)
    if found is None:
        return replace(facts, risks=(*facts.risks, fixed_elsewhere(looked, runs)))
    return replace(facts, unneeded=found, shown=found.shown, evidence=(*facts.evidence, *evidence_of(found)))


def ask_again(services: Services, job: RunJob) -> None:
    """More is known of the issue's fix, or somebody disagreed: the workflows of the pull requests that answer it
    decide whether that changes what those were judged by. Each run asks once."""
    answering = attempt("who answers it", tuple[int, ...], lambda: services.fixes.users(job.repository.id, job.number))
    for number in answering:
        services.start(RunJob.about("pull", job, job.seq, f"looked:{job.run_id}", number=number, why=Why.LOOKED))


def _at_base(services: Services, job: RunJob, gathered: GateInputs) -> dict[int, dict[str, Run]]:
    """What the reproductions show at the base, by issue; nothing of what cannot be run there. Where the base is the
    commit that was looked at, it is known. Raises a `GitHubError` that may pass."""
    base = PullBase(job.repository, gathered.base, gathered.policy.verify, shared=gathered.guarded)
    credential = services.github.credential(job.installation_id)

    def run(found: FixFinding) -> dict[str, Run]:
        if found.head == base.sha:
            return {trial.reproduction.name: trial.head for trial in found.fixed.trials if trial.head}
        try:
            return services.examiner.run_at_base(base, found, credential)
        except GitHubError as error:
            if may_pass(error):
                raise
            return {}

    return {each.number: run(each.found) for each in gathered.looked}
