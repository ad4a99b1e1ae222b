"""What is known of each repository: its name, and whether it is private, as GitHub said last."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from bot.storage.store import Store, upsert
from bot.storage.tables import repositories

MOST_NAMED = 1000  # in one statement


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryRecord:
    """heard_at: when it first had this name and was as private as that."""

    repo_id: int
    installation_id: int
    full_name: str
    private: bool
    heard_at: datetime


class Repositories(Store[RepositoryRecord], table=repositories, kind=RepositoryRecord):
    """A repository that is not there counts as private."""

    def heard(self, records: Iterable[RepositoryRecord]) -> int:
        """Deliveries named them, oldest first. What was heard later stays; nothing is written where nothing is new. How
        many were news."""
        newest = {each.repo_id: each for each in records}
        known = {each.repo_id: each for part in _parts(newest) for each in self.known(part)}
        news = [each for each in newest.values() if _is_news(each, known.get(each.repo_id))]
        if news:
            rows = [self._columns(each) for each in news]
            upsert(self._engine, repositories, rows)
        return len(news)

    def reached(self, installation_id: int, records: Collection[RepositoryRecord], now: datetime) -> int:
        """GitHub lists these, and no others, as those that the installation reaches. Whether one that is missing is
        private, nobody knows any more. How many were news."""
        there = {each.repo_id for each in records}
        of_it = (repositories.c.installation_id == installation_id, repositories.c.heard_at < now)
        gone = [each.repo_id for each in self._all(*of_it) if each.repo_id not in there]
        for part in _parts(gone):
            self._drop(*of_it, repositories.c.repo_id.in_(part))
        return self.heard(records) + len(gone)

    def is_private(self, repo_id: int) -> bool:
        """Whether it is, or nobody knows."""
        found = self._scalar(select(repositories.c.private).where(repositories.c.repo_id == repo_id))
        return found is not False

    def known(self, repo_ids: Collection[int]) -> tuple[RepositoryRecord, ...]:
        """Those of these that are known, by name."""
        return self._all(repositories.c.repo_id.in_(sorted(repo_ids)), order=(repositories.c.full_name,))


def _parts(repo_ids: Iterable[int]) -> Iterator[list[int]]:
    """A statement has no room for any number of them."""
    ids = list(repo_ids)
    return (ids[first : first + MOST_NAMED] for first in range(0, len(ids), MOST_NAMED))


def _is_news(heard: RepositoryRecord, known: RepositoryRecord | None) -> bool:
    if known is None:
        return True
    differs = (heard.full_name, heard.private, heard.installation_id) != (
        known.full_name,
        known.private,
        known.installation_id,
    )
    return differs and heard.heard_at >= known.heard_at
