"""What Bouncer remembers of each issue."""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Row, case, delete, select, update

from bot.storage.database import Database
from bot.storage.tables import (
    answers,
    fixes,
    fixes_used,
    gates,
    insert,
    installations,
    judgements,
    merge_groups,
    pulls,
    subjects,
    written_tests,
)
from bot.storage.tokens import digest, is_token, new_token
from bot.verdicts import Item, State, Verdict

_items = TypeAdapter(tuple[Item, ...])
_verdict = TypeAdapter(Verdict)
# What goes with an installation.
_INSTALLED = (subjects, fixes, fixes_used, pulls, gates, merge_groups, judgements)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """See the table in docs/architecture.md.

    label_by_human: a person, not Bouncer, put the `needs-clarification` label on.
    label: the name under which Bouncer put it on; empty while nothing is held.
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


class Subjects:
    """One row a subject. Only the workflow that holds the subject saves it; anybody may `want`."""

    def __init__(self, database: Database) -> None:
        self._engine = database.main

    def get(self, repo_id: int, number: int) -> Subject | None:
        """What is known, `None` when this subject was never seen."""
        query = select(subjects).where(subjects.c.repo_id == repo_id, subjects.c.number == number)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _subject(row)

    def want(
        self, repo_id: int, number: int, seq: int, *, installation_id: int, repository: str, author: str = ""
    ) -> None:
        """Delivery `seq` wants a look at this subject. Creates it when it is new; an older `seq` changes nothing."""
        self._upsert(
            Subject(
                repo_id=repo_id,
                number=number,
                installation_id=installation_id,
                repository=repository,
                author=author,
                latest_seq=seq,
            ),
            {"latest_seq"},
        )

    def latest(self, repo_id: int, number: int) -> int:
        """The newest delivery that wants a look; 0 when there is none."""
        query = select(subjects.c.latest_seq).where(subjects.c.repo_id == repo_id, subjects.c.number == number)
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none() or 0

    def save(self, subject: Subject) -> None:
        """Store everything; `latest_seq` only ever grows, so a `want` that came meanwhile is kept."""
        self._upsert(subject, set(_columns(subject)) - {"repo_id", "number"})

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

    def at(self, token: str) -> Subject | None:
        """Whose page has this address."""
        if not is_token(token):
            return None
        query = select(subjects).where(subjects.c.digest == digest(token))
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return _subject(row) if row is not None and hmac.compare_digest(row.token, token) else None

    def due_reminders(self, now: datetime) -> tuple[Subject, ...]:
        """Held, active subjects asked at least a day ago (the shortest a policy can say), longest silence first.

        Whether to remind or close is the policy's word.
        """
        query = (
            select(subjects)
            .where(
                subjects.c.held.is_(True),
                subjects.c.state == State.ACTIVE.value,
                subjects.c.asked_at <= now - timedelta(days=1),
            )
            .order_by(subjects.c.asked_at)
        )
        with self._engine.connect() as connection:
            return tuple(map(_subject, connection.execute(query)))

    def due_retries(self, now: datetime) -> tuple[Subject, ...]:
        """Active subjects whose `retry_at` has come, longest due first."""
        query = (
            select(subjects)
            .where(subjects.c.retry_at <= now, subjects.c.state == State.ACTIVE.value)
            .order_by(subjects.c.retry_at)
        )
        with self._engine.connect() as connection:
            return tuple(map(_subject, connection.execute(query)))

    def forget_installation(self, installation_id: int) -> int:
        """The App was uninstalled: forget its subjects, so that nothing runs for them. Returns how many."""
        with self._engine.begin() as connection:
            gone = (delete(table).where(table.c.installation_id == installation_id) for table in _INSTALLED)
            return sum(connection.execute(statement).rowcount for statement in gone)

    def forget_repositories(self, repo_ids: Iterable[int]) -> int:
        """The App lost access to these repositories, and to what was learnt of their code. Returns how many subjects
        were forgotten."""
        ids = list(repo_ids)
        with self._engine.begin() as connection:
            for table in (answers, written_tests):
                connection.execute(delete(table).where(table.c.repo_id.in_(ids)))
            gone = (delete(table).where(table.c.repo_id.in_(ids)) for table in _INSTALLED)
            return sum(connection.execute(statement).rowcount for statement in gone)

    def forget_orphans(self) -> int:
        """Forget what a run wrote down while its installation was being removed. Returns how many."""
        known = select(installations.c.id)
        with self._engine.begin() as connection:
            gone = (delete(table).where(table.c.installation_id.not_in(known)) for table in _INSTALLED)
            return sum(connection.execute(statement).rowcount for statement in gone)

    def _upsert(self, subject: Subject, renewed: set[str]) -> None:
        statement = insert(self._engine, subjects).values(_columns(subject))
        new = statement.excluded
        changes: dict[str, Any] = {name: new[name] for name in renewed}
        changes["latest_seq"] = case(
            (subjects.c.latest_seq > new.latest_seq, subjects.c.latest_seq), else_=new.latest_seq
        )
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=["repo_id", "number"], set_=changes))


def _columns(subject: Subject) -> dict[str, Any]:
    columns = {name: getattr(subject, name) for name in Subject.__dataclass_fields__}
    columns["state"] = subject.state.value
    columns["asked"] = _items.dump_json(subject.asked).decode()
    columns["satisfied"] = _items.dump_json(subject.satisfied).decode()
    columns["verdict"] = None if subject.verdict is None else _verdict.dump_json(subject.verdict).decode()
    return columns


def _subject(row: Row[Any]) -> Subject:
    columns = {name: row._mapping[name] for name in Subject.__dataclass_fields__}  # all but its page's address
    columns["state"] = State(row.state)
    columns["asked"] = _items.validate_json(row.asked)
    columns["satisfied"] = _items.validate_json(row.satisfied)
    columns["verdict"] = _read_verdict(row.verdict)
    return Subject(**columns)


def _read_verdict(text: str | None) -> Verdict | None:
    """A verdict another version wrote and this one cannot read is no verdict; the subject stays usable."""
    try:
        return None if text is None else _verdict.validate_json(text)
    except ValidationError:
        return None
