"""How a handler of deliveries declares itself: which events it takes, whether it wants one, and what it does then.

Each handler stands beside what it starts (`HANDLER`); `bot.workflows.dispatcher` has the list.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bot.github.deliveries import Delivery
from bot.storage.inbox import Queued
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


@dataclass(frozen=True, slots=True)
class DeliveryHandler:
    """name: of the workflow that it starts. events: names of GitHub's events. wants: pure. handle: may be repeated
    after a kill, so ids, upserts and marks are the same the second time. of_repository: its deliveries name one."""

    name: str
    events: frozenset[str]
    wants: Callable[[Delivery, AppIdentity], Intent]
    handle: Callable[[Services, Queued, Intent], None]
    of_repository: bool = True


def run_tail(queued: Queued) -> str:
    """Ends a run's id: ids of one subject sort in the order of arrival, and the GUID names the delivery."""
    return f"{queued.seq:012d}:{queued.guid}"
