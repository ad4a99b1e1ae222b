"""Reading payloads: nothing is lost, nothing unneeded is needed, nothing raises."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from bot.github.deliveries import Delivery, Ignored, MergeGroup, Press
from bot.github.events import HANDLED, handles, is_always_kept, read
from bot.github.values import Comment, CommentPlace, Commits, Issue, Pull, Repository
from bot.workflows.delivery import AppIdentity
from bot.workflows.dispatcher import intents, reason
from tests.support.cases import cases
from tests.support.npm import npm_package
from tests.webhooks.sending import payload

INSTALLATION = {"id": 7}
STORED = TypeAdapter(Delivery)


@cache
def examples() -> tuple[tuple[str, str], ...]:
    """(event, payload as JSON) for every published example of the events Bouncer handles."""
    package = npm_package("@octokit/webhooks-examples", "7.6.1")
    index = json.loads((package / "api.github.com" / "index.json").read_text())
    found = []
    for entry in index:
        for example in entry["examples"] if entry["name"] in HANDLED else ():
            # Repository webhooks sent some of them; an App's deliveries always name the installation.
            found.append((entry["name"], json.dumps({"installation": INSTALLATION, **example})))
    return tuple(found)


READ = {
    "issues": {"opened", "edited", "reopened", "closed", "labeled", "unlabeled"},
    "issue_comment": {"created", "edited", "deleted"},
    "push": {None},
    "pull_request": {
        *("opened", "synchronize", "reopened", "ready_for_review", "converted_to_draft", "edited", "closed"),
        *("labeled", "unlabeled"),
    },
    "pull_request_review": {"submitted", "edited"},
    "pull_request_review_comment": {"edited", "deleted"},  # a new one that names no command is left
    "pull_request_review_thread": {"resolved", "unresolved"},
    "check_run": {"rerequested", "requested_action"},
    "check_suite": {"rerequested"},
    "merge_group": {"checks_requested", "destroyed"},
    "repository": {"privatized", "publicized"},
    "installation": {"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"},
    "installation_repositories": {"added", "removed"},
}


def is_read(event: str, example: Mapping[str, Any]) -> bool:
    if event == "push":
        return example["ref"].startswith("refs/heads/") and not example["deleted"]
    return example.get("action") in READ[event]


@pytest.mark.contract
def test_every_published_example_is_read_or_ignored_as_promised() -> None:
    seen = set()
    for event, text in examples():
        example = json.loads(text)
        found = read(event, example)
        assert isinstance(found, Delivery) is is_read(event, example), (event, example.get("action"), found)
        if isinstance(found, Delivery):
            seen.add((event, example.get("action")))
    published = {(event, action) for event, actions in READ.items() for action in actions}
    # Those GitHub publishes no example of.
    unpublished = {("pull_request", "edited"), ("pull_request_review", "edited"), ("merge_group", "destroyed")}
    assert published - seen == {("issues", "closed"), *unpublished}


@pytest.mark.contract
def test_every_published_example_is_routed_without_a_crash() -> None:
    """As the worker sees it: from storage, with Bouncer's own App and with another one."""
    routes = set()
    for event, text in examples():
        found = read(event, json.loads(text))
        if isinstance(found, Ignored):
            assert 10 < len(found.reason) < 200
            continue
        stored = STORED.validate_json(STORED.dump_json(found))
        for app in (1, stored.press.app_id if stored.press else 2):
            made = intents(stored, AppIdentity("bouncer", app))
            assert reason(made)
            routes |= {(event, name) for name, intent in made.items() if intent.wanted}
            routes.add((event, ""))
    assert {event for event, _ in routes} == HANDLED
    assert {("issues", "issue"), ("push", "policy_check"), ("check_run", "pull")} <= routes


