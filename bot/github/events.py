"""Webhook payloads, reduced to what Bouncer uses.

Plain field picking, tolerant on purpose: GitHub adds, drops and nulls fields without notice, and an event is worth
reading as long as it says which subject it is about. What Bouncer judges is read again before it writes anything.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.github.values import Comment, Commits, Delivery, Ignored, Issue, Pull, Remark, Repository, Review
from bot.policy import PATH

_NOBODY: Mapping[str, Any] = {}
_FULL_NAME = re.compile(r"[A-Za-z0-9][\w-]*/(?!\.{1,2}\Z)[\w.-]+", re.ASCII)  # it becomes part of addresses
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")  # SHA-1 or SHA-256
_MOST_COMMITS_LISTED = 20


class _Unusable(Exception):
    """The payload lacks what its event cannot do without."""


def read(event: str, payload: Mapping[str, Any]) -> Delivery | Ignored:
    """Read one delivery. Never raises: what cannot be used is `Ignored`, with the reason."""
    if event == "ping":
        return Ignored("a ping needs no answer")
    if event not in _READERS:
        return Ignored(f"Bouncer does not handle the event {event}")
    actions, reader = _READERS[event]
    action = _text(payload, "action") if actions else ""
    if actions and action not in actions:
        return Ignored(f"Bouncer does not handle the action {action[:50]!a} of {event}")
    installation = _count(payload, "installation", "id")
    if not installation:
        return Ignored("no installation is named; enter the webhook in the App's settings, not in a repository's")
    try:
        common: dict[str, Any] = {
            "event": event,
            "action": action,
            "installation_id": installation,
            "sender": _text(payload, "sender", "login"),
            "sender_is_bot": _is_bot(_mapping(payload, "sender")),
        }
        picked = reader(action, payload)
    except _Unusable as error:
        return Ignored(f"the {event} payload has no usable {error}")
    return picked if isinstance(picked, Ignored) else Delivery(**common, **picked)


_Picked = dict[str, Any] | Ignored


def handles(event: str, action: str) -> bool:
    """Whether a delivery of this kind may be worth storing; what is in it can still make it `Ignored`."""
    actions, _ = _READERS.get(event, (None, None))
    return actions is not None and (not actions or action in actions)


def is_always_kept(event: str, action: str) -> bool:
    """Whether every delivery of this kind is worth storing, so that one nobody knows was lost.

    Edits may be of something else, comments on pull requests, and pushes of other files.
    """
    return handles(event, action) and event not in ("issue_comment", "push") and (event, action) != ("issues", "edited")


def _issues(action: str, payload: Mapping[str, Any]) -> _Picked:
    if action == "edited" and not _changed(payload, "title", "body"):
        return Ignored("neither the title nor the body changed")
    picked = {
        "repository": _repository(_mapping(payload, "repository")),
        "issue": to_issue(_mapping(payload, "issue")),
        "previous_body": _previous_body(payload),
    }
    if action in ("labeled", "unlabeled"):
        label = _text(payload, "label", "name")
        if not label:
            raise _Unusable("label.name")
        picked["label"] = label
    return picked


def _issue_comment(action: str, payload: Mapping[str, Any]) -> _Picked:
    issue = to_issue(_mapping(payload, "issue"))
    if issue.is_pull_request and not _concerns_bouncer(payload):
        return Ignored("on pull requests only commands and answers to Bouncer's questions are read")
    if action == "edited" and not _changed(payload, "body"):
        return Ignored("the comment's text did not change")
    return {
        "repository": _repository(_mapping(payload, "repository")),
        "issue": issue,
        "comment": to_comment(_mapping(payload, "comment")),
        "previous_body": _previous_body(payload),
    }


def _concerns_bouncer(payload: Mapping[str, Any]) -> bool:
    """Whether a comment may hold a command, or is Bouncer's own with boxes to tick. Other talk is not stored."""
    body = _text(payload, "comment", "body").lower()
    return "/bouncer" in body or "<!-- bouncer:" in body


