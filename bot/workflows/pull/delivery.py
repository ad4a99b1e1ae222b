"""Which deliveries are about a pull request's gate: its commits, presses of a check, the merge queue, and comments."""

from bot.github.deliveries import Delivery
from bot.storage.inbox import Queued
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, run_tail, take
from bot.workflows.jobs import GateEvent, PullJob
from bot.workflows.services import Services


def _wants(delivery: Delivery, context: AppIdentity) -> Intent:
    if delivery.event == "pull_request" and delivery.pull is not None:
        return take(f"a pull request: {delivery.action}")
    if delivery.group is not None:
        return take(f"a merge group: {delivery.action}")
    if delivery.press is not None:
        own = delivery.press.app_id == context.app_id
        return take("somebody pressed a check") if own else ignore("it is another App's check")
    if delivery.comment is not None and delivery.issue is not None and delivery.issue.is_pull_request:
        return ignore("bots do not command") if delivery.sender_is_bot else take("a comment on a pull request")
    return ignore("it concerns no gate")


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
    "pull", frozenset({"pull_request", "merge_group", "check_run", "check_suite", "issue_comment"}), _wants, _handle
)
