"""A repository's figures, kept until anything they are made of changes.

Counting a hundred thousand verdicts takes about a second. So whoever looks is shown what was counted last, with its
time, while they are counted anew; where nothing was counted yet, no figures are shown at first. Few verdicts are
counted at once, and are always those of this moment. What took long to count is kept in a file as well, for the first
look after a start or on a new day: counts, rules and numbers; no text and no name of a person.
"""

import hashlib
import logging
import math
import tempfile
import time
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, Thread

from pydantic import TypeAdapter

from bot.live.figures import Figures, Pairs, Period, figures_of, periods_of, starts
from bot.live.precision import Bounce, Subject, Word
from bot.live.verdicts import read_disputable, read_tallies
from bot.storage.dashboards import Dashboards
from bot.storage.database import Database

Door = Subject | None
Key = tuple[int, int]  # the repository, and over how many days
UNFINISHED = 3_600  # seconds after which nobody writes a temporary one any more: a process was killed
SECONDS_AT_ONCE = 0.04  # what took longer is counted beside
MOST_AT_ONCE = 4_000  # likewise of verdicts that were never counted
MOST_BESIDE = 2  # counts at a time: more would keep deliveries from the processor, as too many pages would
MOST_KEPT = 200

log = logging.getLogger("bouncer.figures")


@dataclass(frozen=True, slots=True)
class FiguresSnapshot:
    """figures: without the bounces themselves, of which there may be very many. standing: of each door, and of all
    under `None`, of how many bounces people told whether they were right, and how many there were. periods: likewise.
    at: when it was counted. took: how long, in seconds. state: changes whenever a figure could."""

    figures: Figures
    standing: Pairs[Door, tuple[int, int]]
    periods: Pairs[Door, list[Period]]
    at: datetime
    took: float
    state: tuple[str, ...]


_stored = TypeAdapter(FiguresSnapshot)


def load(text: bytes) -> FiguresSnapshot:
    """Raises `ValueError` for what another version wrote, which may know other doors."""
    found = _stored.validate_json(text)
    known = all(set(of_doors) == {None, *Subject} for of_doors in (found.standing, found.periods))
    if not known or not {row.subject for row in found.figures.rows} <= set(Subject):
        raise ValueError("other doors than this version has")
    return found


class FiguresFiles:
    """One file a key, for each database apart. What cannot be read or written is as if it had never been counted."""

    def __init__(self, directory: Path, database: Database, days: int) -> None:
        """days: so long a file is kept that nobody writes anew; 0: for ever."""
        address = database.main.url.render_as_string(hide_password=True)
        self._seconds = days * 86_400 or math.inf
        self._directory = directory / hashlib.sha256(address.encode()).hexdigest()[:16]
        self._forget()

    def get(self, key: Key) -> FiguresSnapshot | None:
        try:
            return load(self._path(key).read_bytes())
        except (OSError, ValueError):
            return None

    def put(self, key: Key, counted: FiguresSnapshot) -> None:
        """Whole or not at all."""
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._directory, delete=False) as file:
                try:
                    file.write(_stored.dump_json(counted))
                    file.close()
                    Path(file.name).replace(self._path(key))
                except BaseException:  # also what ends this process: nobody else knows of the file
                    Path(file.name).unlink(missing_ok=True)
                    raise
        except OSError as error:
            log.info("the figures are not kept for the next start: %s", error.strerror)
        self._forget()

    def _forget(self) -> None:
        with suppress(OSError):  # it may be closed to this process: another user's
            for path in list(self._directory.iterdir()):
                self._forget_old(path)

    def _forget_old(self, path: Path) -> None:
        with suppress(OSError):
            kept = self._seconds if path.suffix else UNFINISHED
            if path.stat().st_mtime < time.time() - kept:
                path.unlink()

    def _path(self, key: Key) -> Path:
        return self._directory / "{}-{}.json".format(*key)


