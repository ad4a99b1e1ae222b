"""How a handler of deliveries declares itself: which events it takes, whether it wants one, and what it does then.

Each handler stands beside what it starts (`HANDLER`); `bot.workflows.dispatcher` has the list.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.github.deliveries import Delivery
from bot.storage.inbox import Queued
from bot.workflows.jobs import RunJob
from bot.workflows.services import Services


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """Who we are. slug: the App's name in logins. allowed: accounts in lower case; empty means every account."""

    slug: str
    app_id: int
    allowed: frozenset[str] = frozenset()

    @property
    def login(self) -> str:
        return f"{self.slug}[bot]"

    def serves(self, full_name: str) -> bool:
        """Whether this repository's account may use this server."""
        return not self.allowed or full_name.partition("/")[0].lower() in self.allowed


@dataclass(frozen=True, slots=True)
class Intent:
    """Whether a handler wants a delivery. reason: one plain line for the log.

    look: the issue's own text or state changed, so it will certainly be looked at: an older such delivery that still
        waits is superseded. A comment never supersedes anything, since it may turn out to ask for nothing.
    """

    wanted: bool
    reason: str
    look: bool = False


def take(reason: str, *, look: bool = False) -> Intent:
    return Intent(True, reason, look)


def ignore(reason: str) -> Intent:
    return Intent(False, reason)


Handle = Callable[[Services, Queued, Intent], None]


def start(workflow: str, services: Services, queued: Queued, **more: Any) -> None:
    """A run of the workflow for this delivery. Those of one subject sort in the order of arrival."""
    tail = f"{queued.seq:012d}:{queued.guid}"
    services.start(RunJob.about(workflow, queued.delivery, queued.seq, tail, delivery=queued.delivery, **more))


@dataclass(frozen=True, slots=True)
class DeliveryHandler:
    """events: names of GitHub's events. wants: pure. handle: may be repeated after a kill, so ids, upserts and marks
    are the same the second time; without one, the delivery starts a run of the workflow `name`. of_repository: its
    deliveries name one."""

    name: str
    events: frozenset[str]
    wants: Callable[[Delivery, AppIdentity], Intent] = lambda delivery, app: take(f"{delivery.event} {delivery.action}")
    handle: Handle | None = None
    of_repository: bool = True

    def intent(self, delivery: Delivery, context: AppIdentity) -> Intent:
        """What it makes of a delivery of such an event."""
        if self.of_repository and delivery.repository is None:
            return ignore("it names no repository")
        if self.of_repository and delivery.repository and not context.serves(delivery.repository.full_name):
            return ignore("the account may not use this server")
        return self.wants(delivery, context)

    def hand_on(self, services: Services, queued: Queued, intent: Intent) -> None:
        """What it does with a delivery that it wants."""
        if self.handle is not None:
            self.handle(services, queued, intent)
        else:
            start(self.name, services, queued)
