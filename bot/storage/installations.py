"""Who installed Bouncer, where, and since when: it touches no issue that is older than its installation."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Table, delete, select

from bot.github.values import Repository
from bot.storage.calibrations import calibrations
from bot.storage.schema import MAIN
from bot.storage.store import Store, upsert, write
from bot.storage.tables import table
from bot.storage.verification import answers, model_answers


@dataclass(frozen=True, slots=True)
class InstallationRecord:
    """created_at: when Bouncer learned of it. suspended: GitHub refuses its tokens for now."""

    id: int
    account: str
    created_at: datetime
    suspended: bool = False


installations = table("installations", InstallationRecord, primary="id")
installed_repositories = table(
    "installed_repositories",
    None,
    primary="installation_id repo_id",
    installation_id=int,
    repo_id=int,
    full_name=str,
    added_at=datetime,
)
_LEARNT = (answers, model_answers, calibrations)  # of a repository's code and issues


class Installations(Store[InstallationRecord], table=installations):
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
        """Uninstalled: forget it, and everything that is of it, so that nothing runs for it."""
        self.remove_repositories(installation_id, (each.id for each in self.repositories(installation_id)))
        self._drop(installations.c.id == installation_id)
        self._forget(lambda table: table.c.installation_id == installation_id)

    def forget_orphans(self) -> int:
        """Forget what a run wrote down while its installation was being removed. Returns how many."""
        known = select(installations.c.id)
        return self._forget(lambda table: table.c.installation_id.not_in(known))

    def _forget(self, which: Callable[[Table], ColumnElement[bool]]) -> int:
        return write(self._engine, *(delete(table).where(which(table)) for table in _of_installations()))

    def add_repositories(self, installation_id: int, repositories: Iterable[Repository], *, now: datetime) -> None:
        """It reaches these too. A repository that was known keeps its `added_at`."""
        rows = [
            {"installation_id": installation_id, "repo_id": each.id, "full_name": each.full_name, "added_at": now}
            for each in repositories
        ]
        if rows:
            upsert(self._engine, installed_repositories, rows, renewed=["full_name"])

    def remove_repositories(self, installation_id: int, repo_ids: Iterable[int]) -> None:
        """It reaches these no more: forget them, and what was learnt of their code and issues."""
        ids = list(repo_ids)
        gone = [delete(each).where(each.c.repo_id.in_(ids)) for each in (*_LEARNT, *_of_installations())]
        reached = installed_repositories.c.installation_id == installation_id  # another one may reach them by now
        write(self._engine, *(each.where(reached) if each.table is installed_repositories else each for each in gone))

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


def _of_installations() -> list[Table]:
    """All that name one, as far as they are about its repositories."""
    return [each for each in MAIN.metadata.sorted_tables if {"installation_id", "repo_id"} <= set(each.c.keys())]
