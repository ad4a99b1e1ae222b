"""What is kept of a report that may be fixed: no look's answer lands on another's, and all goes with the App."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.storage.database import Database
from bot.storage.fixes import Fixes, FixRecord, Used

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
RECORD = FixRecord(
    repo_id=2**40,
    number=7,
    installation_id=3,
    repository="acme/widgets",
    run_id="already_fixed:1",
    digest="abc",
    said="It is fixed.",
    brief="Run this first.",
    brief_wanted=True,
    label="already-fixed",
    told_at=NOW,
    close_at=NOW + timedelta(days=7),
    objected=True,
)


def test_everything_comes_back(database: Database) -> None:
    fixes = Fixes(database)
    assert fixes.get(2**40, 7) is None
    fixes.begin(RECORD)
    assert fixes.get(2**40, 7) == RECORD


def test_only_the_newest_look_is_settled(database: Database) -> None:
    fixes = Fixes(database)
    fixes.begin(RECORD)
    fixes.begin(replace(RECORD, run_id="already_fixed:2"))
    assert not fixes.settle(2**40, 7, "already_fixed:1", "an older answer")
    assert fixes.settle(2**40, 7, "already_fixed:2", "an answer")
    assert fixes.get(2**40, 7) == replace(RECORD, run_id="already_fixed:2", found="an answer")


def test_saving_leaves_a_look_alone_that_just_ended(database: Database) -> None:
    fixes = Fixes(database)
    fixes.begin(RECORD)
    fixes.settle(2**40, 7, "already_fixed:1", "an answer")
    fixes.save(replace(RECORD, run_id="", digest="", said="Taken back."))
    assert fixes.get(2**40, 7) == replace(RECORD, found="an answer", said="Taken back.")


def test_what_pull_requests_were_judged_by(database: Database) -> None:
    fixes = Fixes(database)
    assert fixes.last_basis(2**40, 9) == Used()
    fixes.use(2**40, 3, 9, Used((7, 8, 7)))
    fixes.use(2**40, 3, 5, Used((7,), unneeded=True))
    assert fixes.users(2**40, 7) == (5, 9)
    assert fixes.last_basis(2**40, 9) == Used((7, 8))
    fixes.use(2**40, 3, 9, Used((8,), unneeded=True))
    assert (fixes.users(2**40, 7), fixes.last_basis(2**40, 9)) == ((5,), Used((8,), unneeded=True))
    fixes.use(2**40, 3, 9, Used())
    assert fixes.users(2**40, 8) == ()


def test_what_is_due_is_told_oldest_first(database: Database) -> None:
    fixes = Fixes(database)
    for number, days in ((1, 9), (2, 7), (3, 8)):
        fixes.begin(replace(RECORD, number=number, close_at=NOW + timedelta(days=days)))
    fixes.begin(replace(RECORD, number=4, close_at=None))
    assert [record.number for record in fixes.due(NOW + timedelta(days=8))] == [2, 3]
