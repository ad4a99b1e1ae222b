"""What a run is about is known wherever something is logged in it."""

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.github.values import Repository
from bot.telemetry import logs
from bot.telemetry.redaction import redactor
from bot.verdicts import Decision
from bot.workflows.jobs import RunJob, Why
from bot.workflows.run_context import count_verdict, current, watch
from tests.telemetry.metered import grown, value
from tests.workflows.house import VAGUE, VAGUE_TITLE, House
from tests.workflows.test_gate import propose, told

__all__ = ["told"]


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    sink = io.StringIO()
    handler = logging.StreamHandler(sink)
    handler.setFormatter(logs.json_lines(redactor()))
    root = logging.getLogger("bot")
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield sink
    root.removeHandler(handler)
    root.setLevel(level)


def lines(logged: io.StringIO, subject: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in logged.getvalue().splitlines()]
    return [line for line in found if line.get("subject") == subject]


def test_a_worker_names_delivery_and_subject_of_an_issue(house: House, logged: io.StringIO) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.settle()
    found = lines(logged, f"{repo}#{number}")
    opened = next(
        item.guid
        for item in house.github.deliveries
        if item.event == "issues" and item.action == "opened" and item.payload["repository"]["full_name"] == repo
    )
    assert {line["logger"] for line in found} >= {"bot.workflows.dispatcher", "bot.workflows.issue.workflow"}
    assert opened in {line["delivery"] for line in found if line["logger"] == "bot.workflows.issue.workflow"}


def test_a_worker_names_the_commit_of_a_pull_request(house: House, logged: io.StringIO) -> None:
    repo, number = propose(house)
    found = [line for line in lines(logged, f"{repo}#{number}") if line["logger"] == "bot.workflows.pull.judging"]
    pull = house.github.repo(repo).issues[number].pull
    assert pull is not None
    assert [line["commit"] for line in found] == [pull.head]
    assert all(line["delivery"] for line in found)


def test_a_job_without_a_number_is_about_its_repository() -> None:
    job = replace(TOY, number=0)
    assert (job.place, job.commit) == ("a/b", "")


def test_a_held_issue_is_counted_with_its_wait_and_its_steps(house: House) -> None:
    counts = {
        "delivery": grown("bouncer_worker_deliveries_total", event="issues", outcome="taken"),
        "verdict": grown("bouncer_verdicts_total", door="issues", decision="bounce"),
        "waited": grown("bouncer_verdict_seconds_count", door="issues"),
        "step": grown("bouncer_step_seconds_count", workflow="issue", step="judge"),
        "run": grown("bouncer_runs_total", workflow="issue", outcome="ended"),
        "calls": grown("bouncer_github_requests_total", status="2xx"),
    }
    repo = house.repository()
    house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.settle()
    assert {name: count() > 0 for name, count in counts.items()} == dict.fromkeys(counts, True)
    assert (counts["verdict"](), counts["waited"](), counts["step"]()) == (1, 1, 1)
    assert value("bouncer_runs_running", workflow="issue") == 0


def test_a_pull_request_is_counted_once_for_each_judgement(house: House) -> None:
    accepted = grown("bouncer_verdicts_total", door="pulls", decision="accept")
    propose(house)
    assert accepted() == 1


TOY = RunJob("toy", "x", 0, 1, Repository(1, "a/b"), 1)


@pytest.mark.parametrize(("why", "observed"), [(Why.DELIVERY, 1), (Why.RETRY, 0), (Why.SILENCE, 0)])
def test_the_wait_counts_from_the_receipt_and_only_for_a_deliverys_own_run(
    house: House, why: Why, observed: int
) -> None:
    repo = house.repository()
    house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.deliver()
    later = house.clock() + timedelta(seconds=90)
    seconds, waits = (grown(f"bouncer_verdict_seconds_{what}", door="reviews") for what in ("sum", "count"))

    def run() -> str:
        count_verdict("reviews", Decision.ACCEPT, later)
        return "done"

    seq = max(item.seq for item in house.services.inbox.oldest_queued(10))
    assert watch(replace(TOY, seq=seq, why=why), run, house.services.inbox) == "done"
    house.settle()
    assert waits() == observed
    assert 90 * observed <= seconds() <= 150 * observed


@pytest.mark.parametrize(
    ("line", "outcome"), [("later: GitHub", "later"), ("failed: error 1", "failed"), ("x", "ended")]
)
def test_runs_are_counted_by_how_they_ended(house: House, line: str, outcome: str) -> None:
    ended = grown("bouncer_runs_total", workflow="toy", outcome=outcome)
    watch(TOY, lambda: line, house.services.inbox)
    assert ended() == 1


def test_the_age_of_the_run_that_waits_longest_is_shown(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    since = datetime.now(UTC) - timedelta(seconds=90)
    monkeypatch.setattr(house.engine, "oldest_waiting", lambda: since)
    house.worker.housekeep()
    assert 90 <= value("bouncer_runs_oldest_seconds") < 150
    monkeypatch.undo()
    house.settle()
    house.worker.housekeep()
    assert value("bouncer_runs_oldest_seconds") == 0


def test_a_run_that_raises_is_counted_as_failed_and_runs_no_more(house: House) -> None:
    failed = grown("bouncer_runs_total", workflow="toy", outcome="failed")

    def breaks() -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        watch(TOY, breaks, house.services.inbox)
    assert (failed(), value("bouncer_runs_running", workflow="toy"), current()) == (1, 0, None)
