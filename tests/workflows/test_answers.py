"""Answers to commands: each a comment of its own, once, and not without end."""

import pytest

from bot.github.values import Repository
from bot.rendering.comment import AnswerMark, answer_to, mark_of
from bot.workflows.commands import MOST_A_DAY, AnswerTarget, answer
from tests.workflows.house import House


@pytest.fixture
def under(house: House) -> tuple[str, int]:
    repo = house.repository()
    return repo, house.open(repo)


def test_each_command_is_answered_in_a_comment_of_its_own(house: House, under: tuple[str, int]) -> None:
    asked = house.spoken(*under)
    house.say(*under, "/bouncer help", by="somebody")
    house.say(*under, "/bouncer help\n\n/bouncer dance", by="maintainer")
    assert len(house.answers(*under)) == 3, "a comment of two commands has two answers"
    mark = mark_of(house.answers(*under)[0])
    assert mark is not None and mark.guest and mark.key.endswith(", help")
    assert house.spoken(*under) == asked, "what is asked stays as it is"


def test_an_answer_is_given_once_and_kept_up_to_date(house: House, under: tuple[str, int]) -> None:
    """As after a kill between the answer and what is remembered of it."""
    repo, number = under
    subject = house.remembered(repo, number)
    assert subject is not None
    client = house.services.repository(subject.installation_id, Repository(subject.repo_id, repo))
    at = house.say(*under, "Hello.", by="somebody")
    for text in ("One.", "One.", "Two."):
        answer(client, number, AnswerTarget("comment 1, help", "somebody", at), text, house.clock())
    assert house.answers(*under) == [answer_to(AnswerMark("comment 1, help", guest=True), "Two.")]


def test_who_may_not_write_has_five_answers_a_day_and_then_a_reaction(house: House, under: tuple[str, int]) -> None:
    house.begin_a_day()
    house.say(*under, "/bouncer help", by="maintainer")
    for who in ("somebody", "triager") * 3:
        last = house.say(*under, "/bouncer help", by=who)
    assert (len(house.answers(*under)), MOST_A_DAY) == (6, 5), "a maintainer's own counts for nobody"
    assert seen(house, *under) == [last]
    house.say(*under, "/bouncer help", by="maintainer")
    assert len(house.answers(*under)) == 7, "who may write is always answered"
    elsewhere = house.open(under[0])
    house.say(under[0], elsewhere, "/bouncer help", by="somebody")
    assert len(house.answers(under[0], elsewhere)) == 1, "each issue has its own five"
    house.begin_a_day()
    house.say(*under, "/bouncer help", by="somebody")
    assert len(house.answers(*under)) == 8


def test_nobody_writes_an_answer_for_bouncer(house: House, under: tuple[str, int]) -> None:
    """Whoever copies the hidden line neither uses up the answers of others nor keeps one from being given."""
    house.begin_a_day()
    for _ in range(MOST_A_DAY):
        house.say(*under, answer_to(AnswerMark("comment 1, help", guest=True), "Mine."), by="stranger")
    house.say(*under, "/bouncer help", by="somebody")
    assert len(house.answers(*under)) == 1


def test_a_pull_request_is_answered_alike(house: House) -> None:
    repo = house.repository("pulls: {enabled: false}\n")
    number = house.propose(repo, "Add half()", {"half.py": "half = 0.5"}, body="Halves.", by="maintainer")
    for who in ("stranger", "maintainer"):
        house.say(repo, number, "/bouncer help", by=who)
    assert [mark_of(each).guest for each in house.answers(repo, number)] == [True, False]  # type: ignore[union-attr]


def test_what_was_carried_out_is_told_however_many_asked_for_help(house: House) -> None:
    house.begin_a_day()
    repo, number = house.begin("issues: {only: {labels: [triage]}}\n")
    for word in ("help", "accept", "pause", "resume", "dance", "help"):
        house.say(repo, number, f"/bouncer {word}", by="stranger")
    assert len(house.answers(repo, number)) == MOST_A_DAY
    house.say(repo, number, "/bouncer recheck")
    assert "does not hold this issue" in house.answer(repo, number)


def test_a_comment_that_is_edited_is_other_answers(house: House, under: tuple[str, int]) -> None:
    comment = house.say(*under, "/bouncer help", by="somebody")
    house.clock.advance(minutes=1)
    house.github.edit_comment(under[0], comment, "/bouncer help\n\n/bouncer help", by="somebody")
    house.settle()
    assert len(house.answers(*under)) == 2


def seen(house: House, repo: str, number: int) -> list[int]:
    """The comments that carry Bouncer's reaction."""
    comments = house.github.repo(repo).issues[number].comments
    return [each.id for each in comments if any(content == "eyes" for _, _, content, _ in each.reactions)]
