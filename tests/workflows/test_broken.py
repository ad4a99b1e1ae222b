"""Bouncer itself breaks down, in each step of each workflow: no check waits for a deadline, and the log says why."""

import logging
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.policy_file import PATH
from bot.rendering.gate_states import POLICY_CHECK_NAME
from bot.workflows.durable import step as github_step
from tests.workflows.house import House
from tests.workflows.test_gate import AGENT, CODE, ENFORCE, check, propose, told
from tests.workflows.test_merge_queue import answer
from tests.workflows.test_policy_check import of_policy

__all__ = ["told"]

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