@pytest.mark.contract
def test_no_published_field_that_bouncer_uses_is_lost() -> None:
    for event, text in examples():
        example = json.loads(text)
        found = read(event, example)
        if isinstance(found, Ignored):
            continue
        assert found.event == event
        assert found.action == example.get("action", "")
        assert found.installation_id == example["installation"]["id"]
        assert found.sender == example["sender"]["login"]
        assert found.sender_is_bot == (example["sender"]["type"] == "Bot")
        if "issue" in example:
            issue = example["issue"]
            assert found.issue == Issue(
                number=issue["number"],
                title=issue["title"],
                body=issue["body"] or "",
                author=issue["user"]["login"],
                author_is_bot=issue["user"]["type"] == "Bot",
                association=issue["author_association"].lower(),
                state=issue["state"],
                locked=bool(issue["locked"]),
                labels=tuple(label["name"] for label in issue["labels"]),
                comments=issue["comments"],
                created_at=issue["created_at"],
                updated_at=issue["updated_at"],
                html_url=issue["html_url"],
                app_id=(issue.get("performed_via_github_app") or {}).get("id"),
                closed_at=issue.get("closed_at") or "",
            )
        if "comment" in example:
            comment = example["comment"]
            assert found.comment == Comment(
                id=comment["id"],
                author=comment["user"]["login"],
                author_is_bot=comment["user"]["type"] == "Bot",
                association=comment["author_association"].lower(),
                body=comment["body"],
                created_at=comment["created_at"],
                updated_at=comment["updated_at"],
                html_url=comment["html_url"],
                app_id=(comment.get("performed_via_github_app") or {}).get("id"),
                place=CommentPlace.REMARK if event == "pull_request_review_comment" else CommentPlace.CONVERSATION,
                commit=comment.get("original_commit_id", ""),
            )
        if event in ("pull_request", "pull_request_review"):
            assert_pull(found.pull, example["pull_request"])
        if event in ("check_run", "check_suite"):
            assert_press(found.press, example)
        if event == "merge_group":
            assert_group(found.group, example["merge_group"])
        if "repository" in example:
            repository = example["repository"]
            assert found.repository == Repository(
                repository["id"], repository["full_name"], repository["default_branch"], repository["private"]
            )
        if event in ("installation", "installation_repositories"):
            key = "repositories" if event == "installation" else f"repositories_{example['action']}"
            assert found.account == example["installation"]["account"]["login"]
            assert [(each.id, each.full_name) for each in found.repositories] == [
                (each["id"], each["full_name"]) for each in example.get(key, [])
            ]
        assert STORED.validate_json(STORED.dump_json(found)) == found


def assert_pull(found: Pull | None, pull: dict[str, Any]) -> None:
    assert found == Pull(
        number=pull["number"],
        title=pull["title"],
        body=pull["body"] or "",
        author=pull["user"]["login"],
        author_is_bot=pull["user"]["type"] == "Bot",
        head=pull["head"]["sha"],
        head_repository=pull["head"]["repo"]["full_name"],
        base=pull["base"]["sha"],
        base_branch=pull["base"]["ref"],
        state=pull["state"],
        draft=pull.get("draft", False),
        html_url=pull["html_url"],
        head_branch=pull["head"]["ref"],
        labels=tuple(label["name"] for label in pull.get("labels", ())),
        merged=bool(pull["merged_at"]),
        updated_at=pull["updated_at"],
        created_at=pull["created_at"],
    )


def assert_press(found: Press | None, example: dict[str, Any]) -> None:
    subject = example.get("check_run") or example["check_suite"]
    assert found == Press(
        head=subject["head_sha"],
        app_id=subject["app"]["id"],
        identifier=example.get("requested_action", {}).get("identifier", ""),
    )


def assert_group(found: MergeGroup | None, group: dict[str, Any]) -> None:
    assert found == MergeGroup(group["head_sha"], group["base_sha"], "main", 104)


