"""What is known of repositories: the newest word counts, and what nobody told counts as private."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from bot.storage.database import Database
from bot.storage.migrate import migrate
from bot.storage.repositories import Repositories, RepositoryRecord
from bot.storage.repository_names import repository_names
from bot.storage.subjects import Subjects
from tests.support.databases import at_revision

NOW = datetime(2026, 1, 31, tzinfo=UTC)
KNOWN = RepositoryRecord(repo_id=2**40, installation_id=3, full_name="tea/pot", private=False, heard_at=NOW)


def test_what_nobody_told_is_private_and_the_newest_word_counts(database: Database) -> None:
    repositories = Repositories(database)
    assert repositories.is_private(2**40)
    repositories.heard([replace(KNOWN, private=True), KNOWN])
    assert not repositories.is_private(2**40)
    hidden = replace(KNOWN, private=True, full_name="tea/cup", heard_at=NOW + timedelta(hours=1))
    repositories.heard([hidden])
    repositories.heard([KNOWN])  # came late
    assert repositories.known([2**40, 7]) == (hidden,)
    assert repository_names(database) == {2**40: "tea/cup"}


def test_what_is_known_goes_with_the_installation(database: Database) -> None:
    Repositories(database).heard([KNOWN, replace(KNOWN, repo_id=7, installation_id=4)])
    Subjects(database).forget_installation(3)
    assert [each.repo_id for each in Repositories(database).known([2**40, 7])] == [7]
    Subjects(database).forget_repositories([7])
    assert Repositories(database).known([7]) == ()


@pytest.fixture
def before(database_url: str) -> Iterator[Database]:
    """A database of the version before."""
    opened = Database.open(at_revision(database_url, "m0020"))
    yield opened
    opened.close()


def test_what_an_earlier_version_stored_is_filled_in(before: Database) -> None:
    subject = (
        "INSERT INTO subjects (repo_id, number, installation_id, repository, author, state, held, label_by_human,"
        " asked, satisfied, judged_hash, latest_seq, retries, private) VALUES"
        " (:repo, :number, 1, 'a/b', 'x', 'active', false, false, '[]', '[]', '', 0, 0, :private)"
    )
    decision = (
        "INSERT INTO decisions (workflow_id, repo_id, number, author, at, seq, mode, decision, label, kind, judge,"
        " applied, calls, tokens_in, tokens_out, money, seconds, verdict) VALUES (:id, 1, 1, 'x', '2026-01-01', 1,"
        " 'advise', 'BOUNCE', :label, NULL, 'j', '[]', 0, 0, 0, 0, 0, :verdict)"
    )
    judgement = (
        "INSERT INTO judgements (run_id, digest, token, repo_id, number, installation_id, repository, head, at,"
        " decision, sentence, annotations, page) VALUES ('gate', 'd', 't', 1, 1, 1, 'a/b', 'h', '2026-01-01', 'BOUNCE',"
        " '', '[]', '{}')"
    )
    with before.main.begin() as connection:
        for number, repo, private in ((1, 1, True), (2, 1, False), (1, 2, False)):
            connection.execute(text(subject), {"repo": repo, "number": number, "private": private})
        connection.execute(text(judgement))
        for name, label in (("gate", "INCORRECT"), ("issue", "VAGUE"), ("review", None)):
            connection.execute(text(decision), {"id": name, "label": label, "verdict": '{"ground": "steps"}'})
        connection.execute(text(decision), {"id": "old", "label": "VAGUE", "verdict": "{}"})
    migrate(before)
    assert [Repositories(before).is_private(repo) for repo in (1, 2)] == [True, False]
    with before.main.connect() as connection:
        rows = connection.execute(text("SELECT workflow_id, subject, ground FROM decisions")).all()
    assert sorted(tuple(row) for row in rows) == [
        ("gate", "pull request", "steps"),
        ("issue", "issue", "steps"),
        ("old", "issue", ""),
        ("review", "review bot's rejection", "steps"),
    ]
