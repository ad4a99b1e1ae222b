"""Judgements: kept once, found by their token alone, listed for their pull request, gone with the App."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import update

from bot.github.values import Annotation
from bot.storage.database import Database
from bot.storage.judgements import JudgementRecord, Judgements
from bot.storage.judgements import judgements as table
from bot.storage.tokens import MOST
from bot.verdicts import Decision

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
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
    at=NOW,
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
        NOW,
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
        later = replace(JUDGEMENT, run_id=f"judging:{minute}", at=NOW + timedelta(minutes=minute))
        judgements.keep(later)
    judgements.keep(replace(JUDGEMENT, run_id="other", number=8))
    trail = judgements.trail(2**40, 7)
    assert len(trail) == MOST
    assert trail[0].at == NOW + timedelta(minutes=MOST + 1)
    assert list(trail) == sorted(trail, key=lambda each: each.at, reverse=True)


def test_what_was_first_said_beside_a_commits_lines(database: Database) -> None:
    judgements = Judgements(database)
    assert judgements.annotations(2**40, HEAD) == ()
    judgements.keep(replace(JUDGEMENT, annotations=()))
    for run_id, minute, said in (("judging:3", 2, "later"), ("judging:2", 1, "first")):
        beside = (replace(BESIDE[0], message=said),)
        later = replace(JUDGEMENT, run_id=run_id, number=8, at=NOW + timedelta(minutes=minute), annotations=beside)
        judgements.keep(later)
    assert [item.message for item in judgements.annotations(2**40, HEAD)] == ["first"]
    assert judgements.annotations(2**40, OTHER) == judgements.annotations(1, HEAD) == ()
