"""Whether a pull request is needed at all: what its issues report may be fixed already. A part of the gate."""

from dataclasses import replace

from bot.fixed.values import Run
from bot.github.errors import GitHubError
from bot.pulls.facts import PullFacts, Unneeded
from bot.pulls.stale import evidence_of, fixed_elsewhere, may_be_unneeded, suspicion, unneeded
from bot.rendering.fixed import Found
from bot.workflows.gather import Gathered
from bot.workflows.jobs import Desk, DeskJob, FixedJob, GateJob, IssueJob, pack
from bot.workflows.services import Services
from bot.workflows.trouble import attempt, trouble_of


def with_need(services: Services, job: GateJob, gathered: Gathered) -> PullFacts:
    """The gathered facts, with what speaks against changing anything. What only a text says is told, and blocks nobody.
    Raises `Stopped`."""
    facts, looked = gathered.facts, gathered.looked
    if not may_be_unneeded(looked):
        return replace(facts, remarks=(*suspicion(looked), *facts.remarks))
    runs = attempt("run what is fixed", dict[int, dict[str, Run]], lambda: _runs(services, job, gathered))
    found: Unneeded | None = unneeded(looked, runs, gathered.change, gathered.base)
    if found is None:
        return replace(facts, risks=(*facts.risks, fixed_elsewhere(looked, runs)))
    return replace(facts, unneeded=found, shown=found.shown, evidence=(*facts.evidence, *evidence_of(found)))


def ask_again(services: Services, job: IssueJob | FixedJob) -> None:
    """More is known of the issue's fix, or somebody disagreed: the desks of the pull requests held against it decide
    whether that changes what those were judged by. Each run asks once."""
    answering = attempt("who answers it", tuple[int, ...], lambda: services.fixes.users(job.repository.id, job.number))
    for number in answering:
        asked = DeskJob(
            run_id=f"desk:{job.repository.id}:{number}:looked:{job.run_id}",
            seq=job.seq,
            installation_id=job.installation_id,
            repository=job.repository,
            number=number,
            why=Desk.LOOKED,
        )
        services.submit("desk", asked.run_id, asked.subject, pack(asked))


def _runs(services: Services, job: GateJob, gathered: Gathered) -> dict[int, dict[str, Run]]:
    """What the reproductions show at the base, by issue; nothing of what cannot be run there. Raises a `GitHubError`
    that may pass."""
    return {each.number: _run(services, job, gathered, each.found) for each in gathered.looked}


def _run(services: Services, job: GateJob, gathered: Gathered, found: Found) -> dict[str, Run]:
    """Where the base is the commit that was looked at, what they show is known."""
    if found.head == gathered.base:
        return {trial.reproduction.name: trial.head for trial in found.fixed.trials if trial.head}
    credential = services.github.credential(job.installation_id)
    try:
        return services.examiner.tried(job.repository, gathered.base, found, gathered.policy.verify, credential)
    except GitHubError as error:
        if trouble_of(error).retry:
            raise
        return {}
