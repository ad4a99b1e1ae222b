"""What time brings about: deliveries that failed, looks to retry, reminders, pruning. A plain loop with a clock."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile

from bot.github.deliveries import HookDelivery
from bot.github.errors import GitHubError, RateLimited, Unauthorized
from bot.github.events import handles, is_always_kept
from bot.history import index
from bot.settings import Settings
from bot.storage.directories import DirectoryCache
from bot.storage.heartbeats import KEY, REFUSED, UNSIGNED, WorkerSign
from bot.workflows.durable.engine import Engine
from bot.workflows.jobs import RunJob, Why, clock_job
from bot.workflows.services import Services
from bot.workflows.visibility import Visibility
from bot.workflows.welcome import KEEP as KEEP_WELCOMES
from bot.workflows.welcome import make_welcomes

WINDOW = timedelta(days=3)  # GitHub keeps its delivery log so long, and hands nothing over later
RECENT = timedelta(hours=1)
_UNSIGNED = 401  # what the web process answers where the secrets differ
LOG_LAGS = timedelta(seconds=15)  # so long until an answer stands in it
SETTLE = timedelta(minutes=2)  # a younger attempt may still be on its way
LONGEST_WAIT = timedelta(hours=6)  # between two attempts: about 15 fit into the three days
SOON = timedelta(minutes=5)  # then a chore that met trouble with GitHub is tried again
MOST_AWAY = timedelta(hours=12)  # nothing that comes back later stays away for so long
_DAY = 86_400.0  # seconds
_DIRECTORIES = ("answers", "environments", "ways", "runs")  # those of `BOUNCER_CACHE_DIR` that are DirectoryCaches

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Chore:
    """Something to do every so often."""

    what: str
    every: timedelta
    run: Callable[[datetime], int]
    due: datetime | None = None

    def is_due(self, now: datetime) -> bool:
        """Also where it would be due later than it can be: then the clock was wrong, and was set right."""
        return self.due is None or not self.due - self.every <= now < self.due


class Reconcile:
    """Any number of workers may do this at once: everything here is harmless when done twice."""

    def __init__(self, services: Services, engine: Engine, settings: Settings) -> None:
        self._services, self._engine, self._settings = services, engine, settings
        self._looked_up, self._refusals = datetime.min.replace(tzinfo=UTC), services.github.refusals
        visibility = Visibility(services)
        self._chores = (
            Chore("old deliveries asked for again", timedelta(hours=3), lambda now: self.redeliver(now, WINDOW)),
            Chore("deliveries asked for again", timedelta(minutes=5), lambda now: self.redeliver(now, RECENT)),
            Chore("deliveries asked for again after a refusal", timedelta(seconds=10), self.look_up),
            Chore("looks tried again", timedelta(seconds=30), self.retry),
            Chore("gates that hang completed", timedelta(seconds=30), self.complete),
            Chore("silent issues looked at", timedelta(hours=1), self.remind),
            Chore("issues that are fixed looked at", timedelta(hours=1), self.close),
            Chore("runs that nobody runs taken over", timedelta(seconds=20), lambda now: engine.adopt()),
            Chore("runs that a wrong clock put off started", timedelta(hours=1), lambda now: engine.hurry(MOST_AWAY)),
            Chore("new repositories looked at", timedelta(seconds=10), lambda now: make_welcomes(services, now)),
            Chore("repositories made private or public", timedelta(minutes=1), visibility.tick),
            Chore("repositories found to be private or public", timedelta(seconds=1), visibility.ask),
            Chore("old deliveries and runs forgotten", timedelta(hours=1), self.prune),
            Chore("old pages, records and caches removed", timedelta(hours=6), self.remove_old),
        )

    def tick(self) -> None:
        """Do what is due. Trouble with GitHub puts a chore off for a few minutes, nothing more."""
        now = self._services.now()
        for chore in self._chores:
            if not chore.is_due(now):
                continue
            chore.due = now + chore.every
            try:
                done = chore.run(now)
            except GitHubError as error:
                if isinstance(error, Unauthorized):
                    self._services.signs.save(WorkerSign(KEY, now, 1))
                chore.due = now + min(chore.every, SOON)
                log.warning("%s: put off, %s", chore.what, error)
            else:
                if done:
                    log.info("%s: %d", chore.what, done)

    def redeliver(self, now: datetime, window: timedelta) -> int:
        """GitHub does not resend; ask for what failed, and for what arrived and was lost with an older database.

        The whole log is long, so it is read at the start and every few hours, and its last hour all the time.
        """
        attempted = self._services.github.deliveries(now - window)
        self._services.signs.save(WorkerSign(KEY, now))  # it was taken
        self._tell_refused(attempted, now, whole=window == WINDOW)
        attempts = by_guid(attempted)
        known = self._services.inbox.claims_among(attempts)
        missing = [each for guid, each in attempts.items() if guid not in known and is_handled(each)]
        wanted = [each for each in missing if wants_again(each, now)]
        forgotten = [each for each in missing if is_first_arrival(each, now)]
        if any(self._was_stored(each[0]) for each in forgotten):
            wanted += forgotten  # also those that may have been ignored: nobody knows any more
        return sum(self._asked(each) for each in reversed(wanted))  # the oldest leave the log first

    def look_up(self, now: datetime) -> int:
        """Whether it was GitHub whose delivery the web process refused, since anybody can send it something; and
        whether GitHub still refuses the App's key."""
        sign, refusals = self._services.signs.get(UNSIGNED), self._services.github.refusals
        unsigned = sign is not None and self._looked_up < sign.at <= now - LOG_LAGS
        if not unsigned and refusals == self._refusals:
            return 0
        self._looked_up, self._refusals = sign.at if sign else self._looked_up, refusals
        return self.redeliver(now, RECENT)

    def _tell_refused(self, attempts: Sequence[HookDelivery], now: datetime, *, whole: bool) -> None:
        """How many deliveries our side refused for their signature since the last one that arrived, newest first. By
        GitHub's log, which no stranger writes in."""
        since = list(takewhile(lambda each: not each.is_delivered, attempts))
        refused = sum(each.status_code == _UNSIGNED for each in since)
        if refused or whole or len(since) < len(attempts):  # else it is still as it was
            self._services.signs.save(WorkerSign(REFUSED, now, refused))

    def _asked(self, attempts: list[HookDelivery]) -> bool:
        """Whether GitHub sends it again. What it refuses for one delivery keeps no other from coming. Raises
        `GitHubError` where it wants no calls at all."""
        try:
            self._services.github.redeliver(newest(attempts).id)
        except (RateLimited, Unauthorized):
            raise
        except GitHubError as error:
            log.warning("delivery %s does not come again this time: %s", attempts[0].guid, error)
            return False
        return True

    def _was_stored(self, delivery: HookDelivery) -> bool:
        """Whether this delivery, which arrived, must once have been in the inbox: where any account may use this
        server, also one that is not known yet."""
        known = delivery.installation_id and self._services.installations.get(delivery.installation_id)
        served = not self._settings.account_names or known
        return bool(served) and is_always_kept(delivery.event, delivery.action)

    def retry(self, now: datetime) -> int:
        due = self._services.subjects.due_retries(now)
        return self._start(clock_job(each, Why.RETRY, each.retry_at) for each in due)

    def complete(self, now: datetime) -> int:
        """Checks that are still under way when they should have been completed."""
        gates, groups = self._services.gates.overdue(now), self._services.merge_groups.overdue(now)
        return self._start(
            RunJob.about("pull", each, 0, f"late:{each.head}:{now}", why=Why.OVERDUE, head=each.head if group else "")
            for late, group in ((gates, False), (groups, True))
            for each in late
        )

    def remind(self, now: datetime) -> int:
        """At most once a day."""
        due = self._services.subjects.due_reminders(now)
        return self._start(clock_job(each, Why.SILENCE, now.date()) for each in due)

    def close(self, now: datetime) -> int:
        """Issues whose bug is fixed, and which nobody may have objected to."""
        due = self._services.fixes.due(now)
        return self._start(RunJob.about("issue", each, 0, f"fixed-{each.close_at}", why=Why.FIXED) for each in due)

    def _start(self, jobs: Iterable[RunJob]) -> int:
        """How many there were."""
        found = tuple(jobs)
        for job in found:
            self._services.start(job)
        return len(found)

    def prune(self, now: datetime) -> int:
        """Keep everything for longer than a delivery may come again, and while one waits that may have been handed on
        before: of a batch that ended half done."""
        services = self._services
        before = min(now - timedelta(days=self._settings.keep_deliveries_days), services.inbox.oldest() or now)
        forgotten = services.installations.forget_orphans() + services.welcomes.prune(now - KEEP_WELCOMES)
        forgotten += sum(each.prune(before) for each in (services.merge_groups, services.commands, services.check_runs))
        return services.inbox.prune(before) + self._engine.prune(before) + forgotten

    def remove_old(self, now: datetime) -> int:
        """What was kept as long as the settings say: pages and records in the database, caches on this machine. Returns
        how many rows, copies and directories."""
        settings, retention, removed = self._settings, self._services.retention, 0
        if settings.pages_days:
            removed += retention.remove_pages(now - timedelta(days=settings.pages_days))
        if settings.keep_records_days:
            removed += retention.remove_records(now - timedelta(days=settings.keep_records_days))
        if settings.keep_caches_days:  # by this machine's clock, as files are
            seconds, root = settings.keep_caches_days * _DAY, settings.cache_dir
            removed += self._services.mirrors.forget_unused(seconds) + index.forget_unused(root / "history", seconds)
            removed += sum(DirectoryCache(root / name, 0).forget_unused(seconds) for name in _DIRECTORIES)
        return removed


