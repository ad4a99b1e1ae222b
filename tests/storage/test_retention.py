"""What is kept long enough is removed: pages without the verdict, records with a count, never what is open."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, func, select

from bot.github.values import Review
from bot.policy_choices import Mode
from bot.storage import retention
from bot.storage.database import Database
from bot.storage.endings import EndingRecord, Endings, EndingSort
from bot.storage.fixes import Fixes, Used
from bot.storage.gates import GateRecord, Gates, GateState
from bot.storage.gates import gates as gates_table
from bot.storage.judgements import Judgements, Rejections
from bot.storage.judgements import judgements as judgements_table
from bot.storage.judgements import rejections as rejections_table
from bot.storage.ledger import Disagreements, Entry, Ledger, decisions, spending
from bot.storage.overrides import Overrides
from bot.storage.pull_authors import Makers, Push, Pushes
from bot.storage.retention import RemovedVerdicts, Retention
from bot.storage.subjects import SubjectRecord, Subjects
from bot.storage.verification import Answers, MaintainersAnswer, ModelAnswers, ReviewRecord, Reviews
from bot.verdicts import Usage
from tests.storage.records import DISAGREEMENT, ENTRY, FIX, NOW, OVERRIDE, REJECTION, REPO
from tests.storage.test_judgements import JUDGEMENT
from tests.storage.test_repositories import WORD
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.support.postgres import Server
from tests.webhooks.judged import vague

OLD, CUT = NOW - timedelta(days=100), NOW - timedelta(days=50)
REJECTED, OVERRIDDEN = replace(REJECTION, at=OLD), replace(OVERRIDE, at=OLD)


def gate(state: GateState, number: int = 7) -> GateRecord:
    return GateRecord(
        repo_id=REPO,
        number=number,
        installation_id=3,
        repository="acme/widgets",
        head="a" * 40,
        state=state,
        judged="{}",
    )


def entry(name: str, at: datetime, number: int = 9, repo_id: int = REPO) -> Entry:
    known = replace(ENTRY, workflow_id=name, repo_id=repo_id, number=number, at=at)
    return replace(known, mode=Mode.ENFORCE, verdict=vague())


def test_the_page_of_a_closed_pull_request_loses_all_but_its_verdict(database: Database) -> None:
    judgements, gates = Judgements(database), Gates(database)
    judgements.keep(replace(JUDGEMENT, at=OLD))
    judgements.keep(replace(JUDGEMENT, run_id="judging:2", number=8, at=OLD))
    judgements.keep(replace(JUDGEMENT, run_id="judging:3", number=6, at=NOW))
    token = Rejections(database).keep(REJECTED)
    for number, state in ((6, GateState.CLOSED), (7, GateState.CLOSED), (8, GateState.DONE)):
        gates.save(gate(state, number))
    assert Retention(database).remove_pages(CUT) == 3  # the judgement, the rejection, what the gate keeps of it
    assert Retention(database).remove_pages(CUT) == 0
    found = {number: judgements.find(judgements.trail(REPO, number)[0].token) for number in (6, 7, 8)}
    removed = found[7]
    assert removed is not None
    assert removed == replace(JUDGEMENT, at=OLD, result="", annotations=())
    assert all(found[number] and found[number].result for number in (6, 8)), "new, and open"  # type: ignore[union-attr]
    rejection = Rejections(database).find(token)
    assert rejection is not None
    assert (rejection.result, rejection.sentence) == ("", "It holds.")
    assert [bool(gates.get(REPO, number).judged) for number in (6, 7, 8)] == [True, False, True]  # type: ignore[union-attr]


def test_an_issue_that_is_held_keeps_what_was_asked(database: Database) -> None:
    subjects, ledger = Subjects(database), Ledger(database)
    known = SubjectRecord(repo_id=REPO, number=1, installation_id=3, repository="a/b", judged_hash="h", verdict=vague())
    subjects.save(replace(known, held=True))
    subjects.save(replace(known, number=2))
    subjects.save(replace(known, number=3))
    subjects.save(replace(known, number=4, judged_hash=""))  # to be judged again
    for number, at in ((1, OLD), (2, OLD), (3, NOW), (4, OLD)):
        ledger.add(entry(f"issue:{number}", at, number))
    assert Retention(database).remove_pages(CUT) == 1
    assert [subjects.get(REPO, number).verdict is not None for number in (1, 2, 3, 4)] == [True, False, True, True]  # type: ignore[union-attr]


def test_issues_are_forgotten_in_batches_but_for_what_was_looked_at_meanwhile(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    subjects, find = Subjects(database), retention._settled_issues
    known = SubjectRecord(repo_id=REPO, number=1, installation_id=3, repository="a/b", judged_hash="h", verdict=vague())
    for number in range(5):
        subjects.save(replace(known, number=number))

    def found(connection: Connection, before: datetime) -> list[tuple[Any, ...]]:
        rows = find(connection, before)
        if len(rows) == 5:  # the first time
            subjects.save(replace(known, number=3, latest_seq=8))
            Ledger(database).add(entry("issue:3", NOW, 3))
        return rows

    monkeypatch.setattr(retention, "_settled_issues", found)
    assert Retention(database).remove_pages(CUT) == 4
    assert [subjects.get(REPO, number).verdict is not None for number in range(5)] == [False] * 3 + [True, False]  # type: ignore[union-attr]


FOUND = replace(FIX, digest="d", found='{"shown": "secret()"}', said="`secret()` works.", brief="Mend `secret()`.")


@pytest.mark.parametrize(
    ("ended", "differs", "user", "gone"),
    [
        ((EndingSort.DONE,), {}, None, True),
        ((EndingSort.NOT_PLANNED,), {}, GateState.CLOSED, True),
        ((EndingSort.DONE, EndingSort.REOPENED, EndingSort.DONE), {}, None, True),
        ((), {}, None, False),
        ((EndingSort.DONE, EndingSort.REOPENED), {}, None, False),
        ((EndingSort.DONE,), {"close_at": NOW}, None, False),
        ((EndingSort.DONE,), {}, GateState.DONE, False),  # an open pull request is judged by what it shows
    ],
)
def test_what_was_found_of_a_closed_issues_fix_is_forgotten(
    database: Database, ended: tuple[EndingSort, ...], differs: dict[str, Any], user: GateState | None, gone: bool
) -> None:
    """But never that something was said: what is reopened then was objected to, and its label is Bouncer's own."""
    fixes, record = Fixes(database), replace(FOUND, **differs)
    fixes.begin(record)
    fixes.begin(replace(record, number=2))
    for place, sort in enumerate(ended):
        at = OLD + timedelta(hours=place)
        Endings(database).add(EndingRecord(f"guid {place}", REPO, 9, sort, "ada", True, at))
    Endings(database).add(EndingRecord("new", REPO, 2, EndingSort.DONE, "ada", True, NOW))
    if user:
        Gates(database).save(replace(gate(user), judged=""))
        fixes.use(REPO, 3, 7, Used((9,), unneeded=True))
    assert Retention(database).remove_pages(CUT) == gone
    left = replace(record, digest="", found="", said="", brief="", objected=True)
    assert [fixes.get(REPO, number) for number in (9, 2)] == [left if gone else record, replace(record, number=2)]
    assert Retention(database).remove_pages(CUT) == 0
    removed = Retention(database).remove_records(CUT)
    assert removed == (len(ended) if gone else 0), "endings are known as long as something is kept by them"


