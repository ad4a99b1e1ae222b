"""A review bot rejects a pull request and suggests a fix: both are executed, and one comment says what came of it."""

from collections.abc import Mapping

import pytest

from bot.demo.kettle import AGENT, CRITIC, FILES, PULLS, PullStory
from bot.policy import PATH
from tests.workflows.house import House

STORIES = {story.key: story for story in PULLS}


def kettle(house: House, *, policy: str = "") -> str:
    """A repository with the demo's code."""
    repo = house.repository()
    house.github.push(repo, {**FILES, **({PATH: policy} if policy else {})})
    house.settle()
    return repo


def propose(house: House, repo: str, story: PullStory, *, change: Mapping[str, str] | None = None) -> int:
    """Its issue, and the agent's pull request."""
    issue = house.open(repo, story.issue[1], title=story.issue[0])
    number = house.github.open_pull(repo, story.title, change or story.change, body=f"Closes #{issue}", by=AGENT)
    house.settle()
    return number


def reject(house: House, repo: str, number: int, story: PullStory, *, by: str = CRITIC) -> None:
    remark = {"path": story.path, "line": story.last, "body": f"```suggestion\n{story.suggestion}```"}
    if story.first != story.last:
        remark["start_line"] = story.first
    house.github.review(repo, number, story.no, remarks=[remark], by=by)
    house.settle(seconds=60)


def test_a_wrong_rejection_is_lifted(house: House) -> None:
    repo = kettle(house)
    number = propose(house, repo, STORIES["rescued"])
    reject(house, repo, number, STORIES["rescued"])
    assert "The rejection does not hold: the suggested fix breaks what works" in house.spoken(repo, number)
