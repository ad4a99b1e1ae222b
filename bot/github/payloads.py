"""GitHub's objects as values: the same from a webhook as from REST, so that both always compare. What only REST gives
comes last."""

import base64
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.github.deliveries import HookDelivery
from bot.github.fields import PayloadError, count, id_of, is_bot, json_list, json_object, sha, text
from bot.github.values import (
    CheckRun,
    Comment,
    CommentPlace,
    Comparison,
    File,
    Installation,
    Issue,
    Pull,
    PullCommit,
    PullFile,
    Remark,
    Repository,
    Review,
)

_FULL_NAME = re.compile(r"[A-Za-z0-9][\w-]*/(?!\.{1,2}\Z)[\w.-]+", re.ASCII)  # it becomes part of addresses


def to_repository(repository: Mapping[str, Any]) -> Repository:
    name = text(repository, "full_name")
    if not _FULL_NAME.fullmatch(name):
        raise PayloadError("repository.full_name")
    branch = text(repository, "default_branch") or "main"
    return Repository(id_of(repository, "id"), name, branch, repository.get("private") is not False)


def to_issue(issue: Mapping[str, Any]) -> Issue:
    return Issue(
        number=id_of(issue, "number"),
        title=text(issue, "title"),
        body=text(issue, "body"),
        author=text(issue, "user", "login"),
        author_is_bot=is_bot(json_object(issue, "user")),
        association=text(issue, "author_association").lower(),
        state=text(issue, "state") or "open",
        locked=issue.get("locked") is True,
        labels=_labels(issue),
        comments=count(issue, "comments"),
        created_at=text(issue, "created_at"),
        updated_at=text(issue, "updated_at"),
        html_url=text(issue, "html_url"),
        is_pull_request=isinstance(issue.get("pull_request"), Mapping),
        type=text(issue, "type", "name"),
        app_id=count(issue, "performed_via_github_app", "id") or None,
        state_reason=text(issue, "state_reason"),
    )


def _labels(subject: Mapping[str, Any]) -> tuple[str, ...]:
    labels = json_list(subject.get("labels"))
    names = (text(label, "name") if isinstance(label, Mapping) else "" for label in labels)
    return tuple(name for name in names if name)


def to_pull(pull: Mapping[str, Any]) -> Pull:
    return Pull(
        number=id_of(pull, "number"),
        title=text(pull, "title"),
        body=text(pull, "body"),
        author=text(pull, "user", "login"),
        author_is_bot=is_bot(json_object(pull, "user")),
        head=sha(pull, "head", "sha"),
        head_repository=text(pull, "head", "repo", "full_name"),
        base=sha(pull, "base", "sha"),
        base_branch=text(pull, "base", "ref"),
        state=text(pull, "state") or "open",
        draft=pull.get("draft") is True,
        html_url=text(pull, "html_url"),
        head_branch=text(pull, "head", "ref"),
        labels=_labels(pull),
        association=text(pull, "author_association").lower(),
        locked=pull.get("locked") is True,
        merged=pull.get("merged") is True or bool(text(pull, "merged_at")),
        updated_at=text(pull, "updated_at"),
        created_at=text(pull, "created_at"),
    )


def to_review(review: Mapping[str, Any]) -> Review:
    return Review(
        id=id_of(review, "id"),
        author=text(review, "user", "login"),
        author_is_bot=is_bot(json_object(review, "user")),
        state=text(review, "state").lower(),
        body=text(review, "body"),
        commit=sha(review, "commit_id"),
        html_url=text(review, "html_url"),
    )


def to_remark(remark: Mapping[str, Any]) -> Remark:
    """`line` is empty once the lines changed; `original_line` at `original_commit_id` always holds."""
    line = id_of(remark, "original_line")
    return Remark(
        id=id_of(remark, "id"),
        path=text(remark, "path"),
        start_line=count(remark, "original_start_line") or line,
        line=line,
        commit=sha(remark, "original_commit_id"),
        body=text(remark, "body"),
        author=text(remark, "user", "login"),
        author_is_bot=is_bot(json_object(remark, "user")),
        review=count(remark, "pull_request_review_id") or 0,
        reply_to=count(remark, "in_reply_to_id") or 0,
    )


