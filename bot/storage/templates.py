"""Issue templates as last fetched, so that a look asks GitHub for them once an hour at most."""

from dataclasses import dataclass
from datetime import datetime

from bot.storage.store import NamedStore, as_json
from bot.storage.tables import templates

Files = dict[str, tuple[str, str]]  # by name: the blob's sha and the text


@dataclass(frozen=True, slots=True)
class CachedTemplates:
    """repository: `owner/name`. etag: of the directory that lists them."""

    repository: str
    etag: str
    files: Files
    fetched_at: datetime


class TemplateFiles(NamedStore[CachedTemplates], table=templates, kind=CachedTemplates, files=as_json(Files)):
    """Those of one repository a row."""