def test_nothing_that_was_said_of_a_fix_is_no_objection(database: Database) -> None:
    Fixes(database).begin(replace(FOUND, said=""))
    Endings(database).add(EndingRecord("guid", REPO, 9, EndingSort.DONE, "ada", True, OLD))
    assert Retention(database).remove_pages(CUT) == 1
    assert not Fixes(database).get(REPO, 9).objected  # type: ignore[union-attr]


@pytest.mark.parametrize(("state", "gone"), [(GateState.CLOSED, True), (None, True), (GateState.DONE, False)])
def test_what_a_closed_pull_request_was_judged_by_is_forgotten(
    database: Database, state: GateState | None, gone: bool
) -> None:
    pulls, fixes, answers = Reviews(database), Fixes(database), Answers(database)
    review = Review(3, "critic[bot]", True, "changes_requested", "Use `secret()`.", "a" * 40, "")
    known = ReviewRecord(repo_id=REPO, number=7, installation_id=3, review=review, question="Which?")
    pulls.save(known)
    pulls.save(replace(known, number=8))
    fixes.use(REPO, 3, 7, Used((9,)))
    answer = MaintainersAnswer(
        repo_id=REPO, number=7, question="q", specification="s", call="f(1)", expected="2", who="ada", at=OLD
    )
    answers.save(answer)
    if state:
        Gates(database).save(replace(gate(state), judged=""))
    Endings(database).add(EndingRecord("guid", REPO, 7, EndingSort.CLOSED, "ada", True, OLD))
    assert Retention(database).remove_pages(CUT) == 2 * gone
    forgotten = replace(known, review=None, question="")
    assert [pulls.get(REPO, number) for number in (7, 8)] == [forgotten if gone else known, replace(known, number=8)]
    assert fixes.last_basis(REPO, 7).issues == (() if gone else (9,))
    assert answers.about(REPO, "s") == (answer,)
    assert Retention(database).remove_records(CUT) == 2 * gone
    assert answers.about(REPO, "s") == (() if gone else (answer,))


