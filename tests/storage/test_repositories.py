"""What is known of repositories: the newest word counts, and what nobody told counts as private."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.storage.database import Database
from bot.storage.repositories import Repositories, RepositoryRecord, repository_names

NOW = datetime(2026, 1, 31, tzinfo=UTC)
KNOWN = RepositoryRecord(repo_id=2**40, installation_id=3, full_name="tea/pot", private=False, heard_at=NOW)


def test_what_nobody_told_is_private_and_the_newest_word_counts(database: Database) -> None:
    repositories = Repositories(database)
    assert repositories.is_private(2**40)
    repositories.note_from_github([replace(KNOWN, private=True), KNOWN])
    assert not repositories.is_private(2**40)
    hidden = replace(KNOWN, private=True, full_name="tea/cup", heard_at=NOW + timedelta(hours=1))
    repositories.note_from_deliveries([hidden])
    repositories.note_from_deliveries([KNOWN])  # came late
    assert repositories.get_many([2**40, 7]) == (hidden,)
    assert repository_names(database) == {2**40: "tea/cup"}


LATER = NOW + timedelta(hours=1)
HIDDEN = replace(KNOWN, private=True)
SAID = replace(KNOWN, heard_at=LATER)
SAID_HIDDEN = replace(HIDDEN, heard_at=LATER)


@pytest.mark.parametrize(
    ("known", "said", "private", "asked"),
    [
        pytest.param(KNOWN, [SAID_HIDDEN], True, [SAID_HIDDEN], id="it closes"),
        pytest.param(HIDDEN, [SAID], True, [SAID], id="it does not open"),
        pytest.param(None, [SAID], True, [SAID], id="nor what nobody told"),
        pytest.param(None, [SAID_HIDDEN], True, [], id="where nothing was open"),
        pytest.param(KNOWN, [SAID_HIDDEN, SAID], True, [SAID_HIDDEN, SAID], id="nor what was closed just before"),
        pytest.param(KNOWN, [SAID], False, [], id="as it was"),
        pytest.param(HIDDEN, [SAID_HIDDEN], True, [], id="still private"),
        pytest.param(SAID, [HIDDEN], False, [], id="GitHub was asked since"),
    ],
)
def test_a_delivery_closes_and_never_opens(
    database: Database,
    known: RepositoryRecord | None,
    said: list[RepositoryRecord],
    private: bool,
    asked: list[RepositoryRecord],
) -> None:
    repositories = Repositories(database)
    repositories.note_from_github([known] if known else [])
    assert repositories.note_from_deliveries(said) == tuple(asked)
    assert repositories.is_private(KNOWN.repo_id) is private


@pytest.mark.parametrize(
    ("write", "after"), [("note_from_deliveries", -1), ("note_from_deliveries", 1), ("note_from_github", 1)]
)
def test_what_is_closed_while_it_is_compared_stays_closed(
    database: Database, monkeypatch: pytest.MonkeyPatch, write: str, after: int
) -> None:
    """By the web process, while a worker writes down another name."""
    repositories = Repositories(database)
    repositories.note_from_github([KNOWN])

    def compared(ids: object) -> tuple[RepositoryRecord, ...]:
        repositories.close(KNOWN.repo_id, LATER + timedelta(minutes=after))
        return (KNOWN,)

    monkeypatch.setattr(repositories, "get_many", compared)
    getattr(repositories, write)([replace(SAID, full_name="tea/cup")])
    assert repositories.is_private(KNOWN.repo_id)
