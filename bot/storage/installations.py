"""Who installed Bouncer, where, and since when: it touches no issue that is older than its installation."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select

from bot.github.values import Repository
from bot.storage.store import Store, upsert, write
from bot.storage.tables import installations, installed_repositories


@dataclass(frozen=True, slots=True)
class InstallationRecord:
    """created_at: when Bouncer learned of it. suspended: GitHub refuses its tokens for now."""

    id: int
    account: str
    created_at: datetime
    suspended: bool = False


class Installations(Store[InstallationRecord], table=installations, kind=InstallationRecord):
    """Installations and the repositories they reach, as the `installation*` deliveries told."""

    def ids(self) -> tuple[int, ...]:
        """Of all of them, the suspended too."""
        return tuple(row.id for row in self._rows(select(installations.c.id).order_by(installations.c.id)))

    def upsert(self, installation_id: int, account: str, *, now: datetime) -> None:
        """It exists and is not suspended. The first call sets `created_at`."""
        row = self._columns(InstallationRecord(installation_id, account, now))
        upsert(self._engine, installations, [row], renewed=("account", "suspended"))

    def suspend(self, installation_id: int, suspended: bool = True) -> None:
        """Suspend, or take it back; an unknown installation is left unknown."""
        self._change(installations.c.id == installation_id, suspended=suspended)

    def remove(self, installation_id: int) -> None:
        """Uninstalled: forget it and its repositories."""
        write(
            self._engine,
            delete(installations).where(installations.c.id == installation_id),
            delete(installed_repositories).where(installed_repositories.c.installation_id == installation_id),
        )

    def add_repositories(self, installation_id: int, repositories: Iterable[Repository], *, now: datetime) -> None:
        """It reaches these too. A repository that was known keeps its `added_at`."""
        rows = [
            {"installation_id": installation_id, "repo_id": each.id, "full_name": each.full_name, "added_at": now}
            for each in repositories
        ]
        if rows:
            upsert(self._engine, installed_repositories, rows, renewed=["full_name"])

    def remove_repositories(self, installation_id: int, repo_ids: Iterable[int]) -> None:
        """It reaches these no more."""
        reached = installed_repositories.c
        gone = (reached.installation_id == installation_id, reached.repo_id.in_(list(repo_ids)))
        write(self._engine, delete(installed_repositories).where(*gone))

    def repositories(self, installation_id: int) -> tuple[Repository, ...]:
        """The repositories it reaches, by name."""
        reached = installed_repositories.c
        query = select(reached.repo_id, reached.full_name).where(reached.installation_id == installation_id)
        rows = self._rows(query.order_by(reached.full_name))
        return tuple(Repository(id=row.repo_id, full_name=row.full_name) for row in rows)

    def access_since(self, installation_id: int, repo_id: int) -> datetime | None:
        """Since when it reaches this repository; `None` when nobody told."""
        reached = installed_repositories.c
        here = (reached.installation_id == installation_id, reached.repo_id == repo_id)
        return self._scalar(select(reached.added_at).where(*here))  # type: ignore[no-any-return]
