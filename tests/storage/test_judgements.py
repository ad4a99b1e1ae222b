"""What is kept of judgements, calibrations, fixes, models' tests and maintainers' answers, and until when."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text, update

from bot.github.values import Annotation
from bot.judges.calibration.calibration import CalibrationSource
from bot.storage.calibrations import SERVER, Calibrations
from bot.storage.database import Database
from bot.storage.fixes import Fixes, Used
from bot.storage.installations import Installations
from bot.storage.judgements import JudgementRecord, Judgements
from bot.storage.judgements import judgements as table
from bot.storage.tokens import MOST
from bot.storage.verification import Answers, MaintainersAnswer, ModelAnswers
from bot.verdicts import Decision, SpecificationLabel
from tests.judges.calibrations import NOW, calibration
from tests.storage.records import FIX

JUDGED_AT = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
HEAD, OTHER = "a" * 40, "b" * 40
RESULT = '{"head": "é\\u0000"}'
BESIDE = (Annotation("a.py", 1, 1, "failure", "cold", "test_a failed"),)
JUDGEMENT = JudgementRecord(
    run_id="judging:1",
    repo_id=2**40,
    number=7,
    installation_id=3,
    repository="acme/widgets",
    head=HEAD,
    at=JUDGED_AT,
    decision=Decision.BOUNCE,
    sentence="It breaks tests.",
    result=RESULT,
    annotations=BESIDE,
)


def test_a_judgement_is_kept_once_under_an_address_nobody_can_guess(database: Database) -> None:
    judgements = Judgements(database)
    judgements.keep(JUDGEMENT)
    (listed,) = judgements.trail(2**40, 7)
    judgements.keep(replace(JUDGEMENT, sentence="Something else."))
    assert judgements.trail(2**40, 7) == (listed,)
    assert (listed.head, listed.at, listed.decision, listed.sentence) == (
        HEAD,
        JUDGED_AT,
        Decision.BOUNCE,
        "It breaks tests.",
    )
    assert judgements.find(listed.token) == JUDGEMENT
    assert re.fullmatch(r"[\w-]{32}", listed.token), "192 bits"
    judgements.keep(replace(JUDGEMENT, run_id="judging:2"))
    assert len({each.token for each in judgements.trail(2**40, 7)}) == 2


def test_only_the_whole_token_finds_it(database: Database) -> None:
    judgements = Judgements(database)
    judgements.keep(JUDGEMENT)
    (listed,) = judgements.trail(2**40, 7)
    with database.main.connect() as connection:
        digest = str(connection.execute(table.select()).one().digest)
    for other in ("", "%", digest, digest[:32], listed.token[:-1], f"{listed.token} ", "x" * 32, "judging:1"):
        assert judgements.find(other) is None
    with database.main.begin() as connection:  # as if two tokens had one hash
        connection.execute(update(table).values(token="y" * 32))
    assert judgements.find(listed.token) is None


def test_the_newest_come_first_and_there_is_an_end(database: Database) -> None:
    judgements = Judgements(database)
    for minute in range(MOST + 2):
        later = replace(JUDGEMENT, run_id=f"judging:{minute}", at=JUDGED_AT + timedelta(minutes=minute))
        judgements.keep(later)
    judgements.keep(replace(JUDGEMENT, run_id="other", number=8))
    trail = judgements.trail(2**40, 7)
    assert len(trail) == MOST
    assert trail[0].at == JUDGED_AT + timedelta(minutes=MOST + 1)
    assert list(trail) == sorted(trail, key=lambda each: each.at, reverse=True)


def test_what_was_first_said_beside_a_commits_lines(database: Database) -> None:
    judgements = Judgements(database)
    assert judgements.annotations(2**40, HEAD) == ()
    judgements.keep(replace(JUDGEMENT, annotations=()))
    for run_id, minute, said in (("judging:3", 2, "later"), ("judging:2", 1, "first")):
        beside = (replace(BESIDE[0], message=said),)
        later = replace(
            JUDGEMENT, run_id=run_id, number=8, at=JUDGED_AT + timedelta(minutes=minute), annotations=beside
        )
        judgements.keep(later)
    assert [item.message for item in judgements.annotations(2**40, HEAD)] == ["first"]
    assert judgements.annotations(2**40, OTHER) == judgements.annotations(1, HEAD) == ()


MODEL = "openai/gpt-4.1-2025-04-14 with issue-specification/2"
SHOP = 2**40


def test_a_repositorys_own_counts_before_the_servers_before_none(database: Database) -> None:
    store = Calibrations(database)
    assert store.in_force(SHOP, MODEL) is None
    server, own = calibration(), calibration(None, repository="acme/shop")
    store.keep(SERVER, server)
    assert store.in_force(SHOP, MODEL) == store.in_force(SHOP + 1, MODEL) == server
    store.keep(SHOP, own)
    assert (store.in_force(SHOP, MODEL), store.in_force(SHOP + 1, MODEL)) == (own, server)
    assert store.all() == (server, own)
    assert store.in_force(SHOP, "foo-7b with issue-specification/2") is None
    assert (store.forget(SHOP), store.forget(SHOP)) == (1, 0)
    assert store.in_force(SHOP, MODEL) == server


def test_acts_count_before_labels_until_new_labels_come(database: Database) -> None:
    store = Calibrations(database)
    store.keep(SERVER, calibration())
    acts = calibration(None, source=CalibrationSource.ACTS, judge="gpt-4.1 with issue-specification/2")
    store.keep(SERVER, acts)
    assert store.in_force(SHOP, MODEL) == acts
    assert store.in_force(SHOP, "gpt-4.1 with issue-specification/1") == calibration(), "acts are of one prompt"
    assert store.from_labels(SHOP, MODEL) == calibration()
    newer = calibration(SpecificationLabel.IMPOSSIBLE_TO_SOLVE, made_at=NOW + timedelta(days=1))
    store.keep(SERVER, newer)
    assert store.in_force(SHOP, MODEL) == newer and store.all() == (newer,)


def test_acts_of_another_place_or_judge_stay(database: Database) -> None:
    store = Calibrations(database)
    elsewhere = calibration(None, source=CalibrationSource.ACTS, repository="acme/shop")
    other = replace(elsewhere, judge="gpt-4.1-mini", repository="")
    store.keep(SHOP, elsewhere)
    store.keep(SERVER, other)
    store.keep(SERVER, calibration())
    assert store.in_force(SHOP, MODEL) == elsewhere
    assert store.in_force(SHOP, "gpt-4.1-mini") == other


def test_what_this_version_cannot_read_is_none(database: Database) -> None:
    store = Calibrations(database)
    store.keep(SERVER, calibration())
    with database.main.begin() as connection:
        connection.execute(text("UPDATE calibrations SET calibration = '{\"judge\": 1}'"))
    assert store.in_force(SHOP, MODEL) is None and store.all() == ()


def test_what_was_learnt_in_a_repository_goes_with_it(database: Database) -> None:
    store = Calibrations(database)
    store.keep(SHOP, calibration(repository="acme/shop"))
    store.keep(SERVER, calibration())
    Installations(database).remove_repositories(3, [SHOP])
    assert store.all() == (calibration(),)


RECORD = replace(
    FIX,
    **{"number": 7, "digest": "abc", "said": "It is fixed.", "brief": "Run this first."},
    told_at=JUDGED_AT,
    close_at=JUDGED_AT + timedelta(days=7),
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
        fixes.begin(replace(RECORD, number=number, close_at=JUDGED_AT + timedelta(days=days)))
    fixes.begin(replace(RECORD, number=4, close_at=None))
    assert [record.number for record in fixes.due(JUDGED_AT + timedelta(days=8))] == [2, 3]


ANSWER = MaintainersAnswer(
    repo_id=2**40,
    number=7,
    question="abcdefgh",
    specification="hash of a text",
    call="above(['é', '\\x00'], 2)",
    expected='{"ending":"returned"}',
    who="maintainer",
    at=JUDGED_AT,
)


def test_what_models_answered_comes_back_to_its_repository_only(database: Database) -> None:
    store = ModelAnswers(database, 2**40, now=lambda: JUDGED_AT)
    assert store.get("key") is None
    store.put("key", "[]")
    store.put("key", '["é"]')
    assert store.get("key") == '["é"]'
    assert store.get("other") is None
    assert ModelAnswers(database, 1).get("key") is None


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
    second = replace(ANSWER, expected=None, who="other", at=JUDGED_AT + timedelta(hours=1))
    store.save(second)
    assert store.about(2**40, ANSWER.specification) == (second,)


def test_the_newest_answer_to_a_call_counts_whatever_question_asked_for_it(database: Database) -> None:
    store = Answers(database)
    newer = replace(ANSWER, number=9, question="zzzzzzzz", expected=None, at=JUDGED_AT + timedelta(hours=1))
    other = replace(ANSWER, question="22222222", call="above([], 0)", at=JUDGED_AT - timedelta(hours=1))
    for answer in (newer, ANSWER, other):
        store.save(answer)
    assert store.about(2**40, ANSWER.specification) == (newer, other)
