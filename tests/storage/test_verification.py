"""What verification keeps: tests that models wrote, and maintainers' answers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.storage.database import Database
from bot.storage.verification import Answers, MaintainersAnswer, WrittenTests

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
ANSWER = MaintainersAnswer(
    repo_id=2**40,
    number=7,
    question="abcdefgh",
    specification="hash of a text",
    call="above(['é', '\\x00'], 2)",
    expected='{"ending":"returned"}',
    who="maintainer",
    at=NOW,
)


def test_written_tests_come_back_to_their_repository_only(database: Database) -> None:
    store = WrittenTests(database, 2**40, now=lambda: NOW)
    assert store.get("key") is None
    store.put("key", "[]")
    store.put("key", '["é"]')
    assert store.get("key") == '["é"]'
    assert store.get("other") is None
    assert WrittenTests(database, 1).get("key") is None


@pytest.mark.parametrize("expected", [ANSWER.expected, None])
def test_an_answer_comes_back(database: Database, expected: str | None) -> None:
    given = replace(ANSWER, expected=expected, call="f('" + "x" * 8000 + "')")
    Answers(database).save(given)
    assert Answers(database).about(2**40, ANSWER.specification) == (given,)
    assert Answers(database).about(1, ANSWER.specification) == ()
    assert Answers(database).about(2**40, "another") == ()


def test_whoever_answers_again_changes_the_answer(database: Database) -> None:
    store = Answers(database)
    store.save(ANSWER)
    second = replace(ANSWER, expected=None, who="other", at=NOW + timedelta(hours=1))
    store.save(second)
    assert store.about(2**40, ANSWER.specification) == (second,)


def test_the_newest_answer_to_a_call_counts_whatever_question_asked_for_it(database: Database) -> None:
    store = Answers(database)
    newer = replace(ANSWER, number=9, question="zzzzzzzz", expected=None, at=NOW + timedelta(hours=1))
    other = replace(ANSWER, question="22222222", call="above([], 0)", at=NOW - timedelta(hours=1))
    for answer in (newer, ANSWER, other):
        store.save(answer)
    assert store.about(2**40, ANSWER.specification) == (newer, other)
