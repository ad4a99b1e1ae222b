"""GitHub's objects as values: the same from a webhook as from REST, so that both always compare. What only REST gives
comes last."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from bot.github.deliveries import HookDelivery
from bot.github.fields import FULL_NAME, PayloadError, count, id_of, is_bot, json_list, json_object, sha, text
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
    Remark,
    Repository,
    Review,
)

T = TypeVar("T")


def to_repository(repository: Mapping[str, Any]) -> Repository:
    name = text(repository, "full_name")
    if not FULL_NAME.fullmatch(name):
        raise PayloadError("repository.full_name")
    branch = text(repository, "default_branch") or "main"
    return Repository(id_of(repository, "id"), name, branch, repository.get("private") is not False)


def _labels(subject: Mapping[str, Any]) -> tuple[str, ...]:
    labels = json_list(subject.get("labels"))
    names = (text(label, "name") if isinstance(label, Mapping) else "" for label in labels)
    return tuple(name for name in names if name)


# How a field is read: where GitHub has it under its own name, by its type alone.
_BY_TYPE: Mapping[Any, Callable[[Mapping[str, Any], str], Any]] = {
    str: text,
    int: count,
    bool: lambda shape, name: shape.get(name) is True,
}
_BY_NAME: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "id": lambda shape: id_of(shape, "id"),
    "number": lambda shape: id_of(shape, "number"),
    "author": lambda shape: text(shape, "user", "login"),
    "author_is_bot": lambda shape: is_bot(json_object(shape, "user")),
    "association": lambda shape: text(shape, "author_association").lower(),
    "state": lambda shape: text(shape, "state").lower() or "open",
    "labels": _labels,
    "app_id": lambda shape: count(shape, "performed_via_github_app", "id") or None,
}


def _value(kind: type[T], shape: Mapping[str, Any], **given: Any) -> T:
    """The shape as such a value. given: the fields that only it has, or that stand elsewhere."""
    for field in fields(cast(Any, kind)):
        if field.name in given:
            continue
        if field.name in _BY_NAME:
            given[field.name] = _BY_NAME[field.name](shape)
        elif field.type in _BY_TYPE:
            given[field.name] = _BY_TYPE[field.type](shape, field.name)
    return kind(**given)


def to_issue(issue: Mapping[str, Any]) -> Issue:
    names = {"type": text(issue, "type", "name"), "closed_by": text(issue, "closed_by", "login")}
    return _value(Issue, issue, is_pull_request=isinstance(issue.get("pull_request"), Mapping), **names)


def to_pull(pull: Mapping[str, Any]) -> Pull:
    return _value(
        Pull,
        pull,
        head=sha(pull, "head", "sha"),
        head_repository=text(pull, "head", "repo", "full_name"),
        head_branch=text(pull, "head", "ref"),
        base=sha(pull, "base", "sha"),
        base_branch=text(pull, "base", "ref"),
        merged=pull.get("merged") is True or bool(text(pull, "merged_at")),
    )


def to_review(review: Mapping[str, Any]) -> Review:
    return _value(Review, review, state=text(review, "state").lower(), commit=sha(review, "commit_id"))


def to_remark(remark: Mapping[str, Any]) -> Remark:
    """`line` is empty once the lines changed; `original_line` at `original_commit_id` always holds."""
    line = id_of(remark, "original_line")
    return _value(
        Remark,
        remark,
        start_line=count(remark, "original_start_line") or line,
        line=line,
        commit=sha(remark, "original_commit_id"),
        review=count(remark, "pull_request_review_id"),
        reply_to=count(remark, "in_reply_to_id"),
    )


def to_comment(comment: Mapping[str, Any]) -> Comment:
    return _value(Comment, comment, against=sum(count(comment, "reactions", face) for face in ("-1", "confused")))


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
    return Installation(shape["id"], login, shape["suspended_at"] is not None, permissions)


def to_delivery(shape: Mapping[str, Any]) -> HookDelivery:
    return _value(HookDelivery, shape, installation_id=count(shape, "installation_id") or None)


def to_file(shape: Mapping[str, Any], etag: str) -> File:
    return File(shape["path"], shape["sha"], base64.b64decode(shape["content"]), etag)


def to_check_run(shape: Mapping[str, Any]) -> CheckRun:
    output = json_object(shape, "output")
    said = {"annotations": count(output, "annotations_count"), "text": text(output, "text")}
    return _value(CheckRun, shape, conclusion=text(shape, "conclusion") or None, **said)


def to_comparison(shape: Mapping[str, Any]) -> Comparison:
    files, base = len(shape.get("files", ())), shape["merge_base_commit"]["sha"]
    return Comparison(shape["status"], base, files, complete=files < MOST_FILES_COMPARED)


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
