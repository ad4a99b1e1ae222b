"""What a run is about is known wherever something is logged, also where Bouncer itself breaks down in a step."""

import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.github.values import Repository
from bot.policy_file import PATH
from bot.rendering.gate_states import POLICY_CHECK_NAME
from bot.telemetry import logs
from bot.telemetry.redaction import redactor
from bot.verdicts import Decision
from bot.workflows.durable import step as github_step
from bot.workflows.jobs import RunJob, Why
from bot.workflows.run_context import count_verdict, current, watch
from tests.telemetry.metered import grown, value
from tests.workflows.house import VAGUE, VAGUE_TITLE, House
from tests.workflows.test_gate import AGENT, CODE, ENFORCE, check, propose, told
from tests.workflows.test_merge_queue import answer
from tests.workflows.test_policy import of_policy

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


FAILED = re.compile(r"Could not be judged: Bouncer failed \(error ([0-9a-f]{8})\)")


class Broken(Exception):
    """What nobody expected."""


def breaks(monkeypatch: pytest.MonkeyPatch, name: str, after: int = 0) -> None:
    """The step of this name raises once. after: so many that go well."""
    calls = iter(range(1_000))
    whole = github_step.step

    def step(called: str, kind: Any, effect: Callable[[], Any]) -> Any:
        def raises() -> Any:
            raise Broken(f"in {name}")

        return whole(called, kind, raises if called == name and next(calls) == after else effect)

    monkeypatch.setattr(github_step, "step", step)


def failed(house: House, repo: str, caplog: pytest.LogCaptureFixture) -> None:
    conclusion, title = check(house, repo)
    found = FAILED.fullmatch(title)
    assert conclusion == "action_required" and found, title
    assert [record.exc_info is not None for record in caplog.records if found[1] in record.message] == [True]
    assert house.services.gates.overdue(house.clock() + timedelta(days=1)) == ()


@pytest.mark.parametrize("after", [0, 1], ids=["opening", "showing"])
def test_a_pull_workflow_that_breaks_down_says_so_at_once(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, after: int
) -> None:
    breaks(monkeypatch, "act", after)
    with caplog.at_level(logging.ERROR):
        repo, number = propose(house)
    failed(house, repo, caplog)
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert check(house, repo)[0] == "success"


def test_so_does_a_gate_in_each_of_its_steps(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    repo, number = propose(house)
    for step in ("gather", "judge", "execute", "keep"):
        assert check(house, repo)[0] == "success", step
        with monkeypatch.context() as once, caplog.at_level(logging.ERROR):
            breaks(once, step)
            house.say(repo, number, "/bouncer recheck", by="maintainer")
        failed(house, repo, caplog)
        house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert check(house, repo)[0] == "success"


def test_one_that_is_let_through_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    breaks(monkeypatch, "let through")
    repo, _ = propose(house, by="somebody")
    assert FAILED.fullmatch(check(house, repo)[1])


def test_so_does_a_merge_group(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = house.repository(ENFORCE)
    steps = ("gather", "execute", "keep", "act")
    proposed = [house.github.open_pull(repo, "Add half()", {f"{step}.py": CODE}, by=AGENT) for step in steps]
    house.settle()
    for step, number in zip(steps, proposed, strict=True):
        with monkeypatch.context() as once:
            breaks(once, step)
            group = house.github.queue(repo, number)
            house.settle()
        conclusion, title, _ = answer(house, repo, group)
        assert conclusion == "action_required" and FAILED.fullmatch(title), step
        house.github.leave_queue(repo, number)
        house.settle()


@pytest.mark.parametrize("step", ["check", "renew"])
def test_so_does_the_check_of_a_policy(house: House, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    repo = house.repository()
    breaks(monkeypatch, step)
    house.github.push(repo, {PATH: ENFORCE})
    house.settle()
    (found,) = of_policy(house, repo)
    assert (found.name, found.conclusion) == (POLICY_CHECK_NAME, "neutral")
    assert found.title.startswith("Could not be checked: Bouncer failed (error ")


@pytest.mark.parametrize(
    ("workflow", "step"), [("issue", "act"), ("issue", "judge"), ("issue", "apply"), ("review", "hear")]
)
def test_where_there_is_no_check_the_log_has_it(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, workflow: str, step: str
) -> None:
    repo = house.repository(ENFORCE)
    number = house.open(repo) if step == "act" else 0
    if workflow == "review":
        number = house.propose(repo, "Add half()", {"half.py": CODE}, by=AGENT)
    breaks(monkeypatch, step)
    with caplog.at_level(logging.ERROR):
        house.say(repo, number, "/bouncer help", by="maintainer") if number else house.open(repo)
    assert f"Workflow {workflow} failed, error " in caplog.text
