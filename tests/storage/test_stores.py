"""Subjects, ledger, installations, commands and policies, on both databases."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import func, select, text

from bot.github.values import Repository
from bot.live.precision import Subject
from bot.storage.database import Database
from bot.storage.installations import InstallationRecord, Installations
from bot.storage.ledger import Act, Disagreement, Disagreements, Ledger, decisions
from bot.storage.named_locks import Commands
from bot.storage.repository_files import CachedPolicy, Policies
from bot.storage.subjects import SubjectRecord, Subjects, subjects
from bot.verdicts import (
    ChecklistItem,
    Decision,
    Effect,
    Evidence,
    IssueKind,
    Item,
    Question,
    SpecificationLabel,
    State,
    Usage,
    Verdict,
)
from tests.storage.records import ENTRY
from tests.storage.test_baseline import reflected, value
from tests.support.cases import cases

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
DAY = timedelta(days=1)

VERDICT = Verdict(
    decision=Decision.BOUNCE,
    label=SpecificationLabel.VAGUE,
    probability=0.75,
    judge="offline/1",
    kind=IssueKind.BUG,
    reasons=("It does not say what happens.",),
    checklist=(ChecklistItem(Item.OBSERVED, True, "it fails"), ChecklistItem(Item.STEPS, False)),
    questions=(Question(Item.STEPS, "How can it be made to happen?", "it fails"),),
    evidence=(Evidence("steps", Effect.MISSING, "No steps.", "NUL \x00 \U0001f600", "body"),),
)
SUBJECT = SubjectRecord(
    repo_id=2**40,
    number=3,
    installation_id=7,
    repository="acme/widgets",
    author="reporter",
    state=State.ACTIVE,
    held=True,
    label_by_human=True,
    asked_by_label=True,
    label="needs-clarification",
    comment_id=2**50,
    asked=(Item.STEPS, Item.VERSION),
    satisfied=(Item.OBSERVED,),
    judged_hash="abc",
    latest_seq=9,
    verdict=VERDICT,
    asked_at=NOW - 2 * DAY,
    reminded_at=NOW - DAY,
    retry_at=NOW + DAY,
    retries=2,
    private=False,
    left_alone="its author is exempt",
)


@pytest.fixture
def store(database: Database) -> Subjects:
    return Subjects(database)


def want(store: Subjects, seq: int, number: int = 3, **changes: Any) -> None:
    given = {"installation_id": 7, "repository": "acme/widgets", "author": "reporter"}
    store.want(SubjectRecord(repo_id=SUBJECT.repo_id, number=number, latest_seq=seq, **{**given, **changes}))


def test_a_subject_comes_back_as_it_was_saved(store: Subjects) -> None:
    assert store.get(SUBJECT.repo_id, 3) is None
    store.save(SUBJECT)
    assert store.get(SUBJECT.repo_id, 3) == SUBJECT


@pytest.mark.parametrize(
    "field", [field.name for field in fields(SubjectRecord) if field.name not in ("repo_id", "number")]
)
def test_every_field_is_saved_over_an_older_one(store: Subjects, field: str) -> None:
    plain = SubjectRecord(
        repo_id=SUBJECT.repo_id, number=3, installation_id=1, repository="old/name", state=State.PAUSED
    )
    store.save(plain)
    changed = replace(plain, **{field: getattr(SUBJECT, field)})
    assert changed != plain
    store.save(changed)
    assert store.get(SUBJECT.repo_id, 3) == changed


def test_a_subjects_page_keeps_its_address(store: Subjects) -> None:
    assert store.address(SUBJECT.repo_id, 3) == "", "nobody knows it"
    store.save(SUBJECT)
    store.save(replace(SUBJECT, number=4))
    first, second = store.address(SUBJECT.repo_id, 3), store.address(SUBJECT.repo_id, 4)
    store.save(replace(SUBJECT, held=False))
    assert store.address(SUBJECT.repo_id, 3) == first != second
    assert store.find(first) == replace(SUBJECT, held=False)
    assert store.find(first.swapcase()) is None and store.find(first[:-1]) is None


def test_wanting_makes_a_subject_and_only_ever_raises_the_newest(store: Subjects) -> None:
    for seq, newest in ((5, 5), (4, 5), (6, 6)):
        want(store, seq)
        assert store.get(SUBJECT.repo_id, 3) == SubjectRecord(
            repo_id=SUBJECT.repo_id,
            number=3,
            installation_id=7,
            repository="acme/widgets",
            author="reporter",
            latest_seq=newest,
        )


def test_wanting_changes_nothing_else_of_a_known_subject(store: Subjects) -> None:
    store.save(SUBJECT)
    want(store, 20, installation_id=99, repository="other/name", author="other")
    assert store.get(SUBJECT.repo_id, 3) == replace(SUBJECT, latest_seq=20)


def test_saving_keeps_a_want_that_came_meanwhile(store: Subjects) -> None:
    want(store, 5)
    read = store.get(SUBJECT.repo_id, 3)
    assert read is not None
    want(store, 8)
    store.save(replace(read, held=True))
    assert store.get(SUBJECT.repo_id, 3) == replace(read, held=True, latest_seq=8)


def test_those_who_want_at_once_leave_the_newest(store: Subjects) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda seq: want(store, seq), range(1, 41)))
    found = store.get(SUBJECT.repo_id, 3)
    assert found is not None and found.latest_seq == 40


def test_a_verdict_of_another_version_does_not_hide_the_subject(store: Subjects, database: Database) -> None:
    store.save(SUBJECT)
    with database.main.begin() as connection:
        connection.exec_driver_sql("""UPDATE subjects SET verdict = '{"decision":"MAYBE"}'""")
    assert store.get(SUBJECT.repo_id, 3) == replace(SUBJECT, verdict=None)


@pytest.mark.parametrize(
    ("changes", "due"),
    [
        ({}, True),
        ({"asked_at": NOW - DAY}, True),
        ({"asked_at": NOW - DAY + timedelta(seconds=1)}, False),
        ({"asked_at": None}, False),
        ({"held": False}, False),
        ({"state": State.ACCEPTED}, False),
        ({"state": State.PAUSED}, False),
        ({"reminded_at": None}, True),
    ],
)
def test_who_may_be_due_a_reminder(store: Subjects, changes: dict[str, Any], due: bool) -> None:
    store.save(replace(SUBJECT, **changes))
    assert bool(store.due_reminders(NOW)) is due


@pytest.mark.parametrize(
    ("changes", "due"),
    [
        ({"retry_at": NOW}, True),
        ({"retry_at": NOW.astimezone(timezone(timedelta(hours=9)))}, True),
        ({"retry_at": NOW + timedelta(microseconds=1)}, False),
        ({"retry_at": None}, False),
        ({"retry_at": NOW, "state": State.ACCEPTED}, False),
        ({"retry_at": NOW, "state": State.PAUSED}, False),
    ],
)
def test_who_is_due_a_retry(store: Subjects, changes: dict[str, Any], due: bool) -> None:
    store.save(replace(SUBJECT, **changes))
    assert bool(store.due_retries(NOW)) is due


def test_the_longest_due_comes_first(store: Subjects) -> None:
    for number, days in enumerate((2, 4, 3), start=1):
        store.save(replace(SUBJECT, number=number, asked_at=NOW - days * DAY, retry_at=NOW - days * DAY))
    assert [subject.number for subject in store.due_reminders(NOW)] == [2, 3, 1]
    assert [subject.number for subject in store.due_retries(NOW)] == [2, 3, 1]


@pytest.fixture
def installations(database: Database) -> Installations:
    return Installations(database)


SPENT = replace(
    ENTRY,
    **{"workflow_id": "issue:1:3:guid", "repo_id": 1, "number": 3, "author": "reporter", "seq": 9},
    verdict=VERDICT,
    applied=("label needs-clarification", "comment"),
    usage=Usage(2, 1000, 50, 0.25),
)


@pytest.fixture
def ledger(database: Database) -> Ledger:
    return Ledger(database)


def test_a_decision_is_one_row_however_often_it_is_recorded(ledger: Ledger, database: Database) -> None:
    ledger.add(SPENT)
    ledger.add(replace(SPENT, applied=()))
    with database.main.connect() as connection:
        (row,) = connection.execute(select(decisions)).mappings()
    assert dict(row) == {
        "workflow_id": "issue:1:3:guid", "repo_id": 1, "number": 3, "author": "reporter", "at": NOW, "seq": 9,
        "mode": "advise", "decision": "BOUNCE", "label": "VAGUE", "judge": "offline/1",
        "kind": "bug", "applied": SPENT.applied, "calls": 2, "tokens_in": 1000,
        "tokens_out": 50, "money": 0.25, "verdict": SPENT.verdict,
        "subject": "issue", "ground": "",
    }  # fmt: skip


def test_a_decision_without_a_label_is_recorded_too(ledger: Ledger, database: Database) -> None:
    ledger.add(replace(SPENT, verdict=Verdict(Decision.UNAVAILABLE, None, None, "gpt", None)))
    with database.main.connect() as connection:
        row = connection.execute(select(decisions)).one()
    assert (row.decision, row.label, row.kind) == ("UNAVAILABLE", None, None)


def test_verdicts_are_counted_by_repository_author_and_utc_day(ledger: Ledger) -> None:
    midnight = NOW.replace(hour=0)

    def record(name: str, **changes: Any) -> None:
        ledger.add(replace(SPENT, workflow_id=name, **changes))

    record("one")
    record("first of the day", at=midnight)
    record("yesterday", at=midnight - timedelta(microseconds=1))
    record("another author", author="other")
    record("another repository", repo_id=2)
    record("no verdict", verdict=replace(VERDICT, decision=Decision.UNAVAILABLE))
    assert ledger.verdicts_today(1, now=NOW) == 3
    assert ledger.verdicts_today(1, now=NOW, author="reporter") == 2
    assert ledger.verdicts_today(1, now=NOW, author="nobody") == 0
    assert ledger.verdicts_today(1, now=NOW + DAY) == 0
    tokyo = timezone(timedelta(hours=9))
    assert ledger.verdicts_today(1, now=NOW.astimezone(tokyo)) == 3


@cases
def test_an_issue_that_is_asked_about_again_costs_pull_requests_no_look(
    subject: Subject, decision: Decision, counts: bool, ledger: Ledger
) -> None:
    ledger.add(replace(SPENT, subject=subject, verdict=replace(VERDICT, decision=decision)))
    assert ledger.looks_today(1, now=NOW) == ({"reporter": 1} if counts else {})
    assert ledger.own_looks_today(1, 8, ["reporter"], now=NOW) == counts


def test_what_is_spent_is_summed_by_utc_day_also_without_a_verdict(ledger: Ledger) -> None:
    assert ledger.money_today(NOW) == 0.0
    ledger.spend("w", "gpt", Usage(1, 10, 10, 0.25), at=NOW)
    ledger.spend("w", "gpt", Usage(1, 10, 10, 0.25), at=NOW)
    ledger.spend("w", "gpt", Usage(1, 10, 10, 4.0), at=NOW - DAY)
    ledger.add(SPENT)  # says what it cost, and must not be counted twice
    assert ledger.money_today(NOW) == 0.5


def test_a_disagreement_is_one_row_with_the_verdict_it_beat(database: Database) -> None:
    disagreement = Disagreement(
        workflow_id="w", repo_id=1, number=3, who="maintainer", at=NOW, act=Act.LABEL_REMOVED, verdict=VERDICT
    )
    store = Disagreements(database)
    store.add(disagreement)
    store.add(disagreement)
    store.add(replace(disagreement, workflow_id="w2", act=Act.ACCEPT, verdict=None))
    assert store.about(1, 3) == (disagreement, replace(disagreement, workflow_id="w2", act=Act.ACCEPT, verdict=None))


def test_an_installation_keeps_the_moment_it_was_first_seen(installations: Installations) -> None:
    assert installations.get(7) is None
    installations.upsert(7, "acme", now=NOW)
    installations.upsert(7, "acme-renamed", now=NOW + DAY)
    assert installations.get(7) == InstallationRecord(7, "acme-renamed", NOW, suspended=False)


def test_an_installation_can_be_suspended_and_come_back(installations: Installations) -> None:
    installations.suspend(7)
    assert installations.get(7) is None
    installations.upsert(7, "acme", now=NOW)
    installations.suspend(7)
    assert installations.get(7) == InstallationRecord(7, "acme", NOW, suspended=True)
    installations.suspend(7, suspended=False)
    assert installations.get(7) == InstallationRecord(7, "acme", NOW, suspended=False)


def test_repositories_come_and_go(installations: Installations) -> None:
    widgets, gadgets = Repository(1, "acme/widgets"), Repository(2, "acme/gadgets")
    installations.add_repositories(7, [], now=NOW)
    installations.add_repositories(7, [widgets], now=NOW)
    installations.add_repositories(7, [replace(widgets, full_name="acme/renamed"), gadgets], now=NOW + DAY)
    assert installations.repositories(7) == (gadgets, replace(widgets, full_name="acme/renamed"))
    assert (installations.access_since(7, 1), installations.access_since(7, 2)) == (NOW, NOW + DAY)
    assert installations.access_since(8, 1) is None
    installations.remove_repositories(7, [1])
    assert installations.repositories(7) == (gadgets,)
    assert installations.access_since(7, 1) is None


@pytest.mark.parametrize(
    ("forget", "gone"),
    [
        (lambda installations: installations.remove(7), {(7, 1), (7, 3)}),
        (lambda installations: installations.remove_repositories(7, [1, 2]), {(7, 1)}),
        (lambda installations: installations.forget_orphans(), {(9, 9)}),
    ],
)
def test_what_is_of_an_installation_goes_with_it(
    database: Database, forget: Callable[[Installations], object], gone: set[tuple[int, int]]
) -> None:
    """From every table that names one, by installation and repository."""
    places, installations = {(7, 1), (7, 3), (8, 8), (9, 9)}, Installations(database)
    for number in (7, 8):
        installations.upsert(number, "acme", now=NOW)
    named = [
        each for each in reflected(database.main).sorted_tables if {"installation_id", "repo_id"} <= {*each.c.keys()}
    ]
    assert {each.name for each in named} >= {"subjects", "gates", "judgements", "fixes_used", "installed_repositories"}
    with database.main.begin() as connection:
        for table in named:
            rows = [({each.name: value(each, place[1]) for each in table.c}, place) for place in places]
            connection.execute(table.insert(), [row | {"installation_id": at, "repo_id": of} for row, (at, of) in rows])
    forget(installations)
    assert installations.get(8) is not None and (installations.get(7) is None) == ((7, 3) in gone)
    with database.main.connect() as connection:
        for table in named:
            left = connection.execute(select(table.c.installation_id, table.c.repo_id))
            assert {tuple(row) for row in left} == places - gone, table.name


def claimed(database: Database, claimant: str, comment: int = 1, at: str = "then", key: str = "issue:accept") -> bool:
    return Commands(database).claim(comment, at, key, claimant=claimant, now=NOW)


def test_a_command_is_carried_out_by_one_claimant_who_may_ask_again(database: Database) -> None:
    assert claimed(database, "first")
    assert claimed(database, "first")
    assert not claimed(database, "second")
    assert claimed(database, "second", key="pull:override")
    assert claimed(database, "second", at="later")
    assert claimed(database, "second", comment=2)


def test_of_many_claimants_at_once_one_wins(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        wins = list(pool.map(lambda number: claimed(database, str(number)), range(20)))
    assert sum(wins) == 1


def test_claims_are_forgotten_once_they_are_old(database: Database) -> None:
    assert claimed(database, "first")
    assert Commands(database).prune(NOW) == 0
    assert not claimed(database, "second")
    assert Commands(database).prune(NOW + timedelta(seconds=1)) == 1
    assert claimed(database, "second")


def test_a_policy_is_remembered_also_when_there_is_none(database: Database) -> None:
    policies = Policies(database)
    assert policies.get("acme/widgets") is None
    for policy in (
        CachedPolicy("acme/widgets", "mode: observe\n", '"etag"', NOW),
        CachedPolicy("acme/widgets", "", '"etag2"', NOW + DAY),
        CachedPolicy("acme/widgets", None, "", NOW + 2 * DAY),
    ):
        policies.save(policy)
        assert policies.get("acme/widgets") == policy
    assert policies.get("acme/.github") is None


def test_a_policy_is_found_whatever_the_case_and_forgotten_on_request(database: Database) -> None:
    policies = Policies(database)
    policies.save(CachedPolicy("Acme/Widgets", "", '"etag"', NOW, "mode: observe\n"))
    assert policies.get("acme/WIDGETS") is not None
    policies.expire("acme/Widgets")
    expired = policies.get("acme/widgets")
    assert expired is not None
    assert (expired.etag, expired.valid) == ("", "mode: observe\n")
    assert expired.fetched_at < NOW - 365 * DAY
    policies.forget("ACME/widgets")
    assert policies.get("acme/widgets") is None


def test_an_error_of_the_database_holds_no_text_of_a_subject(store: Subjects, database: Database) -> None:
    with database.main.begin() as connection:
        connection.execute(text("DROP TABLE subjects"))
    with pytest.raises(Exception, match="subjects") as error:
        store.save(replace(SUBJECT, judged_hash="a private matter"))
    assert "a private matter" not in str(error.value)


def test_subjects_are_one_row_each(store: Subjects, database: Database) -> None:
    store.save(SUBJECT)
    store.save(SUBJECT)
    want(store, 1)
    with database.main.connect() as connection:
        assert connection.execute(select(func.count()).select_from(subjects)).scalar_one() == 1
