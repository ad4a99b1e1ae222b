"""What is known of each repository: its name, and whether it is private, as GitHub said last."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from sqlalchemy import case, literal, select

from bot.storage.database import Database
from bot.storage.gates import gates
from bot.storage.installations import installed_repositories
from bot.storage.judgements import judgements
from bot.storage.store import Store, batches, insert, upsert
from bot.storage.subjects import subjects
from bot.storage.tables import table

AGAIN = timedelta(minutes=5)  # then GitHub answers what it may have been too early for, or was not able to


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryRecord:
    """heard_at: when it first had this name and was as private as that."""

    repo_id: int
    installation_id: int
    full_name: str
    private: bool
    heard_at: datetime


repositories = table("repositories", RepositoryRecord, primary="repo_id", index="installation_id")


class Repositories(Store[RepositoryRecord], table=repositories):
    """A repository that is not there counts as private."""

    def note_from_deliveries(self, records: Iterable[RepositoryRecord]) -> tuple[RepositoryRecord, ...]:
        """Deliveries named them, oldest first. A delivery may have been on its way for days, so what it says can close
        a repository and never opens one. What was heard later stays; nothing is written where nothing is new. Those
        that contradict what was known: GitHub has to be asked."""
        named = tuple(records)
        known = self._known_by_id(named)
        news, contradicting = dict[int, RepositoryRecord](), []
        for each in named:
            was = known.get(each.repo_id)
            if was is not None and each.heard_at < was.heard_at:
                continue
            closed = was is None or was.private
            if each.private != closed:
                contradicting.append(each)
            if was is None and not each.private:
                continue
            heard = replace(each, private=each.private or closed)
            if _is_news(heard, was):
                known[each.repo_id] = news[each.repo_id] = heard
        # What is closed stays closed.
        self._write(news.values(), changes=lambda new: {"private": new.private | repositories.c.private})
        return tuple(contradicting)

    def note_from_github(self, records: Iterable[RepositoryRecord]) -> int:
        """GitHub said so when it was asked, at `heard_at`. What was heard later stays; nothing is written where nothing
        is new. How many were news."""
        newest = {each.repo_id: each for each in records}
        known = self._known_by_id(newest.values())
        news = [each for each in newest.values() if _is_news(each, known.get(each.repo_id))]
        self._write(news)
        return len(news)

    def store_reach(self, installation_id: int, records: Collection[RepositoryRecord], now: datetime) -> int:
        """GitHub lists these, and no others, as those that the installation reaches. Whether one that is missing is
        private, nobody knows any more. How many were news."""
        there = {each.repo_id for each in records}
        of_it = (repositories.c.installation_id == installation_id, repositories.c.heard_at < now)
        gone = [each.repo_id for each in self._all(*of_it) if each.repo_id not in there]
        for part in batches(gone):
            self._drop(*of_it, repositories.c.repo_id.in_(part))
        return self.note_from_github(records) + len(gone)

    def close(self, repo_id: int, now: datetime) -> None:
        """It was made private. What GitHub is being asked at this moment does not open it again."""
        heard_at = repositories.c.heard_at
        at = literal(now, heard_at.type)
        newest = case((heard_at < at, at), else_=heard_at)
        self._change(repositories.c.repo_id == repo_id, private=True, heard_at=newest)

    def is_private(self, repo_id: int) -> bool:
        """Whether it is, or nobody knows."""
        found = self._scalar(select(repositories.c.private).where(repositories.c.repo_id == repo_id))
        return found is not False

    def get_many(self, repo_ids: Collection[int]) -> tuple[RepositoryRecord, ...]:
        """Those of these that are known, by name."""
        return self._all(repositories.c.repo_id.in_(sorted(repo_ids)), order=(repositories.c.full_name,))

    def _known_by_id(self, records: Iterable[RepositoryRecord]) -> dict[int, RepositoryRecord]:
        ids = {each.repo_id for each in records}
        return {each.repo_id: each for part in batches(ids) for each in self.get_many(part)}

    def _write(self, records: Collection[RepositoryRecord], **how: Any) -> None:
        """Unless somebody wrote what is newer since this was compared."""
        if records:
            new = insert(self._engine.dialect.name, repositories).excluded
            rows = [self._columns(each) for each in records]
            upsert(self._engine, repositories, rows, unless=repositories.c.heard_at > new.heard_at, **how)


def _is_news(heard: RepositoryRecord, known: RepositoryRecord | None) -> bool:
    """What is as it was, and what was heard earlier, is none."""
    return known is None or (heard.heard_at >= known.heard_at and replace(heard, heard_at=known.heard_at) != known)


def repository_names(database: Database) -> dict[int, str]:
    """`owner/name` by number, as it was last seen. One that was forgotten is absent."""
    names: dict[int, str] = {}
    with database.main.connect() as connection:
        seen = (judgements.c.repository, gates.c.repository, subjects.c.repository)
        for name in (*seen, installed_repositories.c.full_name, repositories.c.full_name):
            rows = connection.execute(select(name.table.c.repo_id, name).distinct())
            names |= {row[0]: row[1] for row in rows}
    return names


class Doubts:
    """What deliveries say of repositories that are not as they were known, until GitHub itself was asked. Kept in
    memory: a worker that starts asks of everything. Deliveries are handed on in one thread, and GitHub is asked in
    another."""

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