def _push(action: str, payload: Mapping[str, Any]) -> _Picked:
    ref = _text(payload, "ref")
    if not ref.startswith("refs/heads/"):
        return Ignored("only pushes to branches can change the policy")
    head = _sha(payload, "after")
    if payload.get("deleted") is True or not head.strip("0"):
        return Ignored("the branch was deleted")
    touches_policy = _touches_policy(payload)
    if touches_policy is False:
        return Ignored(f"the push leaves {PATH} as it is")
    return {
        "repository": _repository(_mapping(payload, "repository")),
        "commits": Commits(
            head=head,
            base=_sha(payload, "before"),
            branch=ref.removeprefix("refs/heads/"),
            touches_policy=touches_policy,
        ),
    }


def _pull_request(action: str, payload: Mapping[str, Any]) -> _Picked:
    pull = _mapping(payload, "pull_request")
    return {
        "repository": _repository(_mapping(payload, "repository")),
        "commits": Commits(
            head=_sha(pull, "head", "sha"),
            base=_sha(pull, "base", "sha"),
            branch="",
            touches_policy=None,
            number=_id(pull, "number"),
        ),
    }


def _pull_request_review(action: str, payload: Mapping[str, Any]) -> _Picked:
    return {
        "repository": _repository(_mapping(payload, "repository")),
        "pull": to_pull(_mapping(payload, "pull_request")),
        "review": to_review(_mapping(payload, "review")),
    }


def _installation(action: str, payload: Mapping[str, Any]) -> _Picked:
    return {
        "account": _text(payload, "installation", "account", "login"),
        "repositories": _repositories(payload.get("repositories")),
    }


def _installation_repositories(action: str, payload: Mapping[str, Any]) -> _Picked:
    return {
        "account": _text(payload, "installation", "account", "login"),
        "repositories": _repositories(payload.get(f"repositories_{action}")),
    }


# No actions named: the event has none.
_READERS: dict[str, tuple[frozenset[str], Callable[[str, Mapping[str, Any]], _Picked]]] = {
    "issues": (frozenset({"opened", "edited", "reopened", "closed", "labeled", "unlabeled"}), _issues),
    "issue_comment": (frozenset({"created", "edited", "deleted"}), _issue_comment),
    "push": (frozenset(), _push),
    "pull_request": (frozenset({"opened", "synchronize", "reopened"}), _pull_request),
    "pull_request_review": (frozenset({"submitted"}), _pull_request_review),
    "installation": (
        frozenset({"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"}),
        _installation,
    ),
    "installation_repositories": (frozenset({"added", "removed"}), _installation_repositories),
}

HANDLED = frozenset(_READERS)


def to_issue(issue: Mapping[str, Any]) -> Issue:
    labels = issue.get("labels")
    names = (_text(label, "name") if isinstance(label, Mapping) else "" for label in _list(labels))
    return Issue(
        number=_id(issue, "number"),
        title=_text(issue, "title"),
        body=_text(issue, "body"),
        author=_text(issue, "user", "login"),
        author_is_bot=_is_bot(_mapping(issue, "user")),
        association=_text(issue, "author_association").lower(),
        state=_text(issue, "state") or "open",
        locked=issue.get("locked") is True,
        labels=tuple(name for name in names if name),
        comments=_count(issue, "comments"),
        created_at=_text(issue, "created_at"),
        updated_at=_text(issue, "updated_at"),
        html_url=_text(issue, "html_url"),
        is_pull_request=isinstance(issue.get("pull_request"), Mapping),
    )


def to_pull(pull: Mapping[str, Any]) -> Pull:
    return Pull(
        number=_id(pull, "number"),
        title=_text(pull, "title"),
        body=_text(pull, "body"),
        author=_text(pull, "user", "login"),
        author_is_bot=_is_bot(_mapping(pull, "user")),
        head=_sha(pull, "head", "sha"),
        head_repository=_text(pull, "head", "repo", "full_name"),
        base=_sha(pull, "base", "sha"),
        base_branch=_text(pull, "base", "ref"),
        state=_text(pull, "state") or "open",
        draft=pull.get("draft") is True,
        html_url=_text(pull, "html_url"),
    )


