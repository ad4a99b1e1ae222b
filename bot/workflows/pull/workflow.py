"""The pull request workflow: everything short about a pull request's gate, and which deliveries are about it.

It opens the gate for a new commit, hears what people press and write, answers the merge queue, and shows what came of
judging. One pull request's are done in turn, so nothing older is ever written over something newer; the long work is
that of the judging and merge group workflows, which this one starts.
"""

import logging
from dataclasses import replace

from bot.github.deliveries import Delivery, MergeGroup, Press
from bot.issues.commands import may_hold_command
from bot.pulls.agents import agents_labels
from bot.rendering.gate_states import REFUSED
from bot.storage.inbox import Queued
from bot.workflows.commands import COMMENTS
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, run_tail, take
from bot.workflows.durable.step import attempt
from bot.workflows.jobs import GateEvent, PullJob
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.pull.base import GateOutcome, tell_the_gate
from bot.workflows.pull.commits import GateCommits
from bot.workflows.pull.merge_queue import MergeQueue
from bot.workflows.pull.person_actions import GatePersonActions
from bot.workflows.services import Services
from bot.workflows.workflow import Workflow, error_number

log = logging.getLogger(__name__)

UNFINISHED = {GateEvent.OVERDUE: "it took too long", GateEvent.GIVEN_UP: REFUSED}
LOOKS = ("opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft")


def _wants(delivery: Delivery, context: AppIdentity) -> Intent:
    if delivery.event == "pull_request" and delivery.pull is not None:
        return take(f"a pull request: {delivery.action}")
    if delivery.group is not None:
        return take(f"a merge group: {delivery.action}")
    if delivery.press is not None:
        own = delivery.press.app_id == context.app_id
        return take("somebody pressed a check") if own else ignore("it is another App's check")
    if delivery.comment is None or not (delivery.pull or (delivery.issue and delivery.issue.is_pull_request)):
        return ignore("it concerns no gate")
    if delivery.sender_is_bot:
        return ignore("bots do not command")
    named = may_hold_command(delivery.comment.body, context.slug)
    return take("a comment on a pull request") if named else ignore("it names no command")


def _handle(services: Services, queued: Queued, intent: Intent) -> None:
    delivery, number = queued.delivery, _number(queued.delivery)
    assert delivery.repository  # the dispatcher saw to it
    run_id, why = f"pull:{delivery.repository.id}:{number}:{run_tail(queued)}", GateEvent.DELIVERY
    services.start(PullJob.about(delivery, run_id, queued.seq, number=number, why=why, delivery=delivery))


def _number(delivery: Delivery) -> int:
    """The pull request a gate belongs to; 0 for a check, which is a commit's."""
    if delivery.group is not None:
        return delivery.group.number or 0
    subject = delivery.pull or delivery.issue
    return subject.number if subject else 0


HANDLER = DeliveryHandler(
    "pull",
    frozenset({"pull_request", "merge_group", "check_run", "check_suite", *COMMENTS}),
    _wants,
    _handle,
)


class PullWorkflow(Workflow[PullJob], kind=PullJob):
    """One word, press, push or deadline."""

    def perform(self, job: PullJob) -> str:
        acted = attempt("act", GateOutcome, lambda: act(self.services, job))
        for following in (*acted.judge, *acted.merge, *acted.ask):
            self.services.start(following)
        return acted.outcome

    def on_end_short(self, job: PullJob, outcome: str, error: str) -> None:
        """Bouncer broke down over it, and that is said. Or GitHub refused something, or was away for too long: what
        there is to show is shown once more, else that. Once: what fails at saying so has nobody left to tell, and the
        deadline completes the check; where it is that which GitHub refuses, it only comes back."""
        if job.why in (GateEvent.FAILED, GateEvent.REFUSED):
            return
        group = job.delivery.group if job.delivery else None
        why, number = (GateEvent.FAILED if error else GateEvent.REFUSED), error or error_number(job.run_id)
        if not error:
            heard = job.delivery is not None and (job.delivery.comment or job.delivery.press)
            if heard and self.services.gates.get(job.repository.id, job.number) is None:
                return
            log.error("%s: error %s, %s", job, number, outcome)
        if job.number or group:
            tell_the_gate(self.services, job, why, group.head if group else job.head, number)


