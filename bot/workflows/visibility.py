"""Whether repositories are private. A delivery that says so closes pages; that they may open, GitHub itself has to say:
a delivery may come days late. And a repository that was made private may send nothing that would say so."""

from datetime import datetime, timedelta

from bot.github.errors import Forbidden, GitHubError, NotFound, NoToken
from bot.github.values import Repository
from bot.storage.inbox import Queued
from bot.storage.repositories import AGAIN, RepositoryRecord
from bot.workflows.delivery import DeliveryHandler, Intent
from bot.workflows.services import Services

EVERY = timedelta(hours=1)  # for each installation: one call for a hundred repositories
AT_ONCE = 20  # installations or repositories a turn, so that other chores have theirs
REFUSED = (NoToken, NotFound, Forbidden)  # uninstalled or suspended: GitHub shows nothing


class Visibility:
    """Asks for each installation in its turn. When each is due is kept in memory: after a start all are."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._due: dict[int, datetime] = {}
        self._wait: dict[int, timedelta] = {}  # where GitHub refused, until the next time

    def tick(self, now: datetime) -> int:
        """How many repositories are not as they were known. Raises `GitHubError`; the others have their turn then."""
        ids, awake = self._services.installations.ids(), self._services.doubts.take_awake()
        self._due = {each: now if each in awake else self._due.get(each, now) for each in ids}
        self._wait = {each: wait for each, wait in self._wait.items() if each in self._due and each not in awake}
        due = sorted((each for each in ids if not now < self._due[each] <= now + EVERY), key=self._due.__getitem__)
        return sum(self._look(each, now) for each in due[:AT_ONCE])

    def ask(self, now: datetime) -> int:
        """Of what deliveries put in doubt; how many repositories are not as they were known. Raises `GitHubError`; the
        others have their turn later."""
        doubts, news = self._services.doubts, 0
        due = doubts.take(now, AT_ONCE)
        for done, said in enumerate(due):
            try:
                news += self._ask(said, now)
            except GitHubError:
                for each in due[done:]:
                    doubts.later(each, now)
                raise
        return news

    def _ask(self, said: RepositoryRecord, now: datetime) -> int:
        """About one repository. Its name may be another's by now."""
        named = Repository(said.repo_id, said.full_name)
        try:
            found = self._services.repository(said.installation_id, named).about()
        except REFUSED:  # then `tick` closes it
            return 0
        if found.id != named.id:
            return 0
        return self._services.repositories.note_from_github([record_of(found, said.installation_id, now)])

    def _look(self, installation_id: int, now: datetime) -> int:
        self._due[installation_id] = now + AGAIN
        try:
            there = self._services.github.installation_repositories(installation_id)
        except REFUSED:
            return self._refused(installation_id, now)
        self._due[installation_id] = now + EVERY
        self._wait.pop(installation_id, None)
        records = [record_of(each, installation_id, now) for each in there]
        return self._services.repositories.store_reach(installation_id, records, now)

    def _refused(self, installation_id: int, now: datetime) -> int:
        """Nobody knows what is private there. It may be over soon, and it may never be: each wait is twice the last."""
        wait = self._wait.get(installation_id, AGAIN)
        self._due[installation_id] = now + wait
        self._wait[installation_id] = min(2 * wait, EVERY)
        return self._services.repositories.store_reach(installation_id, (), now)


def record_of(found: Repository, installation_id: int, now: datetime) -> RepositoryRecord:
    """What was said of a repository, and when."""
    return RepositoryRecord(
        repo_id=found.id,
        installation_id=installation_id,
        full_name=found.full_name,
        private=found.private,
        heard_at=now,
    )


def _handle(services: Services, queued: Queued, intent: Intent) -> None:
    """Also where it is known already: one that comes late may have closed what is public by now."""
    delivery = queued.delivery
    assert delivery.repository is not None  # the dispatcher saw to it
    said = record_of(delivery.repository, delivery.installation_id, queued.received_at)
    services.doubts.add(said, services.now())


HANDLER = DeliveryHandler("visibility", frozenset({"repository"}), handle=_handle)
