"""A repository's figures, kept until anything they are made of changes.

Counting a hundred thousand verdicts takes about a second. So whoever looks is shown what was counted last, with its
time, while they are counted anew; few verdicts are counted at once, and are always those of this moment.
"""

import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock, Thread
from time import monotonic
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from bot.live_figures import Figures, Period, figures_of, periods_of
from bot.live_precision import Subject
from bot.live_verdicts import read_verdicts
from bot.storage.dashboards import Dashboards, JudgeSpend
from bot.storage.database import Database

SECONDS_AT_ONCE = 0.04  # what took longer is counted beside
MOST_KEPT = 200

log = logging.getLogger("bouncer.figures")


@dataclass(frozen=True, slots=True)
class CountedFigures:
    """periods: of each door, and of all under `None`. at: when it was counted. took: how long, in seconds."""

    figures: Figures
    periods: Mapping[Subject | None, list[Period]]
    spent: tuple[JudgeSpend, ...]
    at: datetime
    took: float
    state: tuple[Any, ...]


class KeptFigures:
    """Thread-safe; one process's."""

    def __init__(self, database: Database) -> None:
        self._database, self._lists = database, Dashboards(database)
        self._kept: OrderedDict[tuple[int, datetime], CountedFigures] = OrderedDict()
        self._under_way: dict[tuple[int, datetime], Thread] = {}
        self._lock = Lock()

    def of(self, repo_id: int, since: datetime, now: datetime) -> CountedFigures:
        """Of this moment where that is quick or nothing is new, else of the moment that they say."""
        key = (repo_id, since)
        with self._lock:
            kept = self._kept.get(key)
        if kept is None:
            return self._count(key, now)
        if self._lists.state(*key) == kept.state:
            return kept
        if kept.took < SECONDS_AT_ONCE:
            return self._count(key, now)
        with self._lock:
            if key not in self._under_way:
                self._under_way[key] = Thread(target=self._beside, args=(key, now), name="figures", daemon=True)
                self._under_way[key].start()
        return kept

    def wait(self) -> None:
        """Return when nothing is counted beside any more."""
        with self._lock:
            threads = list(self._under_way.values())
        for thread in threads:
            thread.join()

    def _beside(self, key: tuple[int, datetime], now: datetime) -> None:
        try:
            self._count(key, now)
        except SQLAlchemyError as error:
            log.warning("not counted: %s", type(error).__name__)
        finally:
            with self._lock:
                self._under_way.pop(key, None)

    def _count(self, key: tuple[int, datetime], now: datetime) -> CountedFigures:
        began, state = monotonic(), self._lists.state(*key)  # what comes meanwhile is counted next time
        repo_id, since = key
        decided, acts = read_verdicts(self._database, since, repo_id)
        figures = figures_of(decided, acts)
        doors: tuple[Subject | None, ...] = (None, *Subject)
        periods = {
            door: periods_of(
                [one for one in decided if door in (None, one.subject)],
                [each for each in figures.bounces if door in (None, each.first.subject)],
                since,
                now,
            )
            for door in doors
        }
        spent = self._lists.spent(repo_id, since)
        counted = CountedFigures(figures, periods, spent, now, monotonic() - began, state)
        with self._lock:
            self._kept[key] = counted
            self._kept.move_to_end(key)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return counted
