"""What is known of each repository: its name, and whether it is private, as the newest delivery said."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from bot.storage.store import Store, upsert
from bot.storage.tables import repositories


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

    def heard(self, records: Iterable[RepositoryRecord]) -> None:
        """Deliveries named them, oldest first. What was heard later stays; nothing is written where nothing is new."""
        newest = {each.repo_id: each for each in records}
        known = {each.repo_id: each for each in self.known(newest.keys())}
        news = [each for each in newest.values() if _is_news(each, known.get(each.repo_id))]
        if news:
            rows = [self._columns(each) for each in news]
            upsert(self._engine, repositories, rows)

    def is_private(self, repo_id: int) -> bool:
        """Whether it is, or nobody knows."""
        found = self._scalar(select(repositories.c.private).where(repositories.c.repo_id == repo_id))
        return found is not False

    def known(self, repo_ids: Collection[int]) -> tuple[RepositoryRecord, ...]:
        """Those of these that are known, by name."""
        return self._all(repositories.c.repo_id.in_(sorted(repo_ids)), order=(repositories.c.full_name,))


def _is_news(heard: RepositoryRecord, known: RepositoryRecord | None) -> bool:
    if known is None:
        return True
    differs = (heard.full_name, heard.private, heard.installation_id) != (
        known.full_name,
        known.private,
        known.installation_id,
    )
    return differs and heard.heard_at >= known.heard_at
