"""Which deliveries are about a review bot's rejection: the review itself, and what people answer."""

from bot.github.deliveries import Delivery
from bot.storage.inbox import Queued
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, run_tail, take
from bot.workflows.jobs import ReviewJob
from bot.workflows.services import Services


def _wants(delivery: Delivery, context: AppIdentity) -> Intent:
    if delivery.sender == context.login:
        return ignore("Bouncer itself did it")
    return _review(delivery) if delivery.event == "pull_request_review" else _comment(delivery)


def _review(delivery: Delivery) -> Intent:
    """Only what a bot rejects is put to the test: a person's word needs no second opinion from a bot."""
    if delivery.pull is None or delivery.review is None:
        return ignore("it names no review")
    if delivery.review.state != "changes_requested":
        return ignore("the review does not reject")
    if not delivery.review.author_is_bot:
        return ignore("a person's review is left alone")
    if delivery.pull.state != "open":
        return ignore("closed pull requests are not judged")
    return take("a review bot requested changes", look=True)


def _comment(delivery: Delivery) -> Intent:
    """A command, or a person's tick in Bouncer's own comment. Bots neither command nor answer."""
    comment = delivery.comment
    if comment is None or delivery.issue is None or not delivery.issue.is_pull_request:
        return ignore("it is about no pull request")
    if delivery.sender_is_bot:
        return ignore("bots neither command nor answer")
    if delivery.action == "deleted":
        return ignore("a deleted comment asks for nothing")
    if comment.author_is_bot and delivery.action != "edited":
        return ignore("bots neither command nor answer")
    return take(f"a comment on a pull request was {delivery.action}")


def _handle(services: Services, queued: Queued, intent: Intent) -> None:
    delivery = queued.delivery
    subject = delivery.pull or delivery.issue
    assert delivery.repository and subject  # it was asked whether it is wanted
    run_id = f"review:{delivery.repository.id}:{subject.number}:{run_tail(queued)}"
    services.start(ReviewJob.about(delivery, run_id, queued.seq, number=subject.number, delivery=delivery))


HANDLER = DeliveryHandler("review", frozenset({"pull_request_review", "issue_comment"}), _wants, _handle)
