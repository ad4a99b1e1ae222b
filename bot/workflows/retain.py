"""What is removed because it was kept as long as the settings say. Harmless when several workers do it at once."""

from datetime import datetime, timedelta

from bot.github.mirror import Mirrors
from bot.history import index
from bot.settings import Settings
from bot.storage.database import Database
from bot.storage.directories import DirectoryCache
from bot.storage.retention import Retention

_DAY = 86_400.0  # seconds
_DIRECTORIES = ("environments", "ways", "runs")  # those of `BOUNCER_CACHE_DIR` that are DirectoryCaches


class Retain:
    """Pages and records in the database; caches on this machine."""

    def __init__(self, settings: Settings, database: Database, mirrors: Mirrors) -> None:
        self._settings, self._retention, self._mirrors = settings, Retention(database), mirrors

    def tick(self, now: datetime) -> int:
        """Remove what is due. Returns how many rows, copies and directories."""
        pages, records = self._settings.pages_days, self._settings.keep_records_days
        removed = self._retention.remove_pages(now - timedelta(days=pages)) if pages else 0
        removed += self._retention.remove_records(now - timedelta(days=records)) if records else 0
        return removed + (self._empty_caches() if self._settings.keep_caches_days else 0)

    def _empty_caches(self) -> int:
        """By this machine's clock, as files are."""
        seconds, root = self._settings.keep_caches_days * _DAY, self._settings.cache_dir
        removed = self._mirrors.forget_unused(seconds) + index.forget_unused(root / "history", seconds)
        return removed + sum(DirectoryCache(root / name, 0).forget_unused(seconds) for name in _DIRECTORIES)
