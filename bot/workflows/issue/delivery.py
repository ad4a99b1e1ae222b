"""Which deliveries are about an issue: its text and state, its labels, and comments on it."""

from bot.github.deliveries import Delivery
from bot.storage.inbox import Queued
from bot.workflows.commands import commands_of
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent, ignore, run_tail, take
from bot.workflows.jobs import IssueJob
from bot.workflows.services import Services

LOOKS = {"opened": "a new issue", "edited": "the issue was edited", "reopened": "the issue was reopened"}
LABELS = {"labeled": "a label was added", "unlabeled": "a label was removed"}
TYPES = {"typed": "an issue type was set", "untyped": "an issue type was taken away"}


def has_act(delivery: Delivery, slug: str) -> bool:
    """Whether it holds anything but text to look at. slug: the App's name."""
    return delivery.action in LABELS or bool(commands_of(delivery, slug))


def wants(delivery: Delivery, context: AppIdentity) -> Intent:
    """Bots in general are not ignored, they are the subjects; only what Bouncer itself caused is."""
    if delivery.sender == context.login:
        return ignore("Bouncer itself did it")
    if delivery.issue is None:
        return ignore("it names no issue")
    if delivery.issue.is_pull_request:
        return ignore("it is about a pull request")
    if delivery.event == "issue_comment":
        return _comment(delivery, context)
    if delivery.action in LOOKS:
        return take(LOOKS[delivery.action], look=True)
    if said := (LABELS | TYPES).get(delivery.action):
        return take(said)
    if delivery.action == "closed":
        return ignore("closed issues are not judged")
    return ignore(f"Bouncer does not handle issues {delivery.action}")


def _comment(delivery: Delivery, context: AppIdentity) -> Intent:
    comment = delivery.comment
    if comment is None:
        return ignore("it names no comment")
    if comment.app_id == context.app_id or comment.author == context.login:
        return ignore("it is Bouncer's own comment")
    if comment.author_is_bot:
        return ignore("bots neither reply nor command")
    return take(f"a comment was {delivery.action}")


def _handle(services: Services, queued: Queued, intent: Intent) -> None:
    delivery = queued.delivery
    assert delivery.repository and delivery.issue  # it was asked whether it is wanted
    if intent.look:
        services.subjects.want(
            delivery.repository.id,
            delivery.issue.number,
            queued.seq,
            installation_id=delivery.installation_id,
            repository=delivery.repository.full_name,
            author=delivery.issue.author,
        )
    job = IssueJob.about(
        delivery,
        f"issue:{delivery.repository.id}:{delivery.issue.number}:{run_tail(queued)}",
        queued.seq,
        number=delivery.issue.number,
        received_at=queued.received_at,
        delivery=delivery,
        acts=has_act(delivery, services.github.slug),
    )
    services.start(job)


HANDLER = DeliveryHandler("issue", frozenset({"issues", "issue_comment"}), wants, _handle)
