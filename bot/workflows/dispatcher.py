"""From the inbox to the engine: each claimed delivery finds its handlers, in the order of arrival."""

import logging
from collections.abc import Callable, Sequence

from prometheus_client import Counter

from bot.github.deliveries import Delivery
from bot.storage.inbox import Queued
from bot.telemetry import logs, traces
from bot.telemetry.metrics import REGISTRY
from bot.workflows import endings, installations, policy_check, visibility
from bot.workflows.delivery import AppIdentity, DeliveryHandler, Intent
from bot.workflows.issue import workflow as issue
from bot.workflows.pull import workflow as pull
from bot.workflows.review import workflow as review
from bot.workflows.services import Services

BATCH = 100
HANDLERS: tuple[DeliveryHandler, ...] = (
    installations.HANDLER,
    policy_check.HANDLER,
    issue.HANDLER,
    review.HANDLER,
    pull.HANDLER,
    endings.HANDLER,
    visibility.HANDLER,
)

HANDED_ON = Counter(
    "bouncer_worker_deliveries_total",
    "Deliveries a worker took from the inbox: `taken` up by a workflow, or `left`.",
    ["event", "outcome"],
    registry=REGISTRY,
)

log = logging.getLogger(__name__)


class Dispatcher:
    """Everything here may be repeated after a kill, and by another worker: what was handed on twice runs once."""

    def __init__(
        self, services: Services, context: AppIdentity, waiting: Callable[[], int], leads: Callable[[], bool]
    ) -> None:
        """waiting: of how many subjects runs wait for their turn. leads: whether it is still this worker that hands
        on."""
        self._services = services
        self._context = context
        self._waiting = waiting
        self._leads = leads
        self._queued = 0  # at most so many subjects wait for their runs

    def turn(self) -> int:
        """Hand on what waits, at most a batch; how many there were. Nothing while a batch of subjects waits for its
        runs: the inbox is cheap to read however long it is, and keeps the order of arrival; the queue does neither."""
        if self._queued >= BATCH:
            self._queued = self._waiting()
        if self._queued >= BATCH:
            return 0
        waiting = self._services.inbox.oldest_queued(BATCH)
        self._queued += len(waiting)
        self._hear(waiting)
        done = []
        for queued in waiting:
            if not self._leads():  # stopped in the middle, and awake again: another one is further on
                break
            self._dispatch(queued)
            done.append(queued.seq)
        self._services.inbox.mark_routed(done)
        return len(done)

    def _hear(self, waiting: Sequence[Queued]) -> None:
        """Before anything is done with them: what they say of their repositories."""
        named = ((queued.delivery, queued.received_at) for queued in waiting)
        said = [
            visibility.record_of(delivery.repository, delivery.installation_id, at)
            for delivery, at in named
            if delivery.repository is not None
        ]
        for each in self._services.repositories.note_from_deliveries(said):
            self._services.doubts.add(each, self._services.now())

    def _dispatch(self, queued: Queued) -> None:
        delivery = queued.delivery
        about: traces.Told = {"subject": delivery.subject, "commit": delivery.commit}
        with (
            logs.about(delivery=queued.guid, subject=delivery.subject, commit=delivery.commit),
            traces.delivery_span("dispatch", queued.guid, **about),
        ):
            found = intents(delivery, self._context)
            log.info("%s %s: %s", delivery.event, queued.guid, reason(found))
            taken = any(intent.wanted for intent in found.values())
            HANDED_ON.labels(delivery.event, "taken" if taken else "left").inc()
            for handler in HANDLERS:
                intent = found.get(handler.name)
                if intent is not None and intent.wanted:
                    if handler.of_repository:
                        installations.note_installation(self._services, queued)
                    handler.hand_on(self._services, queued, intent)


def intents(delivery: Delivery, context: AppIdentity) -> dict[str, Intent]:
    """What each handler of such an event makes of it, by its name. Pure. Bots in general are not ignored, they are the
    subjects."""
    return {each.name: each.intent(delivery, context) for each in HANDLERS if delivery.event in each.events}


def reason(found: dict[str, Intent]) -> str:
    """Why a delivery goes where it goes, or nowhere, as one line for the log."""
    taken = [intent.reason for intent in found.values() if intent.wanted]
    left = dict.fromkeys(intent.reason for intent in found.values())
    return "; ".join(taken or left) or "Bouncer does not handle it"
