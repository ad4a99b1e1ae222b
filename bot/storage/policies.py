"""Policy files as last fetched, so that most judgements cost no request for them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from bot.storage.store import NamedStore
from bot.storage.tables import policies

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


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


class Policies(NamedStore[CachedPolicy], table=policies, kind=CachedPolicy):
    """One file a repository."""

    def expire(self, repository: str) -> None:
        """The file may have changed: fetch it next time."""
        self._change(policies.c.repository == repository.lower(), etag="", fetched_at=LONG_AGO)
