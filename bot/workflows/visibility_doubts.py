"""What a delivery says of a repository that is not as it was known, until GitHub itself was asked. Kept in memory: a
worker that starts asks of everything."""

from datetime import datetime, timedelta
from threading import Lock

from bot.storage.repositories import RepositoryRecord

AGAIN = timedelta(minutes=5)  # then GitHub answers what it may have been too early for, or was not able to


class Doubts:
    """Deliveries are handed on in one thread, and GitHub is asked in another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._due: dict[tuple[int, bool], tuple[datetime, RepositoryRecord]] = {}
        self._awake: set[int] = set()

    def add(self, said: RepositoryRecord, now: datetime) -> None:
        """GitHub is asked in a while: what it answers right after a change may be from before it. What a delivery calls
        public is asked about at once, too."""
        with self._lock:
            self._due[said.repo_id, True] = now + AGAIN, said
            if not said.private:
                self._due[said.repo_id, False] = now, said

    def later(self, said: RepositoryRecord, now: datetime) -> None:
        """GitHub did not answer."""
        with self._lock:
            self._due.setdefault((said.repo_id, True), (now + AGAIN, said))

    def take(self, now: datetime, most: int) -> tuple[RepositoryRecord, ...]:
        """Those that are due, the oldest first; also where the clock was wrong, and was set right."""
        with self._lock:
            due = sorted((at, *key) for key, (at, _) in self._due.items() if not now < at <= now + AGAIN)[:most]
            return tuple(self._due.pop((repo_id, again))[1] for _, repo_id, again in due)

    def wake(self, installation_id: int) -> None:
        """GitHub answers for it again."""
        with self._lock:
            self._awake.add(installation_id)

    def take_awake(self) -> frozenset[int]:
        """Those that woke since this was asked last."""
        with self._lock:
            found, self._awake = frozenset(self._awake), set()
            return found
