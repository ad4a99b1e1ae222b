"""GitHub's REST answers as values. Issues and comments are read exactly as from a webhook, so both always compare."""

import base64
from collections.abc import Mapping
from typing import Any

from bot.github.deliveries import HookDelivery
from bot.github.payloads import to_comment, to_issue, to_pull, to_remark
from bot.github.values import CheckRun, Comparison, File, Installation, PullCommit, PullFile, Repository

__all__ = [
    "Shape",
    "to_check_run",
    "to_comment",
    "to_comparison",
    "to_delivery",
    "to_file",
    "to_installation",
    "to_issue",
    "to_pull",
    "to_pull_commit",
    "to_pull_file",
    "to_remark",
    "to_repository",
    "to_role",
]

_ROLES = ("admin", "maintain", "write", "triage", "read", "none")
_GRANTS = (("admin", "admin"), ("maintain", "maintain"), ("push", "write"), ("triage", "triage"), ("pull", "read"))

MOST_FILES_COMPARED = 300  # GitHub lists no more of one comparison

Shape = Mapping[str, Any]


def to_repository(shape: Shape) -> Repository:
    return Repository(shape["id"], shape["full_name"], shape["default_branch"], shape["private"] is not False)


def to_installation(shape: Shape) -> Installation:
    account = shape["account"] or {}
    permissions = tuple(sorted(shape["permissions"].items()))
    login = account.get("login") or account.get("slug") or ""  # an enterprise has only a slug
    return Installation(shape["id"], login, shape["suspended_at"] is not None, permissions, tuple(shape["events"]))


def to_delivery(shape: Shape) -> HookDelivery:
    return HookDelivery(
        id=shape["id"],
        guid=shape["guid"],
        event=shape["event"],
        action=shape["action"] or "",
        delivered_at=shape["delivered_at"],
        redelivery=shape["redelivery"],
        status_code=shape["status_code"],
        installation_id=shape["installation_id"],
        repository_id=shape["repository_id"],
    )


def to_file(shape: Shape, etag: str) -> File:
    return File(shape["path"], shape["sha"], base64.b64decode(shape["content"]), etag)


def to_check_run(shape: Shape) -> CheckRun:
    return CheckRun(
        id=shape["id"],
        html_url=shape["html_url"],
        status=shape["status"],
        conclusion=shape["conclusion"],
        external_id=shape["external_id"] or "",
        annotations=shape["output"]["annotations_count"],
    )


def to_pull_file(shape: Shape) -> PullFile:
    return PullFile(
        path=shape["filename"],
        status=shape["status"],
        additions=shape["additions"],
        deletions=shape["deletions"],
        patch=shape.get("patch", ""),
    )


def to_comparison(shape: Shape) -> Comparison:
    files = tuple(to_pull_file(item) for item in shape.get("files", ()))
    base = shape["merge_base_commit"]["sha"]
    return Comparison(shape["status"], base, files, complete=len(files) < MOST_FILES_COMPARED)


def to_pull_commit(shape: Shape) -> PullCommit:
    said = shape["commit"]
    author = said["author"] or {}  # a commit may name nobody
    return PullCommit(shape["sha"], author.get("name") or "", author.get("email") or "", said["message"])


def to_role(shape: Shape) -> str:
    """`admin`, `maintain`, `write`, `triage`, `read` or `none`.

    `permission` knows no triage and no maintain, and `role_name` may be an organization's own word; the single grants
    tell in every case.
    """
    grants = (shape.get("user") or {}).get("permissions")
    if grants:
        return next((role for grant, role in _GRANTS if grants.get(grant)), "none")
    role = shape.get("role_name")
    return role if role in _ROLES else str(shape["permission"])
