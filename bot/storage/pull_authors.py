"""Whose pull requests are: who pushed, what first made one a coding agent's, and a maintainer's word that it is a
person's. Rows are added, words also ended; nothing is deleted, so the order in which deliveries arrive changes nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Index, select

from bot.storage.store import Store, add
from bot.storage.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """A commit that came to a pull request. who: the sender of GitHub's delivery. at: by GitHub's clock."""

    repo_id: int
    number: int
    head: str
    who: str
    is_bot: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonWord:
    """`/bouncer person`, as it was given.

    id: of the word itself: told twice, it counts once. head: the newest commit then. permission: what `who` might do.
    said_at: by GitHub's clock, at: by Bouncer's. ended_at, ended_by: when it ended, by whose push or word.
    """

    id: str
    repo_id: int
    number: int
    head: str
    who: str
    permission: str
    reason: str
    said_at: datetime
    at: datetime
    ended_at: datetime | None = None
    ended_by: str = ""


pushes = table("pushes", Push, Index("pushes_head", "repo_id", "head"), primary="repo_id number head who")
person_words = table("person_words", PersonWord, Index("person_words_subject", "repo_id", "number"), primary="id")
agent_pulls = table(
    "agent_pulls", None, primary="repo_id number", repo_id=int, number=int, reasons=tuple[str, ...], at=datetime
)


class Pushes(Store[Push], table=pushes):
    """Whoever brought a commit to a pull request."""

    def to(self, repo_id: int, number: int, commits: Collection[str] = ()) -> tuple[Push, ...]:
        """To a pull request, and of these commits to any other one; oldest first."""
        here = (pushes.c.number == number) | pushes.c.head.in_(commits)
        return self._all(pushes.c.repo_id == repo_id, here, order=(pushes.c.at, pushes.c.head))


class Makers(Store[PersonWord], table=person_words):
    """Maintainers' words, and what made a pull request a coding agent's. Everything here may be repeated."""

    def mark(self, repo_id: int, number: int, reasons: tuple[str, ...], *, at: datetime) -> None:
        """It counts as a coding agent's. The first reasons stay."""
        add(self._engine, agent_pulls, {"repo_id": repo_id, "number": number, "reasons": reasons, "at": at})

    def signs(self, repo_id: int, number: int) -> tuple[str, ...]:
        """The first reasons; empty for one that never counted as an agent's."""
        query = select(agent_pulls.c.reasons).where(agent_pulls.c.repo_id == repo_id, agent_pulls.c.number == number)
        return self._scalar(query) or ()

    def twins(self, repo_id: int, number: int, head: str) -> tuple[int, ...]:
        """Other pull requests that are an agent's and stood on this commit."""
        same = (agent_pulls.c.repo_id == pushes.c.repo_id) & (agent_pulls.c.number == pushes.c.number)
        query = (
            select(pushes.c.number)
            .join(agent_pulls, same)
            .where(pushes.c.repo_id == repo_id, pushes.c.head == head, pushes.c.number != number)
            .distinct()
            .order_by(pushes.c.number)
        )
        return tuple(row.number for row in self._rows(query))

    def words(self, repo_id: int, number: int) -> tuple[PersonWord, ...]:
        """All there ever were, newest first."""
        table = person_words.c
        newest = (table.said_at.desc(), table.id.desc())
        return self._all(table.repo_id == repo_id, table.number == number, order=newest)

    def current(self, repo_id: int, number: int) -> PersonWord | None:
        """The newest word that was not ended."""
        return next((word for word in self.words(repo_id, number) if word.ended_at is None), None)

    def end(self, repo_id: int, number: int, *, by: str, at: datetime, until: datetime) -> int:
        """End what stands and was said up to `until`, by GitHub's clock; how many words that were."""
        table = person_words.c
        stands = (table.repo_id == repo_id, table.number == number, table.ended_at.is_(None), table.said_at <= until)
        return self._change(*stands, ended_at=at, ended_by=by)
