"""GitHub's REST answers as values. Issues and comments are read exactly as from a webhook, so both always compare."""

import base64
from collections.abc import Mapping
from typing import Any

from bot.github.events import to_comment, to_issue, to_pull, to_remark
from bot.github.values import CheckRun, File, HookDelivery, Installation, Repository

__all__ = [
    "Shape",
    "to_check_run",
    "to_comment",
    "to_delivery",
    "to_file",
    "to_installation",
    "to_issue",
    "to_pull",
    "to_remark",
    "to_repository",
    "to_role",
]

_ROLES = ("admin", "maintain", "write", "triage", "read", "none")
_GRANTS = (("admin", "admin"), ("maintain", "maintain"), ("push", "write"), ("triage", "triage"), ("pull", "read"))

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
    return CheckRun(shape["id"], shape["html_url"], shape["status"], shape["conclusion"])


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