def act(services: Services, job: PullJob) -> GateOutcome:
    """Do what the job asks. May be repeated after a kill. Raises `GitHubError`."""
    if not services.is_installed(job.installation_id):
        return GateOutcome("uninstalled")
    if job.why is GateEvent.DONE:
        return MergeQueue(services, job).show_result(job.head) if job.head else GateCommits(services, job).show_result()
    if job.why is GateEvent.RENEWED:
        return GateCommits(services, job).on_new_policy()
    if job.why is GateEvent.LOOKED:
        return GateCommits(services, job).on_fix_search()
    if job.why is GateEvent.ANSWERED:
        return GateCommits(services, job).on_answer()
    if job.why in (GateEvent.FAILED, GateEvent.REFUSED):
        if job.head:
            return MergeQueue(services, job).on_failure(job.head)
        return (
            GateCommits(services, job).on_failure()
            if job.why is GateEvent.FAILED
            else GateCommits(services, job).on_refusal()
        )
    if job.why in UNFINISHED:
        why = UNFINISHED[job.why]
        return MergeQueue(services, job).give_up(job.head, why) if job.head else GateCommits(services, job).give_up(why)
    assert job.delivery is not None
    return _received(services, job, job.delivery)


def _received(services: Services, job: PullJob, delivery: Delivery) -> GateOutcome:
    commits = GateCommits(services, job)
    if delivery.comment is not None:
        return GatePersonActions(services, job).on_comment(delivery.comment)
    if delivery.pull is not None:
        PullAuthor(services, job.repository.id, delivery.pull.number).note_delivery(delivery, commits.policy())
    if delivery.press is not None:
        return _pressed(services, job, delivery.press)
    if delivery.group is not None:
        return _grouped(services, job, delivery.group, gone=delivery.action == "destroyed")
    if delivery.pull is None:
        return GateOutcome("it names no pull request")
    if delivery.action == "closed":
        return commits.on_close()
    if delivery.action in LOOKS or delivery.changed or _marks_agent(commits, delivery.label):
        return commits.on_open(delivery.pull)
    return GateOutcome("nothing about it concerns the gate")


def _pressed(services: Services, job: PullJob, press: Press) -> GateOutcome:
    """A button or a re-run, beside the check of a commit or of a merge group. A check names no pull request, at least
    none of a fork: so it means each that has the commit, and the workflow of each is asked: its jobs are
    done in turn.
    """
    if press.app_id != services.github.id:
        return GateOutcome("another App's check")
    group = services.merge_groups.get(job.repository.id, press.head)
    if group is not None and group.number == job.number:
        return MergeQueue(services, job).again(group)
    if job.number:
        return GatePersonActions(services, job).on_button(press)
    on = [group.number] if group else [record.number for record in services.gates.on(job.repository.id, press.head)]
    return GateOutcome(
        f"asked of {on}", ask=tuple(replace(job, number=each, run_id=f"{job.run_id}/{each}") for each in on)
    )


def _grouped(services: Services, job: PullJob, group: MergeGroup, *, gone: bool) -> GateOutcome:
    queue = MergeQueue(services, job)
    return queue.on_destroy(group) if gone else queue.on_request(group)


def _marks_agent(commits: GateCommits, label: str) -> bool:
    """Whether a label that came, or went and so was there, makes it a coding agent's, that was none until now."""
    known = commits.gate_record()
    policy = commits.policy() if label and not (known and known.judged) else None
    return policy is not None and label.lower() in agents_labels(policy.pulls)