def to_review(review: Mapping[str, Any]) -> Review:
    return Review(
        id=_id(review, "id"),
        author=_text(review, "user", "login"),
        author_is_bot=_is_bot(_mapping(review, "user")),
        state=_text(review, "state").lower(),
        body=_text(review, "body"),
        commit=_sha(review, "commit_id"),
        html_url=_text(review, "html_url"),
    )


def to_remark(remark: Mapping[str, Any]) -> Remark:
    """`line` is empty once the lines changed; `original_line` at `original_commit_id` always holds."""
    line = _id(remark, "original_line")
    return Remark(
        id=_id(remark, "id"),
        review_id=_count(remark, "pull_request_review_id"),
        path=_text(remark, "path"),
        start_line=_count(remark, "original_start_line") or line,
        line=line,
        commit=_sha(remark, "original_commit_id"),
        body=_text(remark, "body"),
    )


def to_comment(comment: Mapping[str, Any]) -> Comment:
    return Comment(
        id=_id(comment, "id"),
        author=_text(comment, "user", "login"),
        author_is_bot=_is_bot(_mapping(comment, "user")),
        association=_text(comment, "author_association").lower(),
        body=_text(comment, "body"),
        created_at=_text(comment, "created_at"),
        updated_at=_text(comment, "updated_at"),
        html_url=_text(comment, "html_url"),
        app_id=_count(comment, "performed_via_github_app", "id") or None,
    )


def _repository(repository: Mapping[str, Any]) -> Repository:
    name = _text(repository, "full_name")
    if not _FULL_NAME.fullmatch(name):
        raise _Unusable("repository.full_name")
    branch = _text(repository, "default_branch") or "main"
    return Repository(_id(repository, "id"), name, branch, repository.get("private") is not False)


def _repositories(listed: Any) -> tuple[Repository, ...]:
    """Those of a list that can be read; one odd entry does not hide the others."""
    found = []
    for entry in _list(listed):
        try:
            found.append(_repository(entry if isinstance(entry, Mapping) else _NOBODY))
        except _Unusable:
            continue
    return tuple(found)


def _changed(payload: Mapping[str, Any], *fields: str) -> bool:
    """Whether an edit may concern one of these fields; when GitHub does not say what changed, it may."""
    changes = payload.get("changes")
    return not isinstance(changes, Mapping) or not changes or any(field in changes for field in fields)


def _previous_body(payload: Mapping[str, Any]) -> str | None:
    changes = _mapping(payload, "changes")
    return _text(changes, "body", "from") if "body" in changes else None


def _touches_policy(payload: Mapping[str, Any]) -> bool | None:
    """Whether the push changed the policy file; `None` when its list of commits may not be whole."""
    commits = payload.get("commits")
    complete = (
        isinstance(commits, list)
        and 0 < len(commits) < _MOST_COMMITS_LISTED
        and payload.get("forced") is False
        and payload.get("created") is False
    )
    for commit in _list(commits):
        for kind in ("added", "modified", "removed"):
            files = commit.get(kind) if isinstance(commit, Mapping) else None
            if not isinstance(files, list):
                complete = False
            elif any(file == PATH or str(file).startswith(f"{PATH}/") for file in files):
                return True
    return False if complete else None


def _is_bot(user: Mapping[str, Any]) -> bool:
    return _text(user, "type") == "Bot" or _text(user, "login").endswith("[bot]")


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _mapping(value: Any, *path: str) -> Mapping[str, Any]:
    found = _at(value, path)
    return found if isinstance(found, Mapping) else _NOBODY


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any, *path: str) -> str:
    """The text there, empty when there is none. What PostgreSQL cannot store, NUL and lone surrogates, is U+FFFD."""
    found = _at(value, path)
    if not isinstance(found, str):
        return ""
    found = found.replace("\0", "\ufffd")
    return found if found.isascii() else found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(value: Any, *path: str) -> int:
    found = _at(value, path)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**63 else 0


def _id(value: Any, *path: str) -> int:
    found = _count(value, *path)
    if found == 0:
        raise _Unusable(".".join(path))
    return found


def _sha(value: Any, *path: str) -> str:
    found = _text(value, *path)
    if not _SHA.fullmatch(found):
        raise _Unusable(".".join(path))
    return found
