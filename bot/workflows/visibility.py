"""Whether repositories are private, asked of GitHub itself: a repository that was made private and stays quiet sends
nothing that would say so, and its pages would stay open."""

from datetime import datetime, timedelta

from bot.github.errors import Forbidden, NotFound, NoToken
from bot.storage.repositories import RepositoryRecord
from bot.workflows.services import Services

EVERY = timedelta(hours=1)  # for each installation: one call for a hundred repositories
AGAIN = timedelta(minutes=5)  # where GitHub did not answer
AT_ONCE = 20  # installations a turn, so that other chores have theirs


class Visibility:
    """Asks each installation in its turn. When each is due is kept in memory: after a start all are."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._due: dict[int, datetime] = {}

    def tick(self, now: datetime) -> int:
        """How many repositories are not as they were known. Raises `GitHubError`; the others have their turn then."""
        ids = self._services.installations.ids()
        self._due = {each: self._due.get(each, now) for each in ids}
        due = sorted((each for each in ids if not now < self._due[each] <= now + EVERY), key=self._due.__getitem__)
        return sum(self._look(each, now) for each in due[:AT_ONCE])

    def _look(self, installation_id: int, now: datetime) -> int:
        self._due[installation_id] = now + AGAIN
        try:
            there = self._services.github.installation_repositories(installation_id)
        except (NoToken, NotFound, Forbidden):  # uninstalled or suspended: GitHub shows nothing
            there = ()
        self._due[installation_id] = now + EVERY
        records = [
            RepositoryRecord(
                repo_id=each.id,
                installation_id=installation_id,
                full_name=each.full_name,
                private=each.private,
                heard_at=now,
            )
            for each in there
        ]
        return self._services.repositories.reached(installation_id, records, now)
