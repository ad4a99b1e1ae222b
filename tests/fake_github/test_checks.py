"""Checks, pull requests and the merge queue of the fake: what GitHub would do."""

from typing import Any

import pytest
import requests

from bot.github.client import RepositoryClient
from bot.github.values import Annotation, Button, Check
from fake_github import FakeGitHub
from tests.support.cases import cases

REPO = "acme/widgets"
OVERRIDE = Button("Override", "Let it pass all the same", "override")


def told(fake: FakeGitHub, *events: str) -> list[tuple[str, str | None]]:
    return [(item.event, item.action) for item in fake.deliveries if not events or item.event in events]


def last(fake: FakeGitHub, event: str) -> dict[str, Any]:
    return next(item.payload for item in reversed(fake.deliveries) if item.event == event)


@pytest.fixture
def number(fake_github: FakeGitHub) -> int:
    number = fake_github.open_pull(REPO, "Change it", {"a.txt": "a"}, by="agent[bot]")
    fake_github.webhooks.deliveries.clear()
    return number


def head_of(fake: FakeGitHub, number: int) -> str:
    pull = fake.repo(REPO).issues[number].pull
    assert pull is not None
    return pull.head


def put(fake: FakeGitHub, client: RepositoryClient, number: int, conclusion: str | None, **changes: Any) -> int:
    status = "completed" if conclusion else "in_progress"
    head = changes.pop("head", head_of(fake, number))
    check = Check("bouncer", head, f"gate:{head}", status, conclusion, "Title", "Summary", **changes)
    return client.put_check(check).id


@cases
def test_a_required_check_lets_merge_what_github_counts_as_passed(
    fake_github: FakeGitHub,
    repository_client: RepositoryClient,
    number: int,
    conclusion: str | None,
    expected: bool,
) -> None:
    assert not fake_github.mergeable(REPO, number), "a missing check does not pass"
    put(fake_github, repository_client, number, conclusion)
    assert fake_github.mergeable(REPO, number) is expected


