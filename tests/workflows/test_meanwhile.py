"""What people do while Bouncer is busy: their words arrive late, out of order, or with a picture of an older issue."""

import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from dbos import StepOptions
from sqlalchemy.exc import InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bot.github.errors import Unauthorized
from bot.judges.protocol import Judgement, NoJudgement
from bot.policy_file import PATH
from bot.reports import Report
from bot.verdicts import Decision, State
from bot.workflows import worker
from bot.workflows.durable import step as github_step
from bot.workflows.worker import WorkerLost
from tests.support.runs import count_delayed
from tests.workflows.hours import finish, no_waiting
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE, House
from tests.workflows.test_life_cycle import state
from webhooks.health import state_of


def while_judging(house: House, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Once, during the next judging."""
    judge, acts = house.judge.judge, [act]

    def busy(report: Report) -> Judgement | NoJudgement:
        if acts:
            acts.pop()()
        return judge(report)

    monkeypatch.setattr(house.judge, "judge", busy)


def test_a_text_that_is_changed_and_changed_back_while_it_is_judged_was_judged_before(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, number = house.begin()
    before = house.writes(repo)
    while_judging(house, monkeypatch, lambda: house.github.edit_issue(repo, number, title=VAGUE_TITLE))
    house.edit(repo, number, title="Other")
    assert house.writes(repo)[len(before) :] == []
    (entry,) = house.services.ledger.entries(house.github.repo(repo).id, number)
    assert entry.verdict.decision is Decision.BOUNCE


def test_an_accept_written_before_the_label_was_put_on_takes_it_off(house: House) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.comment(repo, number, "/bouncer accept", by="maintainer")
    house.settle()
    assert state(house, repo, number) is State.ACCEPTED
    assert not house.held(repo, number)


def test_a_suspension_that_arrives_late_ends_with_the_next_event(house: House) -> None:
    repo = house.repository()
    installation = house.github.installation_of(house.github.repo(repo))
    assert installation is not None
    house.github.suspend(installation.id)
    house.github.suspend(installation.id, suspended=False)
    slept, woke = house.github.deliveries[-2:]
    assert (slept.payload["action"], woke.payload["action"]) == ("suspend", "unsuspend")
    house._fed = len(house.github.deliveries)
    for item in (woke, slept):
        house.github.webhooks.emit("installation", item.payload, installation=item.installation, repository=None)
    house.settle()
    assert house.held(repo, house.open(repo))


@pytest.mark.parametrize("error", [InternalError("UPDATE", {}, Exception("read-only")), PoolTimeout("all in use")])
def test_no_trouble_with_the_database_ends_the_worker_and_it_is_said_once(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    stop, troubles = Patience(), [error, error]

    def turn() -> int:
        if troubles:
            raise troubles.pop()
        stop.set()
        return 1

    monkeypatch.setattr(house.worker, "turn", turn)
    house.worker.run(stop)
    assert not troubles
    said = [record.message for record in caplog.records if "The database does not do its work" in record.message]
    assert len(said) == 1 and "BOUNCER_DATABASE_URL" in said[0]


@pytest.mark.parametrize("where", ["turn", "housekeep"])
def test_a_worker_whose_tables_are_gone_ends_and_a_new_start_says_what_is_there(
    house: House, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Another database was put where this one was: waiting does not help, and migrating may."""

    def without_tables() -> int:
        raise OperationalError("SELECT", {}, sqlite3.OperationalError("no such table: inbox"))

    monkeypatch.setattr(worker, "HOUSEKEEPING", 0.01)
    monkeypatch.setattr(house.worker, where, without_tables)
    with pytest.raises(WorkerLost, match=r"no such table: inbox\. Run `bouncer migrate`"):
        house.worker.run(threading.Event())


def test_a_key_that_github_refuses_ends_the_worker_and_shows_at_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> int:
        raise Unauthorized("GET /app: 401", 401)

    monkeypatch.setattr(house.worker, "turn", refused)
    with pytest.raises(Unauthorized):
        house.worker.run(threading.Event())
    state = state_of(house.database, house.services, datetime.now(UTC), datetime.now(UTC))
    assert (state.well, state.key_refused) == (False, True)


class Patience(threading.Event):
    """Nobody waits."""

    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(min(timeout or 0.0, 0.01))


def test_a_database_that_is_away_for_long_brings_the_run_back(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def short(name: str) -> StepOptions:
        return {**patient(name), "interval_seconds": 0.01, "max_attempts": 2}

    patient = github_step.step_options
    monkeypatch.setattr(github_step, "step_options", short)
    repo = house.repository()
    away = [OperationalError("SELECT", {}, Exception("database is locked"))] * 3

    def absent(installation_id: int) -> bool:
        if away:
            raise away.pop()
        return True

    monkeypatch.setattr(type(house.services), "is_installed", lambda services, number: absent(number))
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    finish(house)
    assert house.held(repo, number)


def test_an_exempt_label_put_on_before_the_hold_releases_it(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = house.repository("issues:\n  exempt:\n    labels: [discussion]\n")
    house.github.fail(502, times=1, method="POST", route="/comments", after_effect=True)
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.add_label(repo, number, "discussion")
    house.settle()
    assert not house.held(repo, number)


def test_a_label_taken_off_while_the_issue_became_clear_still_ends_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, number = house.begin()
    while_judging(house, monkeypatch, lambda: house.github.remove_label(repo, number, LABEL))
    house.edit(repo, number, title=CLEAR_TITLE, body=CLEAR)
    assert state(house, repo, number) is State.ACCEPTED
    assert "- [ ]" not in house.spoken(repo, number)
    house.edit(repo, number, body="It fails.")
    assert not house.held(repo, number), "what a maintainer took off is never put back"


def test_nobody_is_reminded_or_closed_whose_label_is_gone(house: House) -> None:
    repo, number = house.begin("issues:\n  no_response:\n    remind_after_days: 2\n    close_after_days: 4\n")
    house.github.repo(repo).labels[LABEL].name = "needs-info"  # renamed in the repository: no delivery says so
    for _ in range(6):
        house.tick(days=1, minutes=1)
    assert house.issue(repo, number).state == "open"
    assert len(house.issue(repo, number).comments) == 1


def test_bouncers_comment_rewritten_by_a_maintainer_stays_the_one_comment(house: House) -> None:
    repo, number = house.begin()
    own = next(comment for comment in house.issue(repo, number).comments if comment.by_bouncer)
    house.github.edit_comment(repo, own.id, "I know better.", by="maintainer")
    house.settle()
    house.say(repo, number, "/bouncer help")
    house.say(repo, number, "It still fails.")
    assert house.spoken(repo, number)


def test_a_reply_superseded_by_an_older_text_is_looked_at(house: House) -> None:
    repo, number = house.begin()
    old = next(item for item in house.github.deliveries if item.event == "issues" and item.payload["action"] == "opened"
               and item.payload["repository"]["full_name"] == repo)  # fmt: skip
    house.github.comment(repo, number, CLEAR)
    house.github.webhooks.emit("issues", old.payload, installation=old.installation, repository=old.repository)
    house.settle()
    assert not house.held(repo, number)


def test_a_label_renamed_in_the_policy_is_taken_off_under_its_old_name(house: House) -> None:
    repo, number = house.begin()
    other = house.open(repo)
    house.github.push(repo, {PATH: "issues:\n  labels:\n    needs_clarification: needs-info\n"})
    house.settle()
    house.edit(repo, number, title=CLEAR_TITLE, body=CLEAR)
    assert house.issue(repo, number).labels == ()
    house.github.remove_label(repo, other, LABEL)
    house.settle()
    assert state(house, repo, other) is State.ACCEPTED
    third = house.open(repo)
    assert house.issue(repo, third).labels == ("needs-info",)


def test_a_label_that_was_there_before_bouncer_is_never_taken_off(house: House) -> None:
    repo = house.repository(installed=False)
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.add_label(repo, number, LABEL)
    house._fed = len(house.github.deliveries)
    house.clock.advance(minutes=1)
    house.github.install(repo.partition("/")[0], [repo])
    house.settle()
    house.say(repo, number, "/bouncer recheck")
    assert house.spoken(repo, number)
    house.edit(repo, number, title=CLEAR_TITLE, body=CLEAR)
    assert house.held(repo, number), "it is somebody else's"


def test_one_comment_full_of_commands_costs_a_handful_of_calls(house: House) -> None:
    repo, number = house.begin()
    before = sum(house.github.calls().values())
    lines = "\n\n".join(f"/bouncer dance{turn}\n\n/bouncer accept" for turn in range(300))
    house.say(repo, number, lines, by="somebody")
    assert sum(house.github.calls().values()) - before <= 12


def test_a_recheck_that_changes_nothing_is_answered_once(house: House) -> None:
    repo, number = house.begin(None, CLEAR, title=CLEAR_TITLE)
    house.github.forget_calls()
    house.say(repo, number, "/bouncer recheck")
    assert [write.rpartition("/")[2] for write in house.writes(repo)] == ["reactions"]
    assert len(house.github.traffic.exchanges) <= 4
    house.say(repo, number, "/bouncer recheck", by="triager")
    assert len(house.writes(repo)) == 2


def test_a_recheck_that_writes_needs_no_other_answer(house: House) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE, by="reporter")
    house._fed = len(house.github.deliveries)
    house.say(repo, number, "/bouncer recheck")
    assert not any(write.endswith("reactions") for write in house.writes(repo))


def test_a_recheck_after_the_end_says_why_nothing_happens(house: House) -> None:
    repo, number = house.begin()
    house.say(repo, number, "/bouncer help")
    asked = len(house.judge.asked)
    for word, answer in (("pause", "paused"), ("accept", "accepted")):
        house.say(repo, number, f"/bouncer {word}", by="maintainer")
        house.say(repo, number, "/bouncer recheck")
        assert len(house.judge.asked) == asked
        assert answer in house.answer(repo, number)


def test_nothing_is_said_where_the_policy_switches_issues_off(house: House) -> None:
    repo, number = house.begin("issues:\n  enabled: false\n")
    for words in ("/bouncer help", "/bouncer accept", "/bouncer recheck"):
        house.say(repo, number, words)
    assert house.writes(repo) == []


def test_a_command_is_not_given_again_by_the_look_that_failed_after_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a `resume` that comes back hours later would undo the `pause` given meanwhile."""
    no_waiting(house)
    repo, number = house.begin()
    house.say(repo, number, "/bouncer pause", by="maintainer")

    def down() -> None:
        house.github.fail(502, times=4, method="GET", route="/issues/{issue_number}")

    while_judging(house, monkeypatch, down)
    house.github.comment(repo, number, "/bouncer resume", by="maintainer")
    house.settle()
    house.say(repo, number, "/bouncer pause", by="maintainer")
    assert count_delayed() == 1
    finish(house)
    assert state(house, repo, number) is State.PAUSED
