"""Policies and issue templates as last fetched, so that most judgements cost no request for them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.storage.store import Record, Store
from bot.storage.tables import table

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
Files = dict[str, tuple[str, str]]  # by name: the blob's sha and the text


class NamedStore(Store[Record]):
    """By `owner/name`, which is compared as GitHub does, without regard to case."""

    def get(self, *key: int | str) -> Record | None:
        """The one of this repository; `None` when it was never fetched, or forgotten."""
        return super().get(*(str(name).lower() for name in key))

    def forget(self, repository: str) -> None:
        """As if it had never been fetched."""
        self._drop(self.table.c.repository == repository.lower())

    def _columns(self, record: Record) -> dict[str, Any]:
        columns = super()._columns(record)
        return columns | {"repository": columns["repository"].lower()}


@dataclass(frozen=True, slots=True)
class CachedPolicy:
    """repository: `owner/name`, or `owner/.github` for the owner's default. text: `None` means there is no such file.

    etag: for the next conditional request; empty when GitHub gave none. valid: the newest text that was a valid policy;
    `None` when there was none, or when the file was taken away since.
    """

    repository: str
    text: str | None
    etag: str
    fetched_at: datetime
    valid: str | None = None


policies = table("policies", CachedPolicy, primary="repository")


class Policies(NamedStore[CachedPolicy], table=policies):
    """One file a repository."""

    def expire(self, repository: str) -> None:
        """The file may have changed: fetch it next time."""
        self._change(policies.c.repository == repository.lower(), etag="", fetched_at=LONG_AGO)


@dataclass(frozen=True, slots=True)
class CachedTemplates:
    """repository: `owner/name`. etag: of the directory that lists them."""

    repository: str
    etag: str
    files: Files
    fetched_at: datetime


templates = table("templates", CachedTemplates, primary="repository")


class TemplateFiles(NamedStore[CachedTemplates], table=templates):
    """Those of one repository a row."""
