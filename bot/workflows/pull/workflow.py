"""The desk workflow: everything short about a pull request's gate.

It opens the gate for a new commit, hears what people press and write, answers the merge queue, and shows what came of
judging. One pull request's are done in turn, so nothing older is ever written over something newer; the long work is
that of the gate and group workflows, which the desk starts.
"""

import logging
from dataclasses import replace

from bot.github.values import Delivery, MergeGroup, Press
from bot.pulls.agents import agents_labels
from bot.workflows.durable.github_step import attempt
from bot.workflows.jobs import DESK, Desk, DeskJob, pack
from bot.workflows.pull.authorship import Whose
from bot.workflows.pull.base import Acted, tell_the_desk
from bot.workflows.pull.commits import Commits
from bot.workflows.pull.merge_queue import MergeQueue
from bot.workflows.pull.people import People
from bot.workflows.resubmit import carried_through, error_number
from bot.workflows.services import Services

log = logging.getLogger(__name__)

UNFINISHED = {Desk.OVERDUE: "it took too long", Desk.GIVEN_UP: "GitHub did not give what it takes"}
LOOKS = ("opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft")


class DeskWorkflow:
    """`DeskWorkflow(services).run` is what the engine runs."""

    name = "desk"

    def __init__(self, services: Services) -> None:
        self.services = services

    def run(self, argument: str) -> str:
        job = DESK.validate_json(argument)
        outcome = carried_through(
            *(self.services, self.name, job, lambda: self._run(job)),
            lambda: self._give_up(job),
            lambda error: self._failed(job, error),
        )
        log.info("gate of %s#%d: %s", job.repository.full_name, job.number, outcome)
        return outcome

    def _run(self, job: DeskJob) -> str:
        acted = attempt("act", Acted, lambda: act(self.services, job))
        for judge in acted.judge:
            self.services.submit("gate", judge.run_id, judge.subject, pack(judge))
        for merge in acted.merge:
            self.services.submit("group", merge.run_id, merge.subject, pack(merge))
        for asked in acted.ask:
            self.services.submit(self.name, asked.run_id, asked.subject, pack(asked))
        return acted.outcome

    def _give_up(self, job: DeskJob) -> None:
        """GitHub refused something, or was away for too long: what there is to show is shown once more, else that."""
        heard = job.delivery is not None and (job.delivery.comment or job.delivery.press)
        if heard and self.services.gates.get(job.repository.id, job.number) is None:
            return
        error = error_number(job.run_id)
        log.error("gate of %s#%d: given up, error %s", job.repository.full_name, job.number, error)
        self._tell(job, Desk.REFUSED, error)

    def _failed(self, job: DeskJob, error: str) -> None:
        self._tell(job, Desk.FAILED, error)

    def _tell(self, job: DeskJob, why: Desk, error: str) -> None:
        """Once: what fails at saying so has nobody left to tell, and the deadline completes the check."""
        group = job.delivery.group if job.delivery else None
        if job.why not in (Desk.FAILED, Desk.REFUSED) and (job.number or group):
            tell_the_desk(self.services, job, why, group.head if group else job.head, error)


def act(services: Services, job: DeskJob) -> Acted:
    """Do what the job asks. May be repeated after a kill. Raises `GitHubError`."""
    if not services.installed(job.installation_id):
        return Acted("uninstalled")
    if job.why is Desk.DONE:
        return MergeQueue(services, job).shown(job.head) if job.head else Commits(services, job).shown()
    if job.why is Desk.RENEWED:
        return Commits(services, job).renewed()
    if job.why is Desk.LOOKED:
        return Commits(services, job).looked()
    if job.why is Desk.ANSWERED:
        return Commits(services, job).answered()
    if job.why in (Desk.FAILED, Desk.REFUSED):
        if job.head:
            return MergeQueue(services, job).failed(job.head)
        return Commits(services, job).failed() if job.why is Desk.FAILED else Commits(services, job).refused()
    if job.why in UNFINISHED:
        why = UNFINISHED[job.why]
        return (
            MergeQueue(services, job).unfinished(job.head, why) if job.head else Commits(services, job).unfinished(why)
        )
    assert job.delivery is not None
    return _received(services, job, job.delivery)


def _received(services: Services, job: DeskJob, delivery: Delivery) -> Acted:
    commits = Commits(services, job)
    if delivery.pull is not None:
        Whose(services, job.repository.id, delivery.pull.number).told(delivery, commits.policy())
    if delivery.press is not None:
        return _pressed(services, job, delivery.press)
    if delivery.comment is not None:
        return People(services, job).heard(delivery.comment)
    if delivery.group is not None:
        return _grouped(services, job, delivery.group, gone=delivery.action == "destroyed")
    if delivery.pull is None:
        return Acted("it names no pull request")
    if delivery.action == "closed":
        return commits.closed()
    if delivery.action in LOOKS or delivery.changed or _marks_agent(commits, delivery.label):
        return commits.opened(delivery.pull)
    return Acted("nothing about it concerns the gate")


def _pressed(services: Services, job: DeskJob, press: Press) -> Acted:
    """A button or a re-run, beside the check of a commit or of a merge group. A check names no pull request, at least
    none of a fork: so it means each that has the commit, and the desk of each is asked, that its jobs are done in turn.
    """
    if press.app_id != services.github.id:
        return Acted("another App's check")
    group = services.groups.get(job.repository.id, press.head)
    if group is not None and group.number == job.number:
        return MergeQueue(services, job).again(group)
    if job.number:
        return People(services, job).pressed(press)
    on = [group.number] if group else [record.number for record in services.gates.on(job.repository.id, press.head)]
    return Acted(f"asked of {on}", ask=tuple(replace(job, number=each, run_id=f"{job.run_id}/{each}") for each in on))


def _grouped(services: Services, job: DeskJob, group: MergeGroup, *, gone: bool) -> Acted:
    queue = MergeQueue(services, job)
    return queue.destroyed(group) if gone else queue.asked(group)


def _marks_agent(commits: Commits, label: str) -> bool:
    """Whether a label that came, or went and so was there, makes it a coding agent's, that was none until now."""
    known = commits.known()
    policy = commits.policy() if label and not (known and known.judged) else None
    return policy is not None and label.lower() in agents_labels(policy.pulls)