def by_guid(deliveries: Iterable[HookDelivery]) -> dict[str, list[HookDelivery]]:
    """All attempts of each delivery."""
    found: defaultdict[str, list[HookDelivery]] = defaultdict(list)
    for delivery in deliveries:
        found[delivery.guid].append(delivery)
    return dict(found)


def is_handled(attempts: list[HookDelivery]) -> bool:
    return handles(attempts[0].event, attempts[0].action)


def wants_again(attempts: list[HookDelivery], now: datetime) -> bool:
    """Whether no attempt arrived, and the last one is long enough ago. Waits grow: downtime may last for days.

    Where the first attempt was not read, their number is unknown; reading the whole log will tell.
    """
    wait = min(SETTLE * 3.0 ** (len(attempts) - 1), LONGEST_WAIT)
    return (
        not any(attempt.is_delivered for attempt in attempts)
        and any(not attempt.redelivery for attempt in attempts)
        and attempt_time(newest(attempts)) < now - wait
    )


def is_first_arrival(attempts: list[HookDelivery], now: datetime) -> bool:
    """Whether it arrived at the first attempt and was never asked for again: it is asked for once, whatever happens."""
    return (
        len(attempts) == 1
        and attempts[0].is_delivered
        and not attempts[0].redelivery
        and attempt_time(attempts[0]) < now - SETTLE
    )


def newest(attempts: list[HookDelivery]) -> HookDelivery:
    return max(attempts, key=attempt_time)


def attempt_time(delivery: HookDelivery) -> datetime:
    return datetime.fromisoformat(delivery.delivered_at).astimezone(UTC)
