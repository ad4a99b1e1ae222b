"""Overrides: a maintainer's word against a verdict. The record stays, whatever becomes of the comment."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Index, Update, update

from bot.storage.store import Store, adding, within, write
from bot.storage.tables import table
from bot.verdicts import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """id: of the word itself, e.g. `comment 7 at 2026-01-31T12:00:00Z, line 0`: told twice, it counts once.

    head: the commit it holds for. permission: what `who` might do at `at`. verdict: the one it beats, if any.
    ended_at, ended_by: when and by whom it was taken back; a push ends it as well.
    carried_from: the commit it was carried over from, by whose row it goes on; empty where it was given for `head`.
    base_branch: the branch it lets the commit into.
    """

    id: str
    repo_id: int
    number: int
    head: str
    who: str
    permission: str
    reason: str
    at: datetime
    verdict: Verdict | None = None
    ended_at: datetime | None = None
    ended_by: str = ""
    carried_from: str = ""
    base_branch: str = ""

    def lets(self, head: str, base_branch: str) -> bool:
        """Whether it lets this commit into this branch, and was not taken back."""
        return self.ended_at is None and (self.head, self.base_branch) == (head, base_branch)

    def onto(self, head: str, *, permission: str, at: datetime) -> "Override":
        """The same word for a later commit."""
        name = f"{self.id.partition(', carried')[0]}, carried over to {head}"
        return replace(self, id=name, head=head, permission=permission, at=at, carried_from=self.head)


overrides = table("overrides", Override, Index("overrides_subject", "repo_id", "number"), primary="id")


class Overrides(Store[Override], table=overrides):
    """Rows are added and ended, never changed otherwise and never deleted."""

    def carry(self, override: Override) -> None:
        """End what stands, and remember this in its place: both or neither."""
        by = f"carried over to {override.head}"
        end = _end(override.repo_id, override.number, by, override.at).where(overrides.c.id != override.id)
        write(self._engine, end, adding(self._engine, overrides, self._columns(override)))

    def current(self, repo_id: int, number: int) -> Override | None:
        """The newest one that was not ended."""
        return next((each for each in self.trail(repo_id, number) if each.ended_at is None), None)

    def since(self, moment: datetime, repo_id: int | None = None) -> tuple[Override, ...]:
        """All that were given from then on, oldest first. repo_id: in this repository alone."""
        return self._all(*within(overrides, moment, repo_id), order=(overrides.c.at, overrides.c.id))

    def trail(self, repo_id: int, number: int) -> tuple[Override, ...]:
        """All there ever were, newest first."""
        newest = (overrides.c.at.desc(), overrides.c.id)
        return self._all(overrides.c.repo_id == repo_id, overrides.c.number == number, order=newest)

    def end(self, repo_id: int, number: int, *, by: str, at: datetime) -> int:
        """End what stands; how many that were."""
        return write(self._engine, _end(repo_id, number, by, at))


def _end(repo_id: int, number: int, by: str, at: datetime) -> Update:
    stands = (overrides.c.repo_id == repo_id, overrides.c.number == number, overrides.c.ended_at.is_(None))
    return update(overrides).where(*stands).values(ended_at=at, ended_by=by)
