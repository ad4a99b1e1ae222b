"""The gate of a pull request, and the trail of overrides."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.storage.dashboards import Dashboards
from bot.storage.database import Database
from bot.storage.gates import MOST_ROUNDS, GateRecord, Gates, GateState, MergeGroupRecord, MergeGroups, MergeGroupState
from bot.storage.overrides import Overrides
from bot.verdicts import Decision, Effect, Evidence, PatchLabel, Verdict
from tests.storage.records import OVERRIDE

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


def test_a_gate_comes_back(database: Database) -> None:
    gates = Gates(database)
    assert gates.get(2**40, 7) is None
    gates.save(GATE)
    assert gates.get(2**40, 7) == GATE
    done = replace(GATE, labelled=True, pushed_at=NOW, people_asked=True).with_decision(Decision.BOUNCE, "{}")
    assert (done.state, done.due_at, done.bounced) == (GateState.DONE, None, (HEAD,))
    gates.save(done)
    assert gates.get(2**40, 7) == done


def test_what_came_of_a_judgement_does_not_undo_a_newer_one(database: Database) -> None:
    gates = Gates(database)
    gates.save(replace(GATE, run_id="newer"))
    assert not gates.settle(replace(GATE, run_id="older").with_decision(Decision.ACCEPT, "{}"))
    assert gates.get(2**40, 7) == replace(GATE, run_id="newer")
    done = replace(GATE, run_id="newer").with_decision(Decision.ACCEPT, "{}")
    assert gates.settle(done)
    assert not gates.settle(done)
    assert gates.get(2**40, 7) == done


def test_giving_up_a_judgement_undoes_none_that_came_meanwhile(database: Database) -> None:
    gates = Gates(database)
    gates.save(GATE)
    assert gates.give_up(GATE)
    assert gates.get(2**40, 7) == replace(GATE, due_at=None)
    for since in (GATE.with_decision(Decision.ACCEPT, "{}"), replace(GATE, run_id="newer")):
        gates.save(since)
        assert not gates.give_up(GATE)
        assert gates.get(2**40, 7) == since


def test_a_label_undoes_no_judging_that_began_meanwhile(database: Database) -> None:
    gates = Gates(database)
    gates.save(replace(GATE, run_id="newer"))
    gates.note(replace(GATE, labelled=True, people_asked=True).with_decision(Decision.BOUNCE, "{}"))
    assert gates.get(2**40, 7) == replace(GATE, run_id="newer", labelled=True, people_asked=True)


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


def test_an_override_counts_once_and_is_never_changed(database: Database) -> None:
    overrides = Overrides(database)
    overrides.add(OVERRIDE)
    overrides.add(replace(OVERRIDE, reason="Something else.", who="somebody"))
    assert overrides.trail(2**40, 7) == (OVERRIDE,)
    assert overrides.current(2**40, 7) == OVERRIDE


def test_an_override_that_ended_stays_in_the_trail(database: Database) -> None:
    overrides = Overrides(database)
    overrides.add(replace(OVERRIDE, verdict=VERDICT))
    assert overrides.end(2**40, 7, by="push", at=NOW) == 1
    assert overrides.end(2**40, 7, by="somebody", at=NOW) == 0
    assert overrides.current(2**40, 7) is None
    (kept,) = overrides.trail(2**40, 7)
    assert (kept.ended_by, kept.ended_at, kept.verdict) == ("push", NOW, VERDICT)


def test_a_later_override_stands_beside_an_ended_one(database: Database) -> None:
    overrides = Overrides(database)
    overrides.add(OVERRIDE)
    overrides.end(2**40, 7, by="push", at=NOW)
    later = replace(OVERRIDE, id="comment 2", head=OTHER, at=NOW + timedelta(hours=1))
    overrides.add(later)
    assert overrides.current(2**40, 7) == later
    assert [each.id for each in overrides.trail(2**40, 7)] == ["comment 2", "comment 1"]


def test_a_round_is_a_commit_that_was_bounced() -> None:
    record = GATE
    for head, decision in ((HEAD, Decision.BOUNCE), (HEAD, Decision.BOUNCE), (OTHER, Decision.ACCEPT)):
        record = replace(record, head=head).with_decision(decision, "")
    assert record.bounced == (HEAD,)
    for number in range(2 * MOST_ROUNDS):
        record = replace(record, head=f"{number:040}").with_decision(Decision.BOUNCE, "")
    assert len(record.bounced) == MOST_ROUNDS


def test_an_override_is_carried_over_once_and_its_trail_tells_from_where(database: Database) -> None:
    overrides = Overrides(database)
    overrides.add(OVERRIDE)
    carried = OVERRIDE.onto(OTHER, permission="admin", at=NOW + timedelta(hours=1))
    for _ in range(2):
        overrides.carry(carried)
        assert overrides.current(2**40, 7) == carried
    again = carried.onto("c" * 40, permission="admin", at=NOW + timedelta(hours=2))
    overrides.carry(again)
    trail = overrides.trail(2**40, 7)
    assert [(each.head, each.carried_from) for each in trail] == [("c" * 40, OTHER), (OTHER, HEAD), (HEAD, "")]
    assert [each.ended_by for each in trail] == ["", f"carried over to {'c' * 40}", f"carried over to {OTHER}"]
    assert {each.reason for each in trail} == {OVERRIDE.reason}


GROUP = MergeGroupRecord(
    repo_id=2**40,
    head=HEAD,
    installation_id=3,
    repository="acme/widgets",
    number=7,
    asked_at=NOW,
    pulls=(6, 7),
    due_at=NOW,
)


def test_a_group_that_is_given_up_keeps_what_came_of_it(database: Database) -> None:
    groups = MergeGroups(database)
    groups.save(GROUP)
    assert groups.keep(2**40, HEAD, "{}")
    groups.give_up(GROUP)
    assert groups.get(2**40, HEAD) == replace(GROUP, stood="{}", due_at=None)
    answered = replace(GROUP, state=MergeGroupState.DONE)
    groups.save(answered)
    groups.give_up(GROUP)
    assert not groups.keep(2**40, HEAD, "{}")
    assert groups.get(2**40, HEAD) == answered


def test_a_dashboard_counts_the_groups_that_run(database: Database) -> None:
    groups, dashboards = MergeGroups(database), Dashboards(database)
    groups.save(GROUP)
    groups.save(replace(GROUP, head=OTHER, state=MergeGroupState.DONE))
    assert dashboards.queue(2**40).groups == 1
    groups.save(replace(GROUP, state=MergeGroupState.GONE))
    assert dashboards.queue(2**40).groups == 0


def test_a_group_that_is_gone_never_comes_back(database: Database) -> None:
    groups = MergeGroups(database)
    groups.save(GROUP)
    assert (groups.get(2**40, HEAD), groups.get(2**40, OTHER)) == (GROUP, None)
    assert groups.overdue(NOW) == (GROUP,)
    gone = replace(GROUP, state=MergeGroupState.GONE)
    for each in (gone, GROUP):
        groups.save(each)
        assert groups.get(2**40, HEAD) == gone
    assert groups.overdue(NOW) == ()
    assert (groups.prune(NOW), groups.prune(NOW + timedelta(days=1))) == (0, 1)
