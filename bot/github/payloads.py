"""GitHub's objects as values: the same from a webhook as from REST, so that both always compare."""

import re
from collections.abc import Mapping
from typing import Any

from bot.github.fields import PayloadError, count, id_of, is_bot, json_list, json_object, sha, text
from bot.github.values import Comment, Issue, Pull, Remark, Repository, Review

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
