"""What a run is about is known wherever something is logged in it."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from bot.telemetry import logs
from bot.telemetry.redaction import redactor
from bot.workflows.watched import current, described
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


def test_a_job_without_a_number_is_about_its_repository(house: House) -> None:
    job = json.dumps({"run_id": "x", "seq": 10**9, "repository": {"id": 1, "full_name": "acme/widgets"}})
    run = described("desk", job, house.services.inbox)
    assert (run.subject, run.commit, run.arrival) == ("acme/widgets", "", None)
    assert current() is None
