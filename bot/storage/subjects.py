"""What Bouncer remembers of each issue."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Index, case, select, update

from bot.storage.store import upsert
from bot.storage.tables import table
from bot.storage.tokens import PageStore, digest, new_token
from bot.verdicts import Item, State, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRecord:
    """What is remembered of one issue.

    state: `ACCEPTED` where a maintainer ended it for good.
    held: Bouncer put the `needs-clarification` label on, and as far as it knows the label is there.
    label_by_human: a person put that label on; Bouncer never takes it off. asked_by_label: it was somebody who may,
    when the policy had Bouncer ask for it.
    label: the name under which Bouncer put it on, which the policy may have changed since; empty while nothing is held.
    comment_id: the one comment.
    asked, satisfied: items that were asked, and items ever ticked, which are never asked again.
    judged_hash: of the text last judged; the same text is judged again only where somebody asks for it.
    latest_seq: the newest delivery that wants a look: changes of the issue alone, since a comment may ask nothing.
    asked_at: when somebody was last asked; absent while a hold is half written.
    verdict: the last one reached.
    retry_at, retries: when to try again after `UNAVAILABLE`, and how often that was done.
    private: whether the repository was, as the newest delivery said.
    left_alone: why the policy had it not held at the newest look, as a phrase; empty where it may be.
    """

    repo_id: int
    number: int
    installation_id: int
    repository: str
    author: str = ""
    state: State = State.ACTIVE
    held: bool = False
    label_by_human: bool = False
    asked_by_label: bool = False
    label: str = ""
    comment_id: int | None = None
    asked: tuple[Item, ...] = ()
    satisfied: tuple[Item, ...] = ()
    judged_hash: str = ""
    latest_seq: int = 0
    verdict: Verdict | None = None
    asked_at: datetime | None = None
    reminded_at: datetime | None = None
    retry_at: datetime | None = None
    retries: int = 0
    private: bool = True
    left_alone: str = ""


subjects = table(
    "subjects",
    SubjectRecord,
    Index("subjects_held", "repo_id", "held", "state"),
    Index("subjects_waiting", "repo_id", "retry_at"),
    Index("subjects_page", "digest", unique=True),
    primary="repo_id number",
    index="installation_id retry_at",
    token=str | None,
    digest=str | None,
)


class Subjects(PageStore[SubjectRecord], table=subjects):
    """One row a subject. Only the workflow that holds the subject saves it; anybody may `want`."""

    def want(self, new: SubjectRecord) -> None:
        """Delivery `latest_seq` wants a look at this subject. Creates it when it is new; of one that is there it raises
        nothing but that number."""
        upsert(self._engine, subjects, [self._columns(new)], renewed=(), changes=_newest)

    def save(self, record: SubjectRecord) -> None:
        """Store everything; `latest_seq` only ever grows, so a `want` that came meanwhile is kept."""
        upsert(self._engine, subjects, [self._columns(record)], changes=_newest)

    def with_questions(self) -> tuple[SubjectRecord, ...]:
        """All that were ever asked for something."""
        return self._all(subjects.c.asked != (), order=(subjects.c.repo_id, subjects.c.number))

    def address(self, repo_id: int, number: int) -> str:
        """The secret part of its page's address; empty for a subject that was never seen."""
        this = subjects.c.repo_id == repo_id, subjects.c.number == number
        query, token = select(subjects.c.token).where(*this), new_token()
        given = update(subjects).where(*this, subjects.c.token.is_(None)).values(token=token, digest=digest(token))
        with self._engine.begin() as connection:
            known = connection.execute(query).scalar_one_or_none()
            if known is None and connection.execute(given).rowcount:
                return token
            return known or connection.execute(query).scalar_one_or_none() or ""

    def due_reminders(self, now: datetime) -> tuple[SubjectRecord, ...]:
        """Held, active subjects asked at least a day ago (the shortest a policy can say), longest silence first.

        Whether to remind or close is the policy's word.
        """
        active, long_ago = subjects.c.state == State.ACTIVE, now - timedelta(days=1)
        asked = (subjects.c.held.is_(True), active, subjects.c.asked_at <= long_ago)
        return self._all(*asked, order=[subjects.c.asked_at])

    def due_retries(self, now: datetime) -> tuple[SubjectRecord, ...]:
        """Active subjects whose `retry_at` has come, longest due first."""
        due = (subjects.c.retry_at <= now, subjects.c.state == State.ACTIVE)
        return self._all(*due, order=[subjects.c.retry_at])


def _newest(new: Any) -> dict[str, Any]:
    older = subjects.c.latest_seq > new.latest_seq
    return {"latest_seq": case((older, subjects.c.latest_seq), else_=new.latest_seq)}
