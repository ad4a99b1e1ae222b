"""Who installed Bouncer, where, and since when: it touches no issue that is older than its installation."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, update

from bot.github.values import Repository
from bot.storage.database import Database
from bot.storage.tables import insert, installations, installed_repositories


@dataclass(frozen=True, slots=True)
class Installation:
    """created_at: when Bouncer learned of it. suspended: GitHub refuses its tokens for now."""

    id: int
    account: str
    created_at: datetime
    suspended: bool = False


class Installations:
    """Installations and the repositories they reach, as the `installation*` deliveries told."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def get(self, installation_id: int) -> Installation | None:
        """`None` when it was never announced, or removed."""
        query = select(installations).where(installations.c.id == installation_id)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else Installation(row.id, row.account, row.created_at, row.suspended)

    def upsert(self, installation_id: int, account: str, *, now: datetime) -> None:
        """It exists and is not suspended. The first call sets `created_at`."""
        statement = insert(self._engine, installations).values(
            id=installation_id, account=account, created_at=now, suspended=False
        )
        with self._engine.begin() as connection:
            connection.execute(
                statement.on_conflict_do_update(index_elements=["id"], set_={"account": account, "suspended": False})
            )

    def suspend(self, installation_id: int, suspended: bool = True) -> None:
        """Suspend, or take it back; an unknown installation is left unknown."""
        statement = update(installations).where(installations.c.id == installation_id).values(suspended=suspended)
        with self._engine.begin() as connection:
            connection.execute(statement)

    def remove(self, installation_id: int) -> None:
        """Uninstalled: forget it and its repositories."""
        with self._engine.begin() as connection:
            connection.execute(delete(installations).where(installations.c.id == installation_id))
            connection.execute(
                delete(installed_repositories).where(installed_repositories.c.installation_id == installation_id)
            )

    def add_repositories(self, installation_id: int, repositories: Iterable[Repository], *, now: datetime) -> None:
        """It reaches these too. A repository that was known keeps its `added_at`."""
        rows = [
            {"installation_id": installation_id, "repo_id": each.id, "full_name": each.full_name, "added_at": now}
            for each in repositories
        ]
        if not rows:
            return
        statement = insert(self._engine, installed_repositories)
        named = statement.on_conflict_do_update(
            index_elements=["installation_id", "repo_id"], set_={"full_name": statement.excluded.full_name}
        )
        with self._engine.begin() as connection:
            connection.execute(named, rows)

    def remove_repositories(self, installation_id: int, repo_ids: Iterable[int]) -> None:
        """It reaches these no more."""
        statement = delete(installed_repositories).where(
            installed_repositories.c.installation_id == installation_id,
            installed_repositories.c.repo_id.in_(list(repo_ids)),
        )
        with self._engine.begin() as connection:
            connection.execute(statement)

    def repositories(self, installation_id: int) -> tuple[Repository, ...]:
        """The repositories it reaches, by name."""
        query = (
            select(installed_repositories.c.repo_id, installed_repositories.c.full_name)
            .where(installed_repositories.c.installation_id == installation_id)
            .order_by(installed_repositories.c.full_name)
        )
        with self._engine.connect() as connection:
            return tuple(Repository(id=repo_id, full_name=name) for repo_id, name in connection.execute(query))

    def added_at(self, installation_id: int, repo_id: int) -> datetime | None:
        """Since when it reaches this repository; `None` when nobody told."""
        query = select(installed_repositories.c.added_at).where(
            installed_repositories.c.installation_id == installation_id,
            installed_repositories.c.repo_id == repo_id,
        )
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()
