"""Every example GitHub publishes of the events around pull requests, signed, through the web server, the inbox and
the dispatcher to a real worker: what is done with each action is one table, and nothing fails.
"""

import json
import re
from collections import defaultdict
from threading import Semaphore
from typing import Any

import pytest
from dbos import DBOS
from flask import Request
from werkzeug.test import EnvironBuilder

from tests.support.npm import npm_package
from tests.webhooks.sending import encoded, signed
from tests.workflows.house import House
from tests.workflows.test_gate import AGENT, CODE, propose
from webhooks.receive import receive
from webhooks.secrets import Signatures

pytestmark = pytest.mark.contract

EVENTS = ("pull_request", "check_run", "check_suite", "merge_group", "issue_comment")

JUDGED, ASKED = (
    "pull: judging HEAD",
    "pull: asked of [1]",
)  # a check names no pull request, so each is asked
IGNORED = "ignored: Bouncer does not handle the action {!r} of {}"

# What is done with the examples of each action; there may be several of one.
TABLE: dict[tuple[str, str], set[str]] = {
    ("pull_request", "opened"): {JUDGED},
    ("pull_request", "reopened"): {JUDGED},
    ("pull_request", "synchronize"): {JUDGED},
    ("pull_request", "ready_for_review"): {JUDGED},
    ("pull_request", "converted_to_draft"): {JUDGED},  # it is none any more: what it is now is asked
    ("pull_request", "closed"): {"pull: it is not known, or open again"},
    ("pull_request", "labeled"): {"pull: nothing about it concerns the gate"},
    ("pull_request", "unlabeled"): {"pull: nothing about it concerns the gate"},
    ("check_run", "requested_action"): {ASKED, "pull: an unknown button"},
    ("check_run", "rerequested"): {ASKED, JUDGED},
    ("check_suite", "rerequested"): {ASKED, JUDGED},
    ("merge_group", "checks_requested"): {"pull: executing merge group HEAD"},
    ("issue_comment", "created"): {JUDGED, "review: the gate judges it again"},
    ("issue_comment", "edited"): {JUDGED, "review: the gate judges it again"},
    ("issue_comment", "deleted"): {"pull: no command for the gate"},
}
NOT_HANDLED = {
    "pull_request": ("assigned", "unassigned", "locked", "unlocked", "review_requested", "review_request_removed"),
    "check_run": ("created", "completed"),
    "check_suite": ("requested", "completed"),
}


def examples() -> list[tuple[str, dict[str, Any]]]:
    package = npm_package("@octokit/webhooks-examples", "7.6.1")
    index = json.loads((package / "api.github.com" / "index.json").read_text())
    return [(entry["name"], example) for entry in index for example in entry["examples"] if entry["name"] in EVENTS]


def here(example: dict[str, Any], house: House, repo: str, number: int, turn: int) -> dict[str, Any]:
    """The example, as if a maintainer had done it to a pull request of this repository, or to a check of ours; turn:
    tells comments and merge groups apart."""
    place = house.github.repo(repo)
    pull, installation = place.issues[number].pull, house.github.installation_of(place)
    assert pull is not None
    assert installation is not None
    moved = {**example, "installation": {"id": installation.id}, "sender": {"login": "maintainer", "type": "User"}}
    moved["repository"] = {**example["repository"], "id": place.id, "full_name": repo}
    if "pull_request" in example:
        shape = example["pull_request"]
        head = {**shape["head"], "sha": pull.head, "repo": {"full_name": repo}}
        moved["pull_request"] = {**shape, "number": number, "head": head, "base": {**shape["base"], "sha": pull.base}}
    for check in ("check_run", "check_suite"):
        if check in example:
            moved[check] = {**example[check], "head_sha": pull.head, "app": {"id": house.github.app.id}}
    if "merge_group" in example:
        ref = f"refs/heads/gh-readonly-queue/main/pr-{number}-{pull.base}"
        commit = house.github.push(repo, {"half.py": CODE, "turn": str(turn)}, branch=f"group-{turn}")
        moved["merge_group"] = {**example["merge_group"], "head_sha": commit, "head_ref": ref}
    if "comment" in example:
        moved["issue"] = {**example["issue"], "number": number, "pull_request": {}}
        moved["comment"] = {**example["comment"], "id": 1000 + turn, "body": "/bouncer recheck"}
    return moved


def test_every_published_example_is_answered_sensibly(house: House) -> None:
    repo, number = propose(house)
    queued = house.propose(repo, "Halve once more", {"half.py": CODE}, by=AGENT)
    signatures = Signatures(house.settings)
    done: dict[tuple[str, str], set[str]] = defaultdict(set)
    sent: dict[str, tuple[str, str]] = {}
    for event, example in examples():
        guid = f"example-{len(sent)}"
        sent[guid] = event, example["action"]
        body = encoded(here(example, house, repo, queued if event == "merge_group" else number, len(sent)))
        headers = signed(body, secret=house.github.app.webhook_secret, event=event, guid=guid)
        request = Request(
            EnvironBuilder("/webhook", method="POST", data=body, headers=[*headers.items()]).get_environ()
        )
        answer = receive(request, signatures, frozenset(), house.services, Semaphore())
        assert (answer.status, answer.outcome in ("queued", "ignored")) == (202, True), answer.line
        if answer.outcome == "ignored":
            done[sent[guid]].add(answer.line)
    house.settle(120)
    for run in DBOS.list_workflows(load_input=False):
        kind, _, rest = run.workflow_id.partition(":")
        what = sent.get(rest.rpartition(":")[2].partition("/")[0])
        if what is not None:
            done[what].add(re.sub(r"\b[0-9a-f]{7}\b", "HEAD", f"{kind}: {run.output}"))
    ignored = {
        (event, action): {IGNORED.format(action, event)} for event, these in NOT_HANDLED.items() for action in these
    }
    assert dict(done) == {**TABLE, **ignored}