# Without these an event is no use; everything else may be missing or odd.
OF_REPOSITORY = ("action", "installation.id", "repository.id", "repository.full_name")
OF_PULL = (*OF_REPOSITORY, "pull_request.number", "pull_request.head.sha", "pull_request.base.sha")
NEEDED: dict[str, tuple[str, ...]] = {
    "issues": (*OF_REPOSITORY, "issue.number", "label.name"),
    "issue_comment": (*OF_REPOSITORY, "issue.number", "comment.id"),
    "push": (*OF_REPOSITORY[1:], "ref", "before", "after", "deleted"),
    "pull_request": (*OF_PULL, "label.name"),
    "check_run": (
        *OF_REPOSITORY,
        "check_run.id",
        "check_run.head_sha",
        "check_run.app.id",
        "requested_action.identifier",
    ),
    "check_suite": (*OF_REPOSITORY, "check_suite.head_sha", "check_suite.app.id"),
    "merge_group": (*OF_REPOSITORY, "merge_group.head_sha", "merge_group.base_sha"),
    "pull_request_review": (*OF_PULL, "review.id", "review.commit_id"),
    "pull_request_review_comment": (*OF_PULL, "comment.id"),
    "pull_request_review_thread": OF_PULL,
    "repository": OF_REPOSITORY,
    "installation": OF_REPOSITORY[:2],
    "installation_repositories": OF_REPOSITORY[:2],
}
# These change what is read, though not whether.
USED = {
    "repository.default_branch", "repository.private",
    "sender.login", "sender.type", "installation.account.login", "changes.body.from",
    "issue.title", "issue.body", "issue.user.login", "issue.user.type", "issue.author_association", "issue.state",
    "issue.locked", "issue.labels", "issue.comments", "issue.created_at", "issue.updated_at", "issue.closed_at",
    "issue.html_url",
    "issue.pull_request", "comment.user.login", "comment.user.type", "comment.author_association", "comment.body",
    "comment.created_at", "comment.updated_at", "comment.html_url", "comment.performed_via_github_app.id",
    "pull_request.title", "pull_request.body", "pull_request.user.login", "pull_request.user.type",
    "pull_request.head.repo.full_name", "pull_request.base.ref", "pull_request.state", "pull_request.draft",
    "pull_request.html_url", "pull_request.head.ref", "pull_request.labels",
    "pull_request.created_at", "pull_request.updated_at", "pull_request.merged",
    "pull_request.merged_at", "merge_group.head_ref", "merge_group.base_ref", "reason",
    "review.user.login", "review.user.type", "review.state", "review.body", "review.html_url",
    "review.author_association", "review.submitted_at", "review.updated_at", "comment.original_commit_id",
    "thread.comments",
    "commits", "created", "forced", "repositories", "repositories_added", "repositories_removed",
}  # fmt: skip
ABSENT = object()
ODD = (ABSENT, None, [], "odd", True, {"odd": 1})
UNREAD = (ABSENT, {"odd": 1})  # what nobody reads, nobody tells apart; it is nearly all of an example


