"""Single fields of GitHub's JSON, picked tolerantly: what is missing or odd is empty, and only what nothing can do
without is asked for with `needed`, `id_of` or `sha`, which raise `Unusable`."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

_NOBODY: Mapping[str, Any] = {}
SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")  # SHA-1 or SHA-256
FULL_NAME = re.compile(r"[A-Za-z0-9][\w-]*/(?!\.{1,2}\Z)[\w.-]+", re.ASCII)  # it becomes part of addresses


class PayloadError(Exception):
    """The payload lacks what its event cannot do without; the message is the field's place."""


def is_bot(user: Mapping[str, Any]) -> bool:
    return text(user, "type") == "Bot" or text(user, "login").endswith("[bot]")


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def json_object(value: Any, *path: str) -> Mapping[str, Any]:
    found = _at(value, path)
    return found if isinstance(found, Mapping) else _NOBODY


def json_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def text(value: Any, *path: str) -> str:
    """The text there, empty when there is none. What PostgreSQL cannot store, NUL and lone surrogates, is U+FFFD."""
    found = _at(value, path)
    if not isinstance(found, str):
        return ""
    found = found.replace("\0", "\ufffd")
    return found if found.isascii() else found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def moment(value: Any) -> datetime | None:
    """A time as GitHub writes it; `None` for anything else."""
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo else None


def require_text(value: Any, *path: str) -> str:
    found = text(value, *path)
    if not found:
        raise PayloadError(".".join(path))
    return found


def count(value: Any, *path: str) -> int:
    found = _at(value, path)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**63 else 0


def id_of(value: Any, *path: str) -> int:
    found = count(value, *path)
    if found == 0:
        raise PayloadError(".".join(path))
    return found


def sha(value: Any, *path: str) -> str:
    found = text(value, *path)
    if not SHA.fullmatch(found):
        raise PayloadError(".".join(path))
    return found
