"""Webhook payloads, reduced to what Bouncer uses.

Plain field picking, tolerant on purpose: GitHub adds, drops and nulls fields without notice, and an event is worth
reading as long as it says which subject it is about. What Bouncer judges is read again before it writes anything.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bot.github.deliveries import QUEUED_PULL, Delivery, Ignored, MergeGroup, Press
from bot.github.fields import PayloadError, count, id_of, is_bot, json_list, json_object, require_text, sha, text
from bot.github.payloads import (
    to_comment,
    to_issue,
    to_pull,
    to_remark_comment,
    to_repository,
    to_review,
    to_review_comment,
)
from bot.github.values import Commits, Repository
from bot.policy_file import PATH

_MOST_COMMITS_LISTED = 20
_QUEUE = "refs/heads/gh-readonly-queue/"  # where the merge queue keeps its groups


def read(event: str, payload: Mapping[str, Any]) -> Delivery | Ignored:
    """Read one delivery. Never raises: what cannot be used is `Ignored`, with the reason."""
    if event == "ping":
        return Ignored("a ping needs no answer")
    if event not in _READERS:
        return Ignored(f"Bouncer does not handle the event {event}")
    actions, reader = _READERS[event]
    action = text(payload, "action") if actions else ""
    if actions and action not in actions:
        return Ignored(f"Bouncer does not handle the action {action[:50]!a} of {event}")
    installation = count(payload, "installation", "id")
    if not installation:
        return Ignored("no installation is named; enter the webhook in the App's settings, not in a repository's")
    changes = json_object(payload, "changes")
    try:
        common: dict[str, Any] = {
            "event": event,
            "action": action,
            "installation_id": installation,
            "sender": text(payload, "sender", "login"),
            "sender_is_bot": is_bot(json_object(payload, "sender")),
            "label": require_text(payload, "label", "name") if action in ("labeled", "unlabeled") else "",
            "previous_body": text(changes, "body", "from") if "body" in changes else None,
        }
        picked = reader(action, payload)
        if not isinstance(picked, Ignored) and "repositories" not in picked:
            picked = {"repository": to_repository(json_object(payload, "repository")), **picked}
    except PayloadError as error:
        return Ignored(f"the {event} payload has no usable {error}")
    return picked if isinstance(picked, Ignored) else Delivery(**common, **picked)


_Picked = dict[str, Any] | Ignored
_Reader = Callable[[str, Mapping[str, Any]], _Picked]
_READERS: dict[str, tuple[frozenset[str], _Reader]] = {}
_DRAFT = ("ready_for_review", "converted_to_draft")
_EDITS = ("title", "body", "base")  # of a pull request, that concern Bouncer


def handles(event: str, action: str) -> bool:
    """Whether a delivery of this kind may be worth storing; what is in it can still make it `Ignored`."""
    actions, _ = _READERS.get(event, (None, None))
    return actions is not None and (not actions or action in actions)


def is_always_kept(event: str, action: str) -> bool:
    """Whether every delivery of this kind is worth storing, so that one nobody knows was lost.

    Edits may be of something else, comments on pull requests, and pushes of other files.
    """
    passing = ("issue_comment", "pull_request_review_comment", "push")
    return handles(event, action) and event not in passing and action != "edited"


def _reads(event: str, *actions: str) -> Callable[[_Reader], _Reader]:
    """Who reads this event with one of these actions. None named: the event has none."""

    def register(reader: _Reader) -> _Reader:
        _READERS[event] = frozenset(actions), reader
        return reader

    return register


@_reads("issues", "opened", "edited", "reopened", "closed", "labeled", "unlabeled", "typed", "untyped")
def _issues(action: str, payload: Mapping[str, Any]) -> _Picked:
    if action == "edited" and not _changed(payload, "title", "body"):
        return Ignored("neither the title nor the body changed")
    return {"issue": to_issue(json_object(payload, "issue"))}


@_reads("issue_comment", "created", "edited", "deleted")
def _issue_comment(action: str, payload: Mapping[str, Any]) -> _Picked:
    issue = to_issue(json_object(payload, "issue"))
    if issue.is_pull_request and not _concerns_bouncer(payload):
        return Ignored("on pull requests only commands and answers to Bouncer's questions are read")
    if action == "edited" and not _changed(payload, "body"):
        return Ignored("the comment's text did not change")
    return {"issue": issue, "comment": to_comment(json_object(payload, "comment"))}


def _concerns_bouncer(payload: Mapping[str, Any]) -> bool:
    """Whether a comment may hold a command, or is Bouncer's own with boxes to tick. Other talk is not stored. What the
    App is called, only a worker knows."""
    body = text(payload, "comment", "body").lower()
    named = any(line.lstrip(" *_`#-").startswith("@") for line in body.splitlines())
    return named or "/bouncer" in body or "<!-- bouncer:" in body


@_reads("push")
def _push(action: str, payload: Mapping[str, Any]) -> _Picked:
    ref = text(payload, "ref")
    if not ref.startswith("refs/heads/"):
        return Ignored("only pushes to branches can change the policy")
    if ref.startswith(_QUEUE):
        return Ignored("the merge queue's branches are judged as merge groups")
    head = sha(payload, "after")
    if payload.get("deleted") is True or not head.strip("0"):
        return Ignored("the branch was deleted")
    touches_policy = _touches_policy(payload)
    if touches_policy is False:
        return Ignored(f"the push leaves {PATH} as it is")
    return {"commits": Commits(head, sha(payload, "before"), ref.removeprefix("refs/heads/"), touches_policy)}


@_reads("pull_request", "opened", "synchronize", "reopened", "closed", "edited", "labeled", "unlabeled", *_DRAFT)
def _pull_request(action: str, payload: Mapping[str, Any]) -> _Picked:
    if action == "edited" and not _changed(payload, *_EDITS):
        return Ignored("neither the title, the body nor the base changed")
    pull = to_pull(json_object(payload, "pull_request"))
    return {
        "pull": pull,
        "commits": Commits(head=pull.head, base=pull.base, branch="", touches_policy=None, number=pull.number),
        "changed": tuple(field for field in _EDITS if field in json_object(payload, "changes")),
    }


@_reads("pull_request_review", "submitted", "edited")
def _pull_request_review(action: str, payload: Mapping[str, Any]) -> _Picked:
    if action == "edited" and not _changed(payload, "body"):
        return Ignored("the review's text did not change")
    review = json_object(payload, "review")
    return {
        "pull": to_pull(json_object(payload, "pull_request")),
        "review": to_review(review),
        "comment": to_review_comment(review),
    }


@_reads("pull_request_review_comment", "created", "edited", "deleted")
def _pull_request_review_comment(action: str, payload: Mapping[str, Any]) -> _Picked:
    comment = to_remark_comment(json_object(payload, "comment"))
    if action == "edited" and not _changed(payload, "body"):
        return Ignored("the comment's text did not change")
    if action == "created" and not _concerns_bouncer(payload):
        return Ignored("of new comments beside lines only commands are read")
    return {
        "pull": to_pull(json_object(payload, "pull_request")),
        "comment": comment,
        "remarks": () if action == "created" else (comment.id,),
    }


@_reads("pull_request_review_thread", "resolved", "unresolved")
def _pull_request_review_thread(action: str, payload: Mapping[str, Any]) -> _Picked:
    comments = json_list(json_object(payload, "thread").get("comments"))
    ids = (count(each, "id") for each in comments if isinstance(each, Mapping))
    return {"pull": to_pull(json_object(payload, "pull_request")), "remarks": tuple(filter(None, ids))}


@_reads("check_run", "rerequested", "requested_action")
@_reads("check_suite", "rerequested")
def _press(action: str, payload: Mapping[str, Any]) -> _Picked:
    """Of one run, or of a suite, which is all runs."""
    shape = json_object(payload, "check_run") or json_object(payload, "check_suite")
    pressed = require_text(payload, "requested_action", "identifier") if action == "requested_action" else ""
    return {"press": Press(sha(shape, "head_sha"), id_of(shape, "app", "id"), pressed)}


@_reads("merge_group", "checks_requested", "destroyed")
def _merge_group(action: str, payload: Mapping[str, Any]) -> _Picked:
    shape = json_object(payload, "merge_group")
    named = QUEUED_PULL.search(text(shape, "head_ref"))
    group = MergeGroup(
        head=sha(shape, "head_sha"),
        base=sha(shape, "base_sha"),
        base_branch=text(shape, "base_ref").removeprefix("refs/heads/"),
        number=int(named[1]) if named else None,
        reason=text(payload, "reason"),
    )
    return {"group": group}


@_reads("repository", "privatized", "publicized")
def _repository(action: str, payload: Mapping[str, Any]) -> _Picked:
    repository = to_repository(json_object(payload, "repository"))
    return {"repository": replace(repository, private=repository.private or action == "privatized")}


@_reads("installation", "created", "deleted", "suspend", "unsuspend", "new_permissions_accepted")
@_reads("installation_repositories", "added", "removed")
def _installation(action: str, payload: Mapping[str, Any]) -> _Picked:
    """Of the installation, or of the repositories that this action adds to it or takes from it."""
    listed = payload.get(f"repositories_{action}", payload.get("repositories"))
    return {"account": text(payload, "installation", "account", "login"), "repositories": _repositories(listed)}


HANDLED = frozenset(_READERS)


def _repositories(entries: Any) -> tuple[Repository, ...]:
    """Those of a list that can be read; one odd entry does not hide the others."""
    found = []
    for entry in json_list(entries):
        try:
            found.append(to_repository(json_object(entry)))
        except PayloadError:
            continue
    return tuple(found)


def _changed(payload: Mapping[str, Any], *fields: str) -> bool:
    """Whether an edit may concern one of these fields; when GitHub does not say what changed, it may."""
    changes = payload.get("changes")
    return not isinstance(changes, Mapping) or not changes or any(field in changes for field in fields)


def _touches_policy(payload: Mapping[str, Any]) -> bool | None:
    """Whether the push changed the policy file; `None` when its list of commits may not be whole."""
    commits = payload.get("commits")
    complete = (
        isinstance(commits, list)
        and 0 < len(commits) < _MOST_COMMITS_LISTED
        and payload.get("forced") is False
        and payload.get("created") is False
    )
    for commit in json_list(commits):
        for kind in ("added", "modified", "removed"):
            files = commit.get(kind) if isinstance(commit, Mapping) else None
            if not isinstance(files, list):
                complete = False
            elif any(file == PATH or str(file).startswith(f"{PATH}/") for file in files):
                return True
    return False if complete else None