def test_what_models_answered_is_forgotten(database: Database) -> None:
    old, new = (ModelAnswers(database, REPO, now=lambda at=at: at) for at in (OLD, NOW))  # type: ignore[misc]
    old.put("old", "assert secret()")
    new.put("new", "assert other()")
    assert Retention(database).remove_pages(CUT) == 1
    assert (old.get("old"), old.get("new")) == (None, "assert other()")


@pytest.mark.postgres
def test_what_another_worker_has_under_its_hands_is_not_waited_for(
    postgres: Server, postgres_databases: Databases
) -> None:
    url = postgres_databases.migrated()
    postgres.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET lock_timeout = '1s'")
    database = Database.open(url)
    judgements, gates, rejections = Judgements(database), Gates(database), Rejections(database)
    for number in (6, 7):
        judgements.keep(replace(JUDGEMENT, run_id=f"judging:{number}", number=number, at=OLD))
        rejections.keep(replace(REJECTED, run_id=f"review:{number}", number=number))
        gates.save(gate(GateState.CLOSED, number))
        Ledger(database).add(entry(f"issue:{number}", OLD, number))
    with database.main.begin() as other:
        for table in (judgements_table, rejections_table, gates_table, decisions):
            other.execute(select(table).where(table.c.number == 6).with_for_update())
        assert Retention(database).remove_pages(CUT) == 3
        assert Retention(database).remove_records(CUT) == 1
    assert Retention(database).remove_pages(CUT) == 3
    assert Retention(database).remove_records(CUT) == 1
    assert Retention(database).count_removed() == RemovedVerdicts(2, CUT)
    database.close()


def test_how_a_pull_request_ended_is_known_while_anything_is_kept_of_it(database: Database) -> None:
    """A word after the end is younger than the end."""
    ended = EndingRecord("guid", REPO, 7, EndingSort.MERGED, "ada", True, OLD)
    Endings(database).add(ended)
    Makers(database).add(replace(WORD, at=NOW))
    assert Retention(database).remove_records(CUT) == 0
    assert Retention(database).remove_records(NOW + timedelta(days=1)) == 2


def test_removed_verdicts_are_counted_in_batches(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    ledger, kept = Ledger(database), Retention(database)
    for number in range(5):
        ledger.add(entry(f"issue:{number}", OLD))
    ledger.add(entry("elsewhere", OLD, repo_id=1))
    ledger.add(entry("new", NOW))
    ledger.spend("issue:1", "m with p/1", Usage(1, 2, 3, 0.1), at=OLD)
    word = replace(DISAGREEMENT, workflow_id="d", at=OLD)
    Disagreements(database).add(word)
    assert kept.count_removed() == RemovedVerdicts(0, None)
    assert kept.remove_records(CUT) == 8
    assert (kept.count_removed(REPO), kept.count_removed()) == (RemovedVerdicts(5, CUT), RemovedVerdicts(6, CUT))
    ledger.add(entry("late", OLD))
    assert kept.remove_records(CUT + timedelta(days=1)) == 1
    assert kept.count_removed(REPO) == RemovedVerdicts(6, CUT + timedelta(days=1))
    with database.main.connect() as connection:
        assert connection.execute(select(decisions.c.workflow_id)).scalars().all() == ["new"]
        assert connection.execute(select(func.count()).select_from(spending)).scalar_one() == 0


@cases
def test_who_made_a_pull_request_and_who_overrode_it_is_known_while_it_may_be_merged(
    database: Database, state: GateState | None, ended: tuple[EndingSort, ...], gone: bool
) -> None:
    if state:
        Gates(database).save(gate(state))
    for place, sort in enumerate(ended):
        at = OLD + timedelta(hours=place)
        Endings(database).add(EndingRecord(f"guid {place}", REPO, 7, sort, "ada", True, at))
    makers, pushes, overrides = Makers(database), Pushes(database), Overrides(database)
    overrides.add(OVERRIDDEN)
    makers.add(replace(WORD, at=OLD))
    makers.mark(REPO, 7, ("Its branch.",), at=OLD)
    pushes.add(Push(repo_id=REPO, number=7, head="a" * 40, who="ada", is_bot=False, at=OLD))
    removed = Retention(database).remove_records(CUT)
    known = (overrides.trail(REPO, 7), makers.words(REPO, 7), makers.signs(REPO, 7), pushes.to(REPO, 7))
    assert [not each for each in known] == [gone] * 4
    assert removed == gone * (4 + len(ended))