def places(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any, str]]:
    """(container, key, dotted path) of everything in a payload; list indices are left out of the path."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(entries):
        below = (*path, key) if isinstance(key, str) else path
        yield value, key, ".".join(below)
        yield from places(inner, below)


def concerns(path: str, fields: Any) -> bool:
    """Whether changing what lies at `path` may change one of these fields."""
    return any(f"{field}.".startswith(f"{path}.") or f"{path}.".startswith(f"{field}.") for field in fields)


@pytest.mark.contract
def test_a_missing_or_odd_field_drops_no_event_that_does_not_need_it() -> None:
    """One example of each event and action: pull requests are large."""
    tried, seen = 0, set()
    for event, text in examples():
        example = json.loads(text)
        expected = read(event, example)
        if isinstance(expected, Ignored) or (event, expected.action) in seen:
            continue
        seen.add((event, expected.action))
        for container, key, path in places(example):
            if concerns(path, NEEDED[event]) or path == "changes":  # an edit of something else is ignored on purpose
                continue
            original = container[key]
            used = concerns(path, USED)
            for odd in ODD if used else UNREAD:
                if odd is ABSENT and isinstance(container, list):
                    continue
                if odd is ABSENT:
                    del container[key]
                else:
                    container[key] = odd
                found = read(event, example)
                assert isinstance(found, Delivery), (event, path, odd, found)
                assert found == expected or used, (event, path, odd)
                container[key] = original
                tried += 1
    assert tried > 10_000


def opened(**changes: Any) -> Issue:
    found = read("issues", payload(**changes))
    assert isinstance(found, Delivery)
    assert found.issue is not None
    return found.issue


def test_an_issue_without_text_has_empty_text() -> None:
    issue = opened(issue={"number": 3, "title": None, "body": None, "user": None})
    assert (issue.title, issue.body, issue.author) == ("", "", "")


def test_a_login_that_ends_like_a_bots_is_a_bot() -> None:
    assert opened(issue={"number": 3, "user": {"login": "helper[bot]"}}).author_is_bot
    assert opened(issue={"number": 3, "user": {"login": "helper", "type": "Bot"}}).author_is_bot
    assert not opened(issue={"number": 3, "user": {"login": "robot", "type": "User"}}).author_is_bot


def test_text_that_cannot_be_stored_is_mended() -> None:
    assert opened(issue={"number": 3, "title": "a \ud800 b", "body": "😀 \udc00"}).title == "a \ufffd b"
    assert opened(issue={"number": 3, "title": "a \0 b"}).title == "a \ufffd b"


@cases
def test_an_edit_of_title_or_body_is_read_with_what_it_replaced(changes: Any, previous: str | None) -> None:
    found = read("issues", payload(action="edited", changes=changes))
    assert isinstance(found, Delivery)
    assert found.previous_body == previous


def test_an_edit_of_anything_else_is_ignored() -> None:
    assert read("issues", payload(action="edited", changes={"milestone": {}})) == Ignored(
        "neither the title nor the body changed"
    )
    comment = payload(action="edited", comment={"id": 1}, changes={"reactions": {}})
    assert read("issue_comment", comment) == Ignored("the comment's text did not change")


def test_a_label_is_read_by_name() -> None:
    for action in ("labeled", "unlabeled"):
        found = read("issues", payload(action=action, label={"name": "needs-clarification"}))
        assert isinstance(found, Delivery)
        assert found.label == "needs-clarification"
    assert isinstance(read("issues", payload(action="labeled")), Ignored)


@cases
def test_of_comments_on_pull_requests_only_commands_and_answers_are_kept(body: str, kept: bool) -> None:
    on_pull = payload(action="created", comment={"id": 1, "body": body}, issue={"number": 3, "pull_request": {}})
    assert isinstance(read("issue_comment", on_pull), Delivery) is kept


@pytest.mark.parametrize("installation", [None, {}, {"id": None}, {"id": "7"}, {"id": True}, {"id": 0}, {"id": 2**63}])
def test_a_delivery_of_no_installation_says_where_the_webhook_belongs(installation: Any) -> None:
    found = read("issues", payload(installation=installation))
    assert isinstance(found, Ignored)
    assert "enter the webhook in the App's settings" in found.reason


@pytest.mark.parametrize("name", ["", "widgets", "a/b/c", "../etc", "a/..", "a/.", "a/b?x", "a /b", 3, None])
def test_an_odd_repository_name_is_not_believed(name: Any) -> None:
    found = read("issues", payload(repository={"id": 1, "full_name": name}))
    assert isinstance(found, Ignored)


SHA, OLD = "a" * 40, "b" * 40


def push(**changes: Any) -> Delivery | Ignored:
    whole = {
        "ref": "refs/heads/topic",
        "before": OLD,
        "after": SHA,
        "created": False,
        "deleted": False,
        "forced": False,
    }
    return read("push", payload(**{**whole, "commits": [files(modified=["README.md"])], **changes}))


def files(**lists: Any) -> dict[str, Any]:
    return {"id": SHA, "added": [], "modified": [], "removed": [], **lists}


@pytest.mark.parametrize(
    ("changes", "touches"),
    [
        ({}, False),
        ({"commits": [files(), files(modified=[".github/bouncer.yml"])]}, True),
        ({"commits": [files(added=["a", ".github/bouncer.yml"])]}, True),
        ({"commits": [files(removed=[".github/bouncer.yml"])]}, True),
        ({"commits": [files(modified=["docs/.github/bouncer.yml"])]}, False),
        ({"commits": [files()] * 19}, False),
        ({"commits": [files()] * 20}, None),
        ({"commits": [files()] * 19 + [files(added=[".github/bouncer.yml"])]}, True),
        ({"commits": []}, None),
        ({"commits": None}, None),
        ({"commits": [{"id": SHA}]}, None),
        ({"commits": [files(added=None)]}, None),
        ({"forced": True}, None),
        ({"forced": None}, None),
        ({"created": True, "before": "0" * 40}, None),
    ],
)
def test_a_push_says_whether_it_touches_the_policy(changes: dict[str, Any], touches: bool | None) -> None:
    found = push(**changes)
    if touches is False:
        assert found == Ignored("the push leaves .github/bouncer.yml as it is")
    else:
        assert isinstance(found, Delivery)
        assert found.commits == Commits(SHA, changes.get("before", OLD), "topic", touches)


def test_kinds_of_deliveries_agree_with_the_reader() -> None:
    for event, action in (
        ("issues", "opened"),
        ("push", ""),
        ("installation", "deleted"),
        ("pull_request", "reopened"),
    ):
        assert handles(event, action)
    for event, action in (("issues", "pinned"), ("star", "created"), ("ping", ""), ("check_suite", "requested")):
        assert not handles(event, action) and not is_always_kept(event, action)
        assert isinstance(read(event, payload(action=action)), Ignored)
    unsure = (("push", ""), ("issue_comment", "created"), ("issues", "edited"), ("pull_request", "edited"))
    for event, action in unsure:
        assert handles(event, action) and not is_always_kept(event, action)
    assert is_always_kept("issues", "opened") and is_always_kept("installation", "created")


@pytest.mark.parametrize(
    "changes", [{"ref": "refs/tags/v1"}, {"deleted": True}, {"after": "0" * 40}, {"after": "HEAD"}, {"before": None}]
)
def test_a_push_that_leaves_no_branch_to_read_is_ignored(changes: dict[str, Any]) -> None:
    assert isinstance(push(**changes), Ignored)


def test_a_branch_name_may_hold_slashes() -> None:
    found = push(ref="refs/heads/refs/heads/deep", forced=True)
    assert isinstance(found, Delivery)
    assert found.commits is not None
    assert found.commits.branch == "refs/heads/deep"


def test_a_pull_request_names_its_head_and_base() -> None:
    pull = {"number": 5, "head": {"sha": SHA}, "base": {"sha": OLD}}
    found = read("pull_request", payload(action="synchronize", pull_request=pull))
    assert isinstance(found, Delivery)
    assert found.commits == Commits(SHA, OLD, "", None, 5)


PULL = {"number": 5, "head": {"sha": SHA}, "base": {"sha": OLD}}


@cases
def test_an_edit_of_a_pull_request_says_what_changed(
    changes: Any, changed: tuple[str, ...], previous: str | None
) -> None:
    found = read("pull_request", payload(action="edited", pull_request=PULL, changes=changes))
    assert isinstance(found, Delivery)
    assert (found.changed, found.previous_body) == (changed, previous)


def test_an_edit_of_something_else_of_a_pull_request_is_ignored() -> None:
    found = read("pull_request", payload(action="edited", pull_request=PULL, changes={"allow_edits": {}}))
    assert found == Ignored("neither the title, the body nor the base changed")


def test_a_pull_request_of_a_deleted_fork_has_no_head_repository() -> None:
    gone = {**PULL, "head": {"sha": SHA, "repo": None, "user": None, "label": "unknown repository"}}
    found = read("pull_request", payload(action="closed", pull_request={**gone, "merged": False}))
    assert isinstance(found, Delivery) and found.pull
    assert (found.pull.head_repository, found.pull.merged) == ("", False)


def test_a_pull_requests_label_is_read_by_name() -> None:
    found = read("pull_request", payload(action="labeled", pull_request=PULL, label={"name": "agent"}))
    assert isinstance(found, Delivery) and found.label == "agent"
    assert isinstance(read("pull_request", payload(action="labeled", pull_request=PULL)), Ignored)


RUN = {"id": 9, "head_sha": SHA, "name": "bouncer", "external_id": "x", "app": {"id": 4242}, "pull_requests": []}


def test_a_button_is_named_by_its_identifier_and_a_fork_by_its_commit() -> None:
    pressed = payload(action="requested_action", check_run=RUN, requested_action={"identifier": "override"})
    found = read("check_run", pressed)
    assert isinstance(found, Delivery)
    assert found.press == Press(SHA, 4242, "override")
    assert isinstance(read("check_run", {**pressed, "requested_action": None}), Ignored)


@pytest.mark.parametrize(
    ("ref", "number"),
    [
        (f"refs/heads/gh-readonly-queue/main/pr-104-{OLD}", 104),
        (f"refs/heads/gh-readonly-queue/release/pr-1-{OLD}/pr-7-{OLD}", 7),
        (f"refs/heads/gh-readonly-queue/main/pr-{'9' * 30}-{OLD}", None),
        ("refs/heads/gh-readonly-queue/main/pr-104-abc", None),
        ("", None),
    ],
)
def test_a_merge_group_names_the_pull_request_it_adds(ref: str, number: int | None) -> None:
    group = {"head_sha": SHA, "head_ref": ref, "base_sha": OLD, "base_ref": "refs/heads/main"}
    found = read("merge_group", payload(action="destroyed", merge_group=group, reason="dequeued"))
    assert isinstance(found, Delivery)
    assert found.group == MergeGroup(SHA, OLD, "main", number, "dequeued")


def test_the_merge_queues_pushes_are_left_to_its_own_event() -> None:
    assert isinstance(push(ref=f"refs/heads/gh-readonly-queue/main/pr-1-{OLD}", created=True), Ignored)


@cases
def test_a_repository_is_public_only_where_everything_says_so(action: str, told: bool | None, private: bool) -> None:
    about = {"id": 11, "full_name": "acme/widgets", "private": told}
    found = read("repository", payload(action=action, repository=about))
    assert isinstance(found, Delivery)
    assert found.repository == Repository(11, "acme/widgets", private=private)


@pytest.mark.parametrize("action", ["archived", "created", "deleted", "edited", "renamed", "transferred", "unarchived"])
def test_what_else_happens_to_a_repository_is_ignored(action: str) -> None:
    assert isinstance(read("repository", payload(action=action)), Ignored)
    assert not handles("repository", action)


def test_one_odd_repository_hides_no_other() -> None:
    good = {"id": 1, "full_name": "acme/widgets"}
    found = read("installation", payload(action="created", repositories=[None, {"id": "x"}, good, 3]))
    assert isinstance(found, Delivery)
    assert found.repositories == (Repository(1, "acme/widgets"),)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(
    ["action", "installation", "repository", "issue", "comment", "sender", "label", "changes", "commits", "ref",
     "before", "after", "pull_request", "repositories", "repositories_added", "deleted", "forced", "created",
     "check_run", "check_suite", "merge_group", "requested_action", "reason"]
)  # fmt: skip


@given(event=st.sampled_from(sorted(HANDLED)) | st.text(max_size=10), odd=st.dictionaries(keys, json_values))
def test_reading_never_raises(event: str, odd: dict[str, Any]) -> None:
    for content in (odd, payload(**odd)):
        assert isinstance(read(event, content), Delivery | Ignored)
