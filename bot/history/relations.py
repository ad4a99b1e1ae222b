"""What became of a change: taken back, applied again, copied to other branches, released. Reads an index."""

import json
import sqlite3
from collections.abc import Container, Iterable

from bot.history.database import load, numbered
from bot.history.refs import first
from bot.history.traced import Made


class History:
    """An index's commits by number, and how they stand to each other."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self.graph, self.units = load(database)

    def unit(self, number: int) -> int | None:
        """The change that the commit belongs to."""
        return self.units[number] or None

    def units_of(self, numbers: Iterable[int]) -> set[int]:
        """The changes that these commits belong to."""
        return {self.units[number] for number in numbers} - {0}

    def shas(self, numbers: Iterable[int]) -> list[str]:
        """In their order."""
        asked = list(numbers)
        rows = self.database.execute(
            "select id, sha from commits where id in (select value from json_each(?))", (json.dumps(asked),)
        )
        found: dict[int, str] = dict(rows.fetchall())
        return [found[number] for number in asked]

    def commits_of(self, unit: int) -> list[int]:
        """A change's commits, the newest first: a merge, then what it brought."""
        rows = self.database.execute("select id from commits where unit = ? order by id desc", (unit,))
        return [number for (number,) in rows]

    def made(self, unit: int, files: tuple[str, ...]) -> Made:
        """The change as git is asked about it. files: of its paths those that the report's stack traces name."""
        own = self.commits_of(unit)
        parents = {parent for number in own for parent in self.graph.parents_of(number)}
        return Made(tuple(self.shas(own)), frozenset(self.shas(parents)), files)

    def reverted_by(self, unit: int, within: Container[int], seen: frozenset[int] = frozenset()) -> int | None:
        """The commit of `within` that took the change back for good: itself not taken back, nor the change applied
        again behind it."""
        again = max((number for number in self._same(unit) if number in within), default=0)
        for number in sorted(self._reverting(unit), reverse=True):
            other = self.unit(number)
            if number not in within or number < again or other in (None, unit) or other in seen:
                continue
            if self.reverted_by(other, within, seen | {unit}) is None:
                return number
        return None

    def was_reverted(self, unit: int, within: Container[int]) -> bool:
        """Whether it was ever taken back, for good or not."""
        return any(number in within and self.unit(number) != unit for number in self._reverting(unit))

    def elsewhere(self, unit: int, within: Container[int]) -> list[int]:
        """The same change as other commits that are not in `within`: back-ports, or what it was copied from."""
        return [number for number in sorted(self._same(unit)) if number not in within]

    def releases(self, commits: Iterable[int], tags: dict[str, str]) -> dict[int, str | None]:
        """For each commit the oldest version that contains it; `None`: not released yet."""
        numbers = numbered(self.database, set(tags.values()))
        asked = list(dict.fromkeys(commits))
        held = self.graph.containing(asked, len(self.units) - 1)
        tagged = {name: held[numbers[sha]] for name, sha in tags.items() if sha in numbers}
        return {
            number: first(name for name, mask in tagged.items() if mask >> at & 1) for at, number in enumerate(asked)
        }

    def _reverting(self, unit: int) -> set[int]:
        """Commits that say they take one of the change's commits back, or that undo one line by line."""
        found = self._related(unit, "reverts")
        found.update(
            number
            for (number,) in self.database.execute(
                "select b.id from commits a join commits b on b.added = a.removed and b.removed = a.added"
                " where a.unit = ? and a.added <> 0 and b.added <> 0 and b.id > a.id",
                (unit,),
            )
        )
        return found

    def _same(self, unit: int) -> set[int]:
        """Commits outside the change that are copies of one of its commits, or what one was copied from."""
        found = self._related(unit, "picked")
        found.update(
            number
            for (number,) in self.database.execute(
                "select b.id from commits a join commits b on b.added = a.added and b.removed = a.removed"
                " where a.unit = ? and a.added <> 0 and b.added <> 0 and b.id <> a.id",
                (unit,),
            )
        )
        own = self.commits_of(unit)
        picked = "select target from relations where sort = 'picked' and of in (select id from commits where unit = ?)"
        for (target,) in self.database.execute(picked, (unit,)).fetchall():
            found.update(self._named(target))
        return found.difference(own)

    def _related(self, unit: int, sort: str) -> set[int]:
        """Commits whose message names one of the change's commits, or its pull request."""
        found: set[int] = set()
        own = self.commits_of(unit)
        (pull,) = self.database.execute("select pull from units where id = ?", (unit,)).fetchone() or (0,)
        if pull:
            rows = self.database.execute("select of from relations where target = ? and sort = ?", (f"#{pull}", sort))
            found.update(number for (number,) in rows)
        for sha in self.shas(own):
            rows = self.database.execute(
                "select of, target from relations where target between ? and ? and sort = ?", (sha[:7], sha, sort)
            )
            found.update(other for other, target in rows if sha.startswith(target))
        return found.difference(own)

    def _named(self, target: str) -> list[int]:
        """The commits that a SHA's beginning or `#N` stands for."""
        if target.startswith("#"):
            rows = self.database.execute("select head from units where pull = ?", (int(target[1:]),))
        else:
            rows = self.database.execute("select id from commits where sha between ? and ?", (target, target + "g"))
        found = [number for (number,) in rows]
        return found if len(found) == 1 else []