def to_comment(comment: Mapping[str, Any]) -> Comment:
    return Comment(
        id=id_of(comment, "id"),
        author=text(comment, "user", "login"),
        author_is_bot=is_bot(json_object(comment, "user")),
        association=text(comment, "author_association").lower(),
        body=text(comment, "body"),
        created_at=text(comment, "created_at"),
        updated_at=text(comment, "updated_at"),
        html_url=text(comment, "html_url"),
        app_id=count(comment, "performed_via_github_app", "id") or None,
        against=sum(count(comment, "reactions", content) or 0 for content in ("-1", "confused")),
    )


def to_review_comment(review: Mapping[str, Any]) -> Comment:
    """What a review says as a whole."""
    submitted = text(review, "submitted_at")
    times = {"created_at": submitted, "updated_at": text(review, "updated_at") or submitted}
    return replace(to_comment({**review, **times}), place=CommentPlace.REVIEW, commit=text(review, "commit_id"))


def to_remark_comment(remark: Mapping[str, Any]) -> Comment:
    """What stands beside a line."""
    return replace(to_comment(remark), place=CommentPlace.REMARK, commit=text(remark, "original_commit_id"))


_ROLES = ("admin", "maintain", "write", "triage", "read", "none")
_GRANTS = (("admin", "admin"), ("maintain", "maintain"), ("push", "write"), ("triage", "triage"), ("pull", "read"))

MOST_FILES_COMPARED = 300  # GitHub lists no more of one comparison


def to_installation(shape: Mapping[str, Any]) -> Installation:
    account = shape["account"] or {}
    permissions = tuple(sorted(shape["permissions"].items()))
    login = account.get("login") or account.get("slug") or ""  # an enterprise has only a slug
    return Installation(shape["id"], login, shape["suspended_at"] is not None, permissions, tuple(shape["events"]))


def to_delivery(shape: Mapping[str, Any]) -> HookDelivery:
    return HookDelivery(
        id=shape["id"],
        guid=shape["guid"],
        event=shape["event"],
        action=shape["action"] or "",
        delivered_at=shape["delivered_at"],
        redelivery=shape["redelivery"],
        status_code=shape["status_code"],
        installation_id=shape["installation_id"],
    )


def to_file(shape: Mapping[str, Any], etag: str) -> File:
    return File(shape["path"], shape["sha"], base64.b64decode(shape["content"]), etag)


def to_check_run(shape: Mapping[str, Any]) -> CheckRun:
    return CheckRun(
        id=shape["id"],
        html_url=shape["html_url"],
        status=shape["status"],
        conclusion=shape["conclusion"],
        external_id=shape["external_id"] or "",
        annotations=shape["output"]["annotations_count"],
        text=text(shape, "output", "text"),
    )


def to_pull_file(shape: Mapping[str, Any]) -> PullFile:
    return PullFile(
        path=shape["filename"],
        status=shape["status"],
        additions=shape["additions"],
        deletions=shape["deletions"],
        patch=shape.get("patch", ""),
    )


def to_comparison(shape: Mapping[str, Any]) -> Comparison:
    files = tuple(to_pull_file(item) for item in shape.get("files", ()))
    base = shape["merge_base_commit"]["sha"]
    return Comparison(shape["status"], base, files, complete=len(files) < MOST_FILES_COMPARED)


def to_pull_commit(shape: Mapping[str, Any]) -> PullCommit:
    said = shape["commit"]
    author = said["author"] or {}  # a commit may name nobody
    return PullCommit(shape["sha"], author.get("name") or "", author.get("email") or "", said["message"])


def to_role(shape: Mapping[str, Any]) -> str:
    """`admin`, `maintain`, `write`, `triage`, `read` or `none`.

    `permission` knows no triage and no maintain, and `role_name` may be an organization's own word; the single grants
    tell in every case.
    """
    grants = (shape.get("user") or {}).get("permissions")
    if grants:
        return next((role for grant, role in _GRANTS if grants.get(grant)), "none")
    role = shape.get("role_name")
    return role if role in _ROLES else str(shape["permission"])