class FiguresCache:
    """Thread-safe; one process's. Nobody counts what somebody else is counting."""

    def __init__(self, database: Database, directory: Path, days: int = 30) -> None:
        """directory: for the files; only the figures are in it. days: so long they are kept; 0: for ever."""
        self._database, self._lists = database, Dashboards(database)
        self._files = FiguresFiles(directory, database, days)
        self._kept: OrderedDict[Key, FiguresSnapshot] = OrderedDict()
        self._turns: defaultdict[Key, Lock] = defaultdict(Lock)
        self._under_way: dict[Key, Thread] = {}
        self._failed: set[Key] = set()
        self._lock = Lock()

    def of(self, repo_id: int, since: datetime, now: datetime) -> FiguresSnapshot | None:
        """Of this moment where that is quick or nothing is new, else of the moment that they say. `None` while many are
        counted for the first time. Raises what the database raises, also where it failed beside."""
        key = (repo_id, (now.date() - since.date()).days)
        with self._lock:
            kept = self._kept.get(key)
        if kept is None and (kept := self._files.get(key)) is not None:
            self._keep(key, kept)
        many = kept is None and self._lists.verdicts([repo_id], since).get(repo_id, 0) > MOST_AT_ONCE
        if many and key not in self._failed:
            self._begin(key, since, now)
            return None
        if kept is None or kept.took < SECONDS_AT_ONCE:
            return self._now(key, since, now)
        if self._state(repo_id, since) != kept.state:
            self._begin(key, since, now)
        return kept

    def wait(self) -> None:
        """Return when nothing is counted beside any more."""
        with self._lock:
            threads = list(self._under_way.values())
        for thread in threads:
            thread.join()

    def _state(self, repo_id: int, since: datetime) -> tuple[str, ...]:
        return (since.isoformat(), *map(str, self._lists.state(repo_id, since)))

    def _begin(self, key: Key, since: datetime, now: datetime) -> None:
        """Where too many are counted, whoever asks again begins it."""
        with self._lock:
            if key not in self._under_way and len(self._under_way) < MOST_BESIDE:
                self._under_way[key] = Thread(target=self._beside, args=(key, since, now), name="figures", daemon=True)
                self._under_way[key].start()

    def _beside(self, key: Key, since: datetime, now: datetime) -> None:
        try:
            self._now(key, since, now)
        except Exception as error:  # noqa: BLE001 - whoever looks next is told, and nobody waits for ever
            log.warning("not counted: %s", type(error).__name__)
            self._failed.add(key)
        finally:
            with self._lock:
                self._under_way.pop(key, None)

    def _now(self, key: Key, since: datetime, now: datetime) -> FiguresSnapshot:
        with self._lock:
            turn = self._turns[key]
        with turn:
            state = self._state(key[0], since)  # what comes meanwhile is counted next time
            kept = self._kept.get(key)
            if kept is not None and kept.state == state:
                return kept
            counted = self._count(key[0], since, now, state)
            self._failed.discard(key)
            self._keep(key, counted)
            if counted.took >= SECONDS_AT_ONCE:
                self._files.put(key, counted)
            return counted

    def _keep(self, key: Key, counted: FiguresSnapshot) -> None:
        with self._lock:
            self._kept[key] = counted
            self._kept.move_to_end(key)
            if len(self._kept) > MOST_KEPT:
                self._turns.pop(self._kept.popitem(last=False)[0], None)

    def _count(self, repo_id: int, since: datetime, now: datetime, state: tuple[str, ...]) -> FiguresSnapshot:
        began = time.monotonic()
        later = (datetime.combine(each, datetime.min.time(), UTC) for each in starts(since, now)[1:])
        tallies = read_tallies(self._database, repo_id, (since, *later))
        figures = figures_of(tallies, *read_disputable(self._database, since, repo_id))
        doors: tuple[Door, ...] = (None, *Subject)
        bounces = {door: [each for each in figures.bounces if door in (None, each.first.subject)] for door in doors}
        return FiguresSnapshot(
            figures=replace(figures, bounces=()),
            standing={door: _standing(each) for door, each in bounces.items()},
            periods={
                door: periods_of([one for one in tallies if door in (None, one.subject)], bounces[door], since, now)
                for door in doors
            },
            at=now,
            took=time.monotonic() - began,
            state=state,
        )


def _standing(bounces: Sequence[Bounce]) -> tuple[int, int]:
    return sum(each.word is not Word.NONE for each in bounces), len(bounces)
