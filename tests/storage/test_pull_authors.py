"""Who pushed, which pull requests are an agent's for good, and a maintainer's word: any order gives the same."""

from datetime import UTC, datetime, timedelta

from bot.storage.database import Database
from bot.storage.pull_authors import Makers, PersonWord, Push, Pushes

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
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
