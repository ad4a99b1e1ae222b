"""How pull requests that were judged ended, counted for the guess about agents."""

from datetime import UTC, datetime

from bot.storage.database import Database
from bot.storage.endings import EndingRecord, Endings, EndingSort
from bot.storage.gates import GateRecord, Gates
from bot.verdicts import Decision

REPO, OTHER = 2**40, 7
NOW = datetime(2026, 1, 31, tzinfo=UTC)


def test_only_pull_requests_that_were_judged_count_and_a_revert_takes_a_merge_back(database: Database) -> None:
    gates, endings = Gates(database), Endings(database)
    for repo, number, decision in (
        *((REPO, number, Decision.ACCEPT) for number in (1, 2, 3, 4, 7)),
        (REPO, 5, None),
        (OTHER, 1, Decision.BOUNCE),
    ):
        gates.save(
            GateRecord(repo_id=repo, number=number, installation_id=1, repository="a/b", head="c", decision=decision)
        )
    for place, (repo, number, sort) in enumerate(
        (
            (REPO, 1, EndingSort.MERGED),
            (REPO, 2, EndingSort.CLOSED),
            (REPO, 2, EndingSort.MERGED),  # closed first, then opened again and merged
            (REPO, 3, EndingSort.MERGED),
            (REPO, 3, EndingSort.REVERTED),
            (REPO, 4, EndingSort.CLOSED),
            (REPO, 7, EndingSort.CLOSED),
            (REPO, 7, EndingSort.REOPENED),  # and open
            (REPO, 5, EndingSort.MERGED),  # a person's
            (REPO, 6, EndingSort.DONE),  # an issue
            (OTHER, 1, EndingSort.CLOSED),
        )
    ):
        endings.add(EndingRecord(f"guid-{place}", repo, number, sort, "maintainer", True, NOW))
    assert endings.of_agents(REPO) == (2, 2)
    assert endings.of_agents(OTHER) == (0, 1)
    assert endings.of_agents(9) == (0, 0)
