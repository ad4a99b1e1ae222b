"""Plays the scenario in a house and tells, step by step, what people did and what Bouncer decided and wrote."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from bot.demo.fake import IssueView
from bot.demo.house import DemoError, House
from bot.demo.scenario import REPOSITORY, STORIES, Story
from bot.rendering.jsonview import issue_json
from bot.storage.ledger import Entry

SECONDS_TO_JUDGE = 60.0


@dataclass(frozen=True, slots=True)
class Step:
    """Something a person did (`text` is what they wrote), and, once Bouncer has answered, the decision it led to."""

    story: Story
    number: int
    what: str
    text: str
    url: str
    decision: Entry | None = None


def play(house: House) -> Iterator[Step]:
    """Yield every step twice: when it happens, and when Bouncer has decided and written. Raises DemoError."""
    for story in STORIES:
        number = house.github.open_issue(REPOSITORY, story.title, story.body, by="reporter")
        yield from _await(house, Step(story, number, "opens an issue", story.body, page(house, number)), decisions=1)
        if story.reply:
            house.github.comment(REPOSITORY, number, story.reply, by="reporter")
            yield from _await(house, Step(story, number, "replies", story.reply, page(house, number)), decisions=2)


def page(house: House, number: int) -> str:
    """Where a person reads the issue."""
    return f"{house.github.web_url}/{REPOSITORY}/issues/{number}"


def outcome(house: House) -> dict[str, Any]:
    """Per subject its newest verdict, and the labels and comments that now stand on the fake GitHub."""
    return {
        "repository": REPOSITORY,
        "github": house.github.web_url,
        "subjects": {
            story.key: _subject(house, number, house.github.issue(REPOSITORY, number))
            for number, story in enumerate(STORIES, 1)
        },
    }


def _subject(house: House, number: int, issue: IssueView) -> dict[str, Any]:
    entries = house.ledger.entries(house.repo_id, number)
    return {
        "number": number,
        "title": issue.title,
        "url": page(house, number),
        "verdict": issue_json(entries[-1].verdict) if entries else None,
        "earlier": [entry.verdict.decision.value for entry in entries[:-1]],
        "labels": list(issue.labels),
        "comments": [{"author": comment.author, "body": comment.body} for comment in issue.comments],
    }


def _await(house: House, step: Step, *, decisions: int) -> Iterator[Step]:
    yield step
    deadline = time.monotonic() + SECONDS_TO_JUDGE
    while len(entries := house.ledger.entries(house.repo_id, step.number)) < decisions:
        if not house.running():
            raise DemoError(f"Bouncer stopped. It printed:\n{house.log.read_text()}")
        if time.monotonic() > deadline:
            raise DemoError(f"no decision on issue {step.number} within {SECONDS_TO_JUDGE:.0f} s; see {house.log}")
        time.sleep(0.05)
    yield replace(step, decision=entries[decisions - 1])
