"""What time brings about: deliveries that failed, looks to retry, reminders, pruning. A plain loop with a clock."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.github.errors import GitHubError
from bot.github.events import HANDLED
from bot.github.values import HookDelivery
from bot.storage.inbox import KEEP
from bot.workflows.jobs import IssueJob, pack
from bot.workflows.retries import break_silence, retry
from bot.workflows.services import Services

WINDOW = timedelta(days=3)  # GitHub keeps its delivery log so long, and hands nothing over later
RECENT = timedelta(hours=1)  # long enough for every attempt at one delivery
MOST_ATTEMPTS = 5  # deliveries that fail so often fail for a reason of ours
SETTLE = timedelta(minutes=2)  # a younger attempt may still be on its way

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Chore:
    """Something to do every so often."""

    what: str
    every: timedelta
    run: Callable[[datetime], int]
    due: datetime | None = None


class Reconcile:
    """Any number of workers may do this at once: everything here is harmless when done twice."""

    def __init__(self, services: Services, prune: Callable[[datetime], int], adopt: Callable[[], int]) -> None:
        self._services = services
        self._chores = (
            Chore("old deliveries asked for again", timedelta(hours=12), lambda now: self.redeliver(now, WINDOW)),
            Chore("deliveries asked for again", timedelta(minutes=5), lambda now: self.redeliver(now, RECENT)),
            Chore("looks tried again", timedelta(seconds=30), self.retry),
            Chore("silent issues looked at", timedelta(hours=1), self.remind),
            Chore("runs taken over from workers that are gone", timedelta(minutes=1), lambda now: adopt()),
            Chore("old deliveries and runs forgotten", timedelta(hours=1), lambda now: self.prune(now, prune)),
        )

    def tick(self) -> None:
        """Do what is due. Trouble with GitHub puts a chore off, nothing more."""
        now = self._services.now()
        for chore in self._chores:
            if chore.due is not None and now < chore.due:
                continue
            chore.due = now + chore.every
            try:
                done = chore.run(now)
            except GitHubError as error:
                log.warning("%s: put off, %s", chore.what, error)
            else:
                if done:
                    log.info("%s: %d", chore.what, done)

    def redeliver(self, now: datetime, window: timedelta) -> int:
        """GitHub does not resend what failed; ask for it, so that downtime loses nothing.

        The whole log is long, so it is read at the start and twice a day, and its last hour all the time.
        """
        attempts = by_guid(self._services.github.deliveries(now - window))
        missing = [each for each in attempts.values() if wants_again(each, now)]
        known = self._services.inbox.known(each[0].guid for each in missing)
        asked = 0
        for each in missing:
            if each[0].guid not in known:
                self._services.github.redeliver(newest(each).id)
                asked += 1
        return asked

    def retry(self, now: datetime) -> int:
        due = self._services.subjects.due_retries(now)
        self._submit(retry(subject, now) for subject in due)
        return len(due)

    def remind(self, now: datetime) -> int:
        due = self._services.subjects.due_reminders(now)
        self._submit(break_silence(subject, now) for subject in due)
        return len(due)

    def _submit(self, jobs: Iterable[IssueJob]) -> None:
        for job in jobs:
            self._services.submit("issue", job.run_id, job.subject, pack(job))

    def prune(self, now: datetime, prune_runs: Callable[[datetime], int]) -> int:
        """Keep everything for longer than a delivery may come again."""
        return self._services.inbox.prune(now - KEEP) + prune_runs(now - KEEP)


def by_guid(deliveries: Iterable[HookDelivery]) -> dict[str, list[HookDelivery]]:
    """All attempts of each delivery."""
    found: defaultdict[str, list[HookDelivery]] = defaultdict(list)
    for delivery in deliveries:
        found[delivery.guid].append(delivery)
    return dict(found)


def wants_again(attempts: list[HookDelivery], now: datetime) -> bool:
    """Whether no attempt arrived, GitHub has had time for the last one, and it is worth another."""
    last = newest(attempts)
    return (
        last.event in HANDLED
        and not any(attempt.delivered for attempt in attempts)
        and len(attempts) < MOST_ATTEMPTS
        and moment(last) < now - SETTLE
    )


def newest(attempts: list[HookDelivery]) -> HookDelivery:
    return max(attempts, key=moment)


def moment(delivery: HookDelivery) -> datetime:
    return datetime.fromisoformat(delivery.delivered_at).astimezone(UTC)
