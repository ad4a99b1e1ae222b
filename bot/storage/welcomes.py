"""What Bouncer would have said about the last issues of a repository that is new to it."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Index, func, select

from bot.github.values import Repository
from bot.storage.installations import installations, installed_repositories
from bot.storage.tables import table
from bot.storage.tokens import PageStore, digest
from bot.verdicts import Verdict

MOST_FOR_ONE = 30  # repositories of one installation: a large organisation is not read through


@dataclass(frozen=True, slots=True)
class WelcomeIssue:
    """An issue that was there before Bouncer. left_alone: why no policy could hold it, as a phrase; then there is no
    verdict. held_by: the strictnesses that would have held it."""

    number: int
    title: str
    verdict: Verdict | None
    held_by: tuple[str, ...] = ()
    left_alone: str = ""


@dataclass(frozen=True, slots=True)
class Welcome:
    """token: of its page's address. branch: the default one. issues: the newest first."""

    repo_id: int
    installation_id: int
    repository: str
    token: str
    branch: str
    made_at: datetime
    issues: tuple[WelcomeIssue, ...]


welcomes = table(
    "welcomes",
    Welcome,
    Index("welcomes_page", "digest", unique=True),
    primary="repo_id",
    index="installation_id",
    digest=str,
)


class Welcomes(PageStore[Welcome], table=welcomes):
    """One a repository, made once, some time after it was added."""

    def all(self) -> tuple[Welcome, ...]:
        """By the repository's name."""
        return self._all(order=[welcomes.c.repository])

    def of(self, repo_ids: Collection[int]) -> tuple[Welcome, ...]:
        """Those of these repositories, by name."""
        return self._all(welcomes.c.repo_id.in_(sorted(repo_ids)), order=[welcomes.c.repository])

    def _columns(self, record: Welcome) -> dict[str, Any]:
        return super()._columns(record) | {"digest": digest(record.token)}

    def due(self, since: datetime, most: int) -> tuple[tuple[int, Repository], ...]:
        """Installation and repository of those that were added since then and have none yet, the first added first."""
        reached = installed_repositories.c
        query = (
            select(reached.installation_id, reached.repo_id, reached.full_name)
            .join(installations, installations.c.id == reached.installation_id)
            .outerjoin(welcomes, welcomes.c.repo_id == reached.repo_id)
            .where(reached.added_at >= since, welcomes.c.repo_id.is_(None), installations.c.suspended.is_(False))
            .order_by(reached.added_at, reached.repo_id)
        )
        counted = select(welcomes.c.installation_id, func.count().label("made")).group_by(welcomes.c.installation_id)
        had = Counter({row.installation_id: row.made for row in self._rows(counted)})
        found: list[tuple[int, Repository]] = []
        for row in self._rows(query):
            if had[row.installation_id] < MOST_FOR_ONE and len(found) < most:
                had[row.installation_id] += 1
                found.append((row.installation_id, Repository(row.repo_id, row.full_name)))
        return tuple(found)

    def prune(self, before: datetime) -> int:
        """Forget those that were made before then; how many."""
        return self._drop(welcomes.c.made_at < before)


def welcome_pages(found: Iterable[Welcome], public_url: str, repository: str | None = None) -> dict[str, str]:
    """The addresses of their pages, by repository; none while nobody said where people reach the server. repository:
    only of this one."""
    wanted = (each for each in found if repository is None or each.repository.lower() == repository.lower())
    return {each.repository: welcome_url(each, public_url) for each in wanted} if public_url else {}


def welcome_url(welcome: Welcome, public_url: str) -> str:
    """Its page's address."""
    return f"{public_url.rstrip('/')}/welcome/{welcome.token}"
