"""The gate of a pull request, and the trail of overrides."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.storage.database import Database
from bot.storage.gates import GateRecord, Gates, GateState
from bot.storage.overrides import Override, Overrides
from bot.storage.subjects import Subjects
from bot.verdicts import Decision, Effect, Evidence, PatchLabel, Verdict

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
HEAD, OTHER = "a" * 40, "b" * 40
VERDICT = Verdict(
    Decision.BOUNCE,
    PatchLabel.INCORRECT,
    0.9,
    "a judge",
    None,
    ("It breaks tests.",),
    evidence=(Evidence("size", Effect.NEUTRAL, "3 lines.", "é\x00"),),
)
GATE = GateRecord(repo_id=2**40, number=7, installation_id=3, repository="acme/widgets", head=HEAD, due_at=NOW)
OVERRIDE = Override(
    id="comment 1",
    repo_id=2**40,
    number=7,
    head=HEAD,
    who="maintainer",
    permission="maintain",
    reason="I ran it.",
    at=NOW,
)


def test_a_gate_comes_back(database: Database) -> None:
    gates = Gates(database)
    assert gates.get(2**40, 7) is None
    gates.save(GATE)
    assert gates.get(2**40, 7) == GATE
    done = replace(GATE, state=GateState.DONE, decision=Decision.BOUNCE, judged="{}", labelled=True, due_at=None)
    gates.save(done)
    assert gates.get(2**40, 7) == done


def test_pull_requests_may_share_a_commit(database: Database) -> None:
    gates = Gates(database)
    for number, head in ((7, HEAD), (8, HEAD), (9, OTHER)):
        gates.save(replace(GATE, number=number, head=head))
    assert [each.number for each in gates.on(2**40, HEAD)] == [7, 8]
    assert gates.on(1, HEAD) == ()


def test_what_is_overdue(database: Database) -> None:
    gates = Gates(database)
    gates.save(GATE)
    gates.save(replace(GATE, number=8, state=GateState.DONE))
    gates.save(replace(GATE, number=9, due_at=NOW + timedelta(minutes=1)))
    gates.save(replace(GATE, number=10, due_at=None))
    assert [each.number for each in gates.overdue(NOW)] == [7]


def test_uninstalling_forgets_gates_and_keeps_the_trail(database: Database) -> None:
    gates, overrides = Gates(database), Overrides(database)
    gates.save(GATE)
    overrides.add(OVERRIDE)
    Subjects(database).forget_installation(3)
    assert gates.get(2**40, 7) is None
    assert overrides.trail(2**40, 7) == (OVERRIDE,)


def test_an_override_counts_once_and_is_never_changed(database: Database) -> None:
    overrides = Overrides(database)
    overrides.add(OVERRIDE)
    overrides.add(replace(OVERRIDE, reason="Something else.", who="somebody"))
    assert overrides.trail(2**40, 7) == (OVERRIDE,)
    assert overrides.standing(2**40, 7) == OVERRIDE


def test_an_override_that_ended_stays_in_the_trail(database: Database) -> None:
    overrides = Overrides(database)
    overrides.add(replace(OVERRIDE, verdict=VERDICT))
    assert overrides.end(2**40, 7, by="push", at=NOW) == 1
    assert overrides.end(2**40, 7, by="somebody", at=NOW) == 0
    assert overrides.standing(2**40, 7) is None
    (kept,) = overrides.trail(2**40, 7)
    assert (kept.ended_by, kept.ended_at, kept.verdict) == ("push", NOW, VERDICT)


def test_a_later_override_stands_beside_an_ended_one(database: Database) -> None:
    overrides = Overrides(database)
    overrides.add(OVERRIDE)
    overrides.end(2**40, 7, by="push", at=NOW)
    later = replace(OVERRIDE, id="comment 2", head=OTHER, at=NOW + timedelta(hours=1))
    overrides.add(later)
    assert overrides.standing(2**40, 7) == later
    assert [each.id for each in overrides.trail(2**40, 7)] == ["comment 2", "comment 1"]
