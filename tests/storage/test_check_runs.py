"""Which check run shows a commit's gate: remembered as long as anything stands on the commit."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.storage.database import Database
from bot.storage.gates import CheckRunRecord, CheckRuns, GateRecord, Gates, MergeGroupRecord, MergeGroups

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
GATE = GateRecord(repo_id=2**40, number=7, installation_id=3, repository="acme/widgets", head="a" * 40)


def test_a_check_run_comes_back(database: Database) -> None:
    runs = CheckRuns(database)
    assert runs.get(2**40, "a" * 40) is None
    for shown in (CheckRunRecord(), CheckRunRecord(2**40, open=True), CheckRunRecord(2**40, annotated=True)):
        runs.keep(2**40, "a" * 40, shown, now=NOW)
        assert runs.get(2**40, "a" * 40) == shown
    assert runs.get(2**40, "b" * 40) is None


def test_it_is_forgotten_when_nothing_stands_on_the_commit(database: Database) -> None:
    runs = CheckRuns(database)
    Gates(database).save(GATE)
    MergeGroups(database).save(
        MergeGroupRecord(
            repo_id=2**40, head="b" * 40, installation_id=3, repository="acme/widgets", number=7, asked_at=NOW
        )
    )
    for head in "abc":
        runs.keep(2**40, head * 40, CheckRunRecord(5), now=NOW)
    assert runs.prune(NOW) == 0  # not older
    assert runs.prune(NOW + timedelta(days=1)) == 1
    assert [runs.get(2**40, head * 40) for head in "abc"] == [CheckRunRecord(5), CheckRunRecord(5), None]
    Gates(database).save(replace(GATE, head="d" * 40))
    assert runs.prune(NOW + timedelta(days=1)) == 1
