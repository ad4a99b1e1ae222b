"""The index of one repository's history: an SQLite file with its commits, its changes and their text, kept up to date.

A change (unit) is a merged pull request with the commits it brought, or any other commit. Its text lies in an FTS5
table whose rows are never rewritten: a change that is dropped leaves a row behind that belongs to none.
"""

import math
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.github import git
from bot.history.database import ERRORS, SCHEMA, TABLES, connect, damaged, meta, note
from bot.history.log import Mask
from bot.history.refs import Refs
from bot.history.writer import Writer
from bot.storage.directories import KEEP, lock, lock_if_free

_STALE = 0.2  # of the rows may belong to no change; then the index is made anew


@dataclass(frozen=True, slots=True)
class Index:
    """An index that is up to date. problem: why it does not hold the whole history, or empty."""

    path: Path
    problem: str = ""

    def reading(self) -> closing[sqlite3.Connection]:
        """A connection to read with. Raises `sqlite3.Error`."""
        return closing(connect(self.path))


def indexed(
    cache: Path,
    key: str,
    directory: Path,
    head: str,
    named: Refs | None = None,
    *,
    mask: Mask = str,
    most_bytes: int = 10_000_000_000,
    seconds: float = math.inf,
) -> Index:
    """The index of all that is reachable from `head` (a full SHA) and from `named`, made or brought up to date.

    directory: the git directory that holds the objects. key: names the repository among all in `cache`: no path. One
    process at a time writes, the others wait; one that is killed leaves the last whole index behind. Where the history
    was rewritten or the file is damaged it is made anew. All in `cache` together take at most about `most_bytes`; what
    was used within the last hour stays in any case. seconds: for making it or bringing it up to date; longer raises
    `Unavailable`, and what there was stays. Raises a `GitHubError`; `OSError` when the disk is full, or `cache`
    cannot be written.
    """
    path, until = cache / f"{key}.{SCHEMA}.db", time.monotonic() + seconds
    named = named or Refs()
    tips = sorted({head, *named.branches.values(), *named.tags.values()})
    with lock(path.with_suffix(".lock")):
        problem = _shortened(directory)
        try:
            if problem or not path.is_file() or not _update(path, directory, tips, mask, until):
                _build(path, directory, tips, mask, until)
        except ERRORS as error:
            if not damaged(error):
                raise OSError(f"the index of the history cannot be used: {error}") from error
            _build(path, directory, tips, mask, until)
        with closing(connect(path)) as database, database:
            known = meta(database)
            if known["tags"] != named.tags:
                note(database, tags=named.tags)
        if unread := known["unread"]:
            problem = problem or f"git cannot show {unread} of the commits: objects are missing."
        os.utime(path)
    _prune(cache, most_bytes)
    return Index(path, problem)


def _prune(cache: Path, most_bytes: int) -> None:
    """Drop the indexes that were not used for longest until the rest fits."""
    used = {}
    for path in cache.glob("*.db"):
        with suppress(OSError):  # gone meanwhile
            used[path] = path.stat()
    total = sum(status.st_size for status in used.values())
    for path in sorted(used, key=lambda path: used[path].st_mtime):
        if total <= most_bytes or time.time() - used[path].st_mtime < KEEP:
            return
        path.unlink(missing_ok=True)
        total -= used[path].st_size


def forget_unused(cache: Path, seconds: float) -> int:
    """Drop the indexes that were not used for so long, at least for an hour, and nobody writes. Returns how many."""
    dropped = 0
    for path in cache.glob("*.db"):
        with lock_if_free(path.with_suffix(".lock")) as free, suppress(OSError):  # gone meanwhile
            if free and time.time() - path.stat().st_mtime > max(seconds, KEEP):
                path.unlink()
                dropped += 1
    return dropped


def _shortened(directory: Path) -> str:
    """Why the history that git shows is not the whole one, or another; empty where it is."""
    told = git.run(directory, "rev-parse", "--is-shallow-repository", "--git-path", "info/grafts")
    shallow, grafts = told.split(b"\n")[:2]
    if shallow == b"true":
        return "The clone is shallow: it contains only the end of the history."
    if (directory / os.fsdecode(grafts)).is_file():
        return "The clone is grafted: its history may not be the one that was written."
    return ""


def _build(path: Path, directory: Path, tips: Sequence[str], mask: Mask, until: float) -> None:
    """Beside the old one, which gives way in one rename."""
    building = path.with_suffix(".building")
    building.unlink(missing_ok=True)
    try:
        with closing(connect(building)) as database:
            database.execute("pragma journal_mode = off")
            database.execute("pragma synchronous = off")
            database.executescript(TABLES)
            database.execute("insert into text (text, rank) values ('hashsize', 67108864)")
            with database:
                writer = Writer(database, directory, mask, until)
                writer.add(tips, ())
                note(database, tips=tips, tags={}, unread=writer.unread, shallow=bool(_shortened(directory)))
                database.execute("insert into text (text) values ('optimize')")
        with building.open("rb") as file:
            os.fsync(file.fileno())
    except BaseException:
        building.unlink(missing_ok=True)  # a full disk has better use for it
        raise
    path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
    building.replace(path)


def _update(path: Path, directory: Path, tips: Sequence[str], mask: Mask, until: float) -> bool:
    """Add what is new and drop what is gone, all or nothing. False: better made anew."""
    with closing(connect(path)) as database, database:
        known = meta(database)
        if known["shallow"]:
            return False
        if tips == known["tips"]:
            return True
        database.execute("begin immediate")
        writer = Writer(database, directory, mask, until)
        writer.add(tips, _present(directory, known["tips"]))
        writer.keep(tips)
        note(database, tips=tips, unread=known["unread"] + writer.unread)
        kept, rows = database.execute("select count(*), coalesce(max(id), 0) from units").fetchone()
        (orphans,) = database.execute(  # the merge that they belonged to is gone, and they are not
            "select count(*) from commits where unit is not null and unit not in (select id from units)"
        ).fetchone()
        return bool(kept >= rows * (1 - _STALE) and not orphans)


def _present(directory: Path, shas: Sequence[str]) -> list[str]:
    """Those that are still there."""
    asked = "".join(f"{sha}^{{commit}}\n" for sha in shas).encode()
    answers = git.run(directory, "cat-file", "--batch-check=%(objectname)", stdin=asked).decode().splitlines()
    return [sha for sha, answer in zip(shas, answers, strict=False) if sha == answer]
