"""GitHub's own examples of the events that start the Action's workflows, through the workflow files and real jobs."""

import json
from collections import defaultdict
from typing import Any

import pytest

from tests.action.conftest import REPOSITORY, Place
from tests.support.npm import npm_package
from tests.workflows.house import CLEAR, CLEAR_TITLE

pytestmark = pytest.mark.contract
MOST = 2  # of each action


def examples(event: str) -> dict[str, list[dict[str, Any]]]:
    """By their action."""
    package = npm_package("@octokit/webhooks-examples", "7.6.1")
    index = json.loads((package / "api.github.com" / "index.json").read_text())
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in index:
        for example in entry["examples"] if entry["name"] == event else ():
            found[example["action"]].append(example)
    return found


def here(place: Place, example: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The example, as if it had happened in this repository."""
    repo = place.github.repo(REPOSITORY)
    where = {**example["repository"], "id": repo.id, "full_name": REPOSITORY}
    return {**example, "repository": where, **changes}


def test_events_of_issues_and_comments_start_one_job_that_ends_well(place: Place) -> None:
    number = place.github.open_issue(REPOSITORY, CLEAR_TITLE, CLEAR)
    done: dict[str, set[str]] = {}
    for event in ("issues", "issue_comment"):
        for action, found in examples(event).items():
            for example in found[:MOST]:
                issue = {**example["issue"], "number": number}
                jobs = place.runner.event(event, here(place, example, issue=issue))
                assert all(job.succeeded and job.outputs["subject"] == str(number) for job in jobs), action
                done.setdefault(f"{event} {action}", set()).update(job.name for job in jobs)
    started = {what for what, jobs in done.items() if jobs == {"issue"}}
    assert started == {
        *("issues opened", "issues edited", "issues reopened", "issues labeled", "issues unlabeled"),
        *("issue_comment created", "issue_comment edited"),
    }
    assert all(not jobs for what, jobs in done.items() if what not in started)
    assert place.spoken(number) == []  # nobody asked for anything, and the issue on GitHub is clear


def test_the_end_of_a_trigger_starts_two_jobs_and_of_others_none(place: Place) -> None:
    """The pull request is a person's, so that nothing has to run for its check."""
    number = place.github.open_pull(REPOSITORY, "Say more", {"README.md": "More.\n"}, by="contributor")
    place.github.wait_for_webhooks()
    pull = place.github.repo(REPOSITORY).issues[number].pull
    assert pull is not None
    example = examples("workflow_run")["completed"][0]
    assert place.runner.event("workflow_run", here(place, example)) == []
    owner = {"full_name": REPOSITORY, "owner": {"login": "acme"}}
    run = {**example["workflow_run"], "name": "Bouncer trigger", "head_sha": pull.head, "head_repository": owner}
    run["head_branch"] = pull.head_branch
    assert place.runner.event("workflow_run", here(place, example, workflow_run=run)) == []  # by hand, not by a push
    run["event"] = "pull_request"
    jobs = place.runner.event("workflow_run", here(place, example, workflow_run=run))
    assert [(job.name, job.succeeded) for job in jobs] == [("trial", True), ("verdict", True)]
    check = place.check(number)
    assert check is not None and check.conclusion == "success" and place.mergeable(number)
