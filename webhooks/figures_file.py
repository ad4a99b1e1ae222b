"""A repository's figures as they were counted, and a file of them, so that the first look after a start need not wait.

What is in a file is counts, rules and numbers; no text and no name of a person.
"""

import hashlib
import logging
import math
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from bot.live.figures import Figures, Period
from bot.live.precision import PrecisionRow, Subject
from bot.storage.database import Database
from bot.verdicts import Decision, Usage

Door = Subject | None
Key = tuple[int, int]  # the repository, and over how many days
UNFINISHED = 3_600  # seconds after which nobody writes a temporary one any more: a process was killed

log = logging.getLogger("bouncer.figures")


@dataclass(frozen=True, slots=True)
class FiguresSnapshot:
    """figures: without the bounces themselves, of which there may be very many. standing: of each door, and of all
    under `None`, of how many bounces people told whether they were right, and how many there were. periods: likewise.
    at: when it was counted. took: how long, in seconds. state: changes whenever a figure could."""

    figures: Figures
    standing: Mapping[Door, tuple[int, int]]
    periods: Mapping[Door, list[Period]]
    at: datetime
    took: float
    state: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Stored:
    """The same as JSON has it, whose keys are texts."""

    verdicts: int
    rows: tuple[PrecisionRow, ...]
    newest: tuple[tuple[Subject, str, Decision, datetime], ...]
    undecided: tuple[tuple[Subject, str, int], ...]
    spent: dict[str, Usage]
    standing: tuple[tuple[Door, int, int], ...]
    periods: tuple[tuple[Door, list[Period]], ...]
    at: datetime
    took: float
    state: tuple[str, ...]


_stored = TypeAdapter(_Stored)


def dump(counted: FiguresSnapshot) -> bytes:
    figures = counted.figures
    return _stored.dump_json(
        _Stored(
            verdicts=figures.verdicts,
            rows=figures.rows,
            newest=tuple((*key, at) for key, at in figures.newest.items()),
            undecided=tuple((*key, many) for key, many in figures.undecided.items()),
            spent=dict(figures.spent),
            standing=tuple((door, *both) for door, both in counted.standing.items()),
            periods=tuple(counted.periods.items()),
            at=counted.at,
            took=counted.took,
            state=counted.state,
        )
    )


def load(text: bytes) -> FiguresSnapshot:
    """Raises `ValueError` for what another version wrote, which may know other doors."""
    found = _stored.validate_json(text)
    doors = {None, *Subject}
    known = all({each[0] for each in of_doors} == doors for of_doors in (found.standing, found.periods))
    if not known or not {row.subject for row in found.rows} <= set(Subject):
        raise ValueError("other doors than this version has")
    figures = Figures(
        verdicts=found.verdicts,
        bounces=(),
        rows=found.rows,
        newest={(subject, rule, decision): at for subject, rule, decision, at in found.newest},
        undecided={(subject, rule): many for subject, rule, many in found.undecided},
        spent=found.spent,
    )
    standing = {door: (told, many) for door, told, many in found.standing}
    return FiguresSnapshot(figures, standing, dict(found.periods), found.at, found.took, found.state)


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
                    file.write(dump(counted))
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
