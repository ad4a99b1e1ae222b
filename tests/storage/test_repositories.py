"""What is known of repositories, and of pull requests there: their authors, check runs and ends."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.storage.database import Database
from bot.storage.endings import EndingRecord, Endings, EndingSort
from bot.storage.gates import CheckRunRecord, CheckRuns, GateRecord, Gates, MergeGroupRecord, MergeGroups
from bot.storage.pull_authors import Makers, PersonWord, Push, Pushes
from bot.storage.repositories import Repositories, RepositoryRecord, repository_names
from bot.verdicts import Decision

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
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


REPO = 2**40
MINUTE = timedelta(minutes=1)
WORD = PersonWord(
    id="comment 1",
    repo_id=REPO,
    number=7,
    head="a" * 40,
    who="maintainer",
    permission="maintain",
    reason="I wrote it.",
    said_at=NOW,
    at=NOW,
)


def push(head: str, number: int = 7, who: str = "ada", *, at: datetime = NOW) -> Push:
    return Push(repo_id=REPO, number=number, head=head, who=who, is_bot=False, at=at)


def test_pushes_are_found_by_pull_request_and_by_commit(database: Database) -> None:
    pushes = Pushes(database)
    first, again, elsewhere = push("a"), push("b", at=NOW + MINUTE), push("a", 8, "grace", at=NOW - MINUTE)
    for each in (again, first, elsewhere, first):
        pushes.add(each)
    assert pushes.to(REPO, 7) == (first, again)
    assert pushes.to(REPO, 9, {"a"}) == (elsewhere, first)
    assert pushes.to(REPO + 1, 7, {"a"}) == ()


def test_the_first_reasons_stay_and_pass_to_another_pull_request_with_the_commit(database: Database) -> None:
    makers = Makers(database)
    Pushes(database).add(push("a"))
    assert (makers.signs(REPO, 7), makers.twins(REPO, 8, "a")) == ((), ())
    for reasons in (("Its branch.",), ("Its description.",)):
        makers.mark(REPO, 7, reasons, at=NOW)
    assert makers.signs(REPO, 7) == ("Its branch.",)
    assert (makers.twins(REPO, 8, "a"), makers.twins(REPO, 8, "b"), makers.twins(REPO, 7, "a")) == ((7,), (), ())


def test_a_word_stands_until_it_is_ended_and_is_kept(database: Database) -> None:
    makers = Makers(database)
    for _ in range(2):
        makers.add(WORD)
    assert makers.end(REPO, 7, by="an older push", at=NOW, until=NOW - MINUTE) == 0
    assert makers.current(REPO, 7) == WORD
    assert makers.end(REPO, 7, by="a push of devin", at=NOW, until=NOW + MINUTE) == 1
    makers.add(WORD)
    assert makers.current(REPO, 7) is None
    (kept,) = makers.words(REPO, 7)
    assert (kept.reason, kept.ended_by, kept.ended_at) == ("I wrote it.", "a push of devin", NOW)


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


OTHER = 7


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
