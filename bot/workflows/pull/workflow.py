"""The pull request workflow: everything short about a pull request's gate, and which deliveries are about it.

It opens the gate for a new commit, hears what people press and write, answers the merge queue, and shows what came of
judging. One pull request's are done in turn, so nothing older is ever written over something newer; the long work is
that of the judging and merge group workflows, which this one starts.
"""

import logging
from dataclasses import replace

from bot.github.deliveries import Delivery, Press
from bot.markdown.commands import may_hold_command
from bot.pulls.agents import agents_labels
from bot.rendering.gate_states import REFUSED
from bot.workflows.commands import COMMENTS
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, take
from bot.workflows.durable.step import attempt
from bot.workflows.jobs import RunJob, Why
from bot.workflows.pull.authorship import PullAuthor
from bot.workflows.pull.base import GateOutcome, tell_the_gate
from bot.workflows.pull.commits import GateCommits
from bot.workflows.pull.merge_queue import MergeQueue
from bot.workflows.pull.person_actions import GatePersonActions
from bot.workflows.services import Services
from bot.workflows.workflow import WorkflowRun, error_number

log = logging.getLogger(__name__)

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


HANDLER = DeliveryHandler(
    "pull", frozenset({"pull_request", "merge_group", "check_run", "check_suite", *COMMENTS}), _wants
)


class PullWorkflow(WorkflowRun):
    """One word, press, push or deadline."""

    name = "pull"

    def perform(self) -> str:
        acted = attempt("act", GateOutcome, lambda: act(self.services, self.job))
        for following in acted.start:
            self.services.start(following)
        return acted.outcome

    def on_end_short(self, outcome: str, error: str) -> None:
        """Bouncer broke down over it, and that is said. Or GitHub refused something, or was away for too long: what
        there is to show is shown once more, else that. Once: what fails at saying so has nobody left to tell, and the
        deadline completes the check; where it is that which GitHub refuses, it only comes back."""
        job = self.job
        if job.why in (Why.FAILED, Why.REFUSED):
            return
        group = job.delivery.group if job.delivery else None
        why, number = (Why.FAILED if error else Why.REFUSED), error or error_number(job.run_id)
        if not error:
            heard = job.delivery is not None and (job.delivery.comment or job.delivery.press)
            if heard and self.services.gates.get(job.repository.id, job.number) is None:
                return
            log.error("%s: error %s, %s", job, number, outcome)
        if job.number or group:
            tell_the_gate(self.services, job, why, group.head if group else job.head, number)


def act(services: Services, job: RunJob) -> GateOutcome:
    """Do what the job asks. May be repeated after a kill. Raises `GitHubError`."""
    commits, queue = GateCommits(services, job), MergeQueue(services, job)
    if not commits.is_installed:
        return GateOutcome("uninstalled")
    match job.why:
        case Why.DONE:
            return queue.show_result() if job.head else commits.show_result()
        case Why.RENEWED:
            return commits.on_new_policy()
        case Why.LOOKED:
            return commits.on_fix_search()
        case Why.ANSWERED:
            return commits.on_answer()
        case Why.OFFERED:
            return commits.on_offer()
        case Why.FAILED | Why.REFUSED if job.head:
            return queue.on_failure()
        case Why.FAILED:
            return commits.on_failure()
        case Why.REFUSED:
            return commits.on_refusal()
        case Why.OVERDUE | Why.GIVEN_UP:
            why = REFUSED if job.why is Why.GIVEN_UP else "it took too long"
            return queue.give_up(why) if job.head else commits.give_up(why)
    assert job.delivery is not None
    return _received(commits, queue, job.delivery)


def _received(commits: GateCommits, queue: MergeQueue, delivery: Delivery) -> GateOutcome:
    services, job = commits.services, commits.job
    if delivery.comment is not None:
        return GatePersonActions(services, job).on_comment(delivery.comment)
    if delivery.pull is not None:
        PullAuthor(services, job.repository.id, delivery.pull.number).note_delivery(delivery, commits.policy())
    if delivery.press is not None:
        return _pressed(queue, delivery.press)
    if delivery.group is not None:
        return queue.on_destroy(delivery.group) if delivery.action == "destroyed" else queue.on_request(delivery.group)
    if delivery.pull is None:
        return GateOutcome("it names no pull request")
    if delivery.action == "closed":
        return commits.on_close()
    if delivery.action in LOOKS or delivery.changed or _marks_agent(commits, delivery.label):
        return commits.on_open(delivery.pull)
    return GateOutcome("nothing about it concerns the gate")


def _pressed(queue: MergeQueue, press: Press) -> GateOutcome:
    """A button or a re-run, beside the check of a commit or of a merge group. A check names no pull request, at least
    none of a fork: so it means each that has the commit, and the workflow of each is asked: its jobs are
    done in turn.
    """
    services, job = queue.services, queue.job
    if press.app_id != services.github.id:
        return GateOutcome("another App's check")
    group = services.merge_groups.get(job.repository.id, press.head)
    if group is not None and group.number == job.number:
        return queue.again(group)
    if job.number:
        return GatePersonActions(services, job).on_button(press)
    on = [group.number] if group else [record.number for record in services.gates.on(job.repository.id, press.head)]
    asked = tuple(replace(job, number=each, run_id=f"{job.run_id}/{each}") for each in on)
    return GateOutcome(f"asked of {on}", asked)


def _marks_agent(commits: GateCommits, label: str) -> bool:
    """Whether a label that came, or went and so was there, makes it a coding agent's, that was none until now."""
    known = commits.gate_record()
    policy = commits.policy() if label and not (known and known.judged) else None
    return policy is not None and label.lower() in agents_labels(policy.pulls)