def test_only_the_newest_run_of_the_app_on_the_head_counts(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake_github.complete_other_check(REPO, head_of(fake_github, number), "success")
    assert not fake_github.mergeable(REPO, number), "another App's check of the same name does not pass"
    put(fake_github, repository_client, number, "success")
    fake_github.complete_other_check(REPO, head_of(fake_github, number), "failure")
    assert fake_github.mergeable(REPO, number)
    fake_github.push_to_pull(REPO, number, {"a.txt": "b"})
    assert not fake_github.mergeable(REPO, number), "an older commit's check does not pass"


def test_a_run_taken_up_again_loses_its_conclusion(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    put(fake_github, repository_client, number, "success")
    put(fake_github, repository_client, number, None)
    (run,) = fake_github.checks(REPO)
    assert (run.status, run.conclusion) == ("in_progress", None)


def test_writing_a_check_is_told(fake_github: FakeGitHub, repository_client: RepositoryClient, number: int) -> None:
    put(fake_github, repository_client, number, None)
    put(fake_github, repository_client, number, "failure")
    assert told(fake_github) == [("check_run", "created"), ("check_run", "completed"), ("check_suite", "completed")]
    assert last(fake_github, "check_suite")["check_suite"]["conclusion"] == "failure"
    (pull,) = last(fake_github, "check_run")["check_run"]["pull_requests"]
    assert pull["number"] == number


def test_buttons_and_runs_can_be_pressed_once_they_are_there(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    run = put(fake_github, repository_client, number, None, buttons=(OVERRIDE,))
    for act in (lambda: fake_github.press(REPO, run, "override"), lambda: fake_github.rerun(REPO, run)):
        with pytest.raises(LookupError):
            act()
    put(fake_github, repository_client, number, "failure", buttons=(OVERRIDE,))
    fake_github.press(REPO, run, "override", by="maintainer")
    payload = last(fake_github, "check_run")
    assert payload["requested_action"] == {"identifier": "override"}
    assert payload["sender"]["login"] == "maintainer"
    assert payload["check_run"]["external_id"] == f"gate:{head_of(fake_github, number)}"
    with pytest.raises(LookupError):
        fake_github.press(REPO, run, "other")
    fake_github.rerun(REPO, run)
    fake_github.rerun_all(REPO, head_of(fake_github, number))
    assert told(fake_github)[-2:] == [("check_run", "rerequested"), ("check_suite", "rerequested")]
    put(fake_github, repository_client, number, "success")
    with pytest.raises(LookupError):
        fake_github.press(REPO, run, "override")


def test_another_apps_buttons_are_not_told(fake_github: FakeGitHub, number: int) -> None:
    other = fake_github.complete_other_check(REPO, head_of(fake_github, number), "failure")
    assert told(fake_github) == [("check_run", "created"), ("check_run", "completed"), ("check_suite", "completed")]
    fake_github.rerun(REPO, other)
    assert len(fake_github.deliveries) == 3


def test_checks_of_a_fork_name_no_pull_request(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    fork = fake_github.fork(REPO, "stranger")
    number = fake_github.open_pull(REPO, "From afar", {"a.txt": "a"}, source=fork, by="stranger")
    assert told(fake_github) == [("pull_request", "opened")], "pushes to a fork are not told"
    opened = last(fake_github, "pull_request")["pull_request"]
    assert opened["head"]["repo"]["full_name"] == "stranger/widgets" != opened["base"]["repo"]["full_name"]
    sha = fake_github.push_to_pull(REPO, number, {"a.txt": "b"}, by="stranger")
    assert last(fake_github, "pull_request")["after"] == sha == head_of(fake_github, number)
    put(fake_github, repository_client, number, "success")
    assert last(fake_github, "check_run")["check_run"]["pull_requests"] == []
    fake_github.delete_repository(fork)
    fake_github.close_issue(REPO, number)
    assert last(fake_github, "pull_request")["pull_request"]["head"]["repo"] is None


def test_a_force_push_says_so_and_moves_the_pull_request(fake_github: FakeGitHub, number: int) -> None:
    old = head_of(fake_github, number)
    added = fake_github.push_to_pull(REPO, number, {"b.txt": "b"})
    assert last(fake_github, "push")["forced"] is False
    new = fake_github.push_to_pull(REPO, number, {"c.txt": "c"}, onto="main")
    assert (last(fake_github, "push")["forced"], last(fake_github, "push")["before"]) == (True, added)
    assert (last(fake_github, "pull_request")["before"], last(fake_github, "pull_request")["after"]) == (added, new)
    assert old in fake_github.repo(REPO).commits, "GitHub keeps what nobody points at"
    assert set(fake_github.repo(REPO).commits[new].files) == {"README.md", "c.txt"}


def test_drafts_and_bases_change(fake_github: FakeGitHub, number: int) -> None:
    fake_github.push(REPO, {"v1.txt": "1"}, branch="v1")
    fake_github.convert_to_draft(REPO, number)
    fake_github.convert_to_draft(REPO, number)
    assert last(fake_github, "pull_request")["pull_request"]["draft"] is True
    fake_github.ready_for_review(REPO, number)
    fake_github.change_base(REPO, number, "v1")
    actions = [("pull_request", name) for name in ("converted_to_draft", "ready_for_review", "edited")]
    assert told(fake_github, "pull_request") == actions
    assert last(fake_github, "pull_request")["changes"]["base"]["ref"] == {"from": "main"}


def test_deleting_a_branch_closes_its_pull_request(fake_github: FakeGitHub, number: int) -> None:
    fake_github.git.directory(REPO)
    fake_github.delete_branch(REPO, f"change-{number}")
    assert last(fake_github, "push")["deleted"] is True
    assert fake_github.issue(REPO, number).state == "closed"
    assert not (fake_github.git.directory(REPO) / "refs/heads" / f"change-{number}").exists()


def test_two_pull_requests_may_share_a_commit(fake_github: FakeGitHub, number: int) -> None:
    fake_github.push(REPO, {"v1.txt": "1"}, branch="v1")
    second = fake_github.open_pull(REPO, "The same", {}, branch=f"change-{number}", base="v1")
    assert head_of(fake_github, second) == head_of(fake_github, number)
    fake_github.push_to_pull(REPO, second, {"a.txt": "c"})
    assert head_of(fake_github, second) == head_of(fake_github, number)


def test_the_merge_queue_checks_what_it_would_merge(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake_github.push(REPO, {"other.txt": "meanwhile"})
    behind = fake_github.open_pull(REPO, "Behind it", {"b.txt": "b"})
    group = fake_github.queue(REPO, number)
    assert last(fake_github, "merge_group")["merge_group"]["base_ref"] == "refs/heads/main"
    commits = fake_github.repo(REPO).commits
    assert set(commits[group].files) == {"README.md", "other.txt", "a.txt"}
    second = fake_github.queue(REPO, behind)
    assert last(fake_github, "merge_group")["merge_group"]["base_sha"] == group
    assert set(commits[second].files) == {"README.md", "other.txt", "a.txt", "b.txt"}
    put(fake_github, repository_client, number, "success")
    assert not fake_github.queue_merges(REPO, number), "the head's check does not count for the group"
    put(fake_github, repository_client, number, "success", head=group)
    assert fake_github.queue_merges(REPO, number) and not fake_github.queue_merges(REPO, behind)
    fake_github.leave_queue(REPO, number, "merged")
    assert fake_github.repo(REPO).branches["main"] == group
    closed = last(fake_github, "pull_request")["pull_request"]
    assert (closed["number"], closed["merged"], closed["merge_commit_sha"]) == (number, True, group)
    fake_github.leave_queue(REPO, behind)
    assert [item.payload["reason"] for item in fake_github.deliveries if item.action == "destroyed"] == [
        "merged",
        "dequeued",
    ]
    assert fake_github.repo(REPO).queue == []


def test_who_leaves_the_queue_takes_those_behind_along(fake_github: FakeGitHub, number: int) -> None:
    behind = fake_github.open_pull(REPO, "Behind it", {"b.txt": "b"})
    fake_github.queue(REPO, number)
    fake_github.queue(REPO, behind)
    fake_github.leave_queue(REPO, number)
    assert [item.payload["reason"] for item in fake_github.deliveries if item.action == "destroyed"] == [
        "dequeued",
        "invalidated",
    ]


def test_the_page_of_a_pull_request_shows_its_checks_and_presses_their_buttons(
    fake_github: FakeGitHub, repository_client: RepositoryClient, number: int
) -> None:
    fake_github.require_check(REPO)
    address = f"{fake_github.web_url}/{REPO}/pull/{number}"
    with requests.Session() as http:
        http.trust_env = False
        assert "Expected — Waiting for status to be reported" in http.get(address).text
        remark = Annotation("a.txt", 1, 2, "failure", "<b>wrong</b>", "Look")
        changes = {"annotations": (remark,), "buttons": (OVERRIDE,), "text": "- one\n- <img src=x>"}
        run = put(fake_github, repository_client, number, "failure", **changes)
        page = http.get(address).text
        for part in ("Title", "<p>Summary</p>", "<li>one</li>", "&lt;b&gt;wrong", "lines 1–2", "Override", "Required"):
            assert part in page, part
        assert "Merging is blocked" in page and "<img src=x>" not in page
        form = f"{fake_github.web_url}/{REPO}/issues/{number}"
        http.post(form, data={"act": "merge", "who": "maintainer"})
        assert fake_github.issue(REPO, number).state == "open"
        http.post(form, data={"act": "press", "who": "maintainer", "run": run, "button": "override"})
        http.post(form, data={"act": "rerun", "who": "maintainer", "run": run})
        assert told(fake_github)[-2:] == [("check_run", "requested_action"), ("check_run", "rerequested")]
        before = http.get(f"{form}/version").text
        put(fake_github, repository_client, number, "success")
        assert http.get(f"{form}/version").text != before
        assert "Nothing holds this pull request back" in http.get(address).text
        assert "wrong" in http.get(f"{fake_github.web_url}/{REPO}/runs/{run}").text
        http.post(form, data={"act": "merge", "who": "maintainer"})
    assert fake_github.issue(REPO, number).state == "closed"
    assert fake_github.repo(REPO).commits[fake_github.repo(REPO).branches["main"]].files["a.txt"] == b"a"
