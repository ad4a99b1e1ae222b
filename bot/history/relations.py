"""What became of a change: taken back, applied again, copied to other branches. Reads an index."""

import json
import re
import sqlite3
from collections.abc import Container, Iterable

from bot.history.database import load
from bot.history.traced import TraceMade

_REVERT = re.compile(r"revert\b(?! \"revert)", re.I)
_MOST_TURNS = 200  # of one change that are followed


class History:
    """An index's commits by number, and how they stand to each other."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self.graph, self.units = load(database)
        self._turns: dict[int, dict[int, bool]] = {}

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

    def made(self, unit: int, files: tuple[str, ...]) -> TraceMade:
        """The change as git is asked about it. files: of its paths those that the report's stack traces name."""
        own = self.commits_of(unit)
        parents = {parent for number in own for parent in self.graph.parents_of(number)}
        return TraceMade(tuple(self.shas(own)), frozenset(self.shas(parents)), files)

    def turns(self, unit: int) -> dict[int, bool]:
        """The commits outside the change by which it came to stand somewhere (it was copied, or what took it back was
        taken back) or not to stand any more; of any two the later one counts."""
        if unit not in self._turns:
            found: dict[int, bool] = {}
            known, waiting = {unit: True}, [unit]
            for other in waiting:
                stands = known[other]
                for numbers, turn in ((self._same(other), stands), (self._reverting(other), not stands)):
                    found.update((number, turn) for number in numbers - found.keys() if self.unit(number) != unit)
                    new = self.units_of(numbers) - known.keys()
                    known.update(dict.fromkeys(new, turn))
                    waiting += sorted(new)
                if len(found) > _MOST_TURNS:
                    break
            self._turns[unit] = found
        return self._turns[unit]

    def reverted_by(self, unit: int, within: Container[int]) -> int | None:
        """The commit of `within` that took the change back for good: nothing there applied it again later."""
        turns = self.turns(unit)
        last = max((number for number in (*turns, *self.commits_of(unit)) if number in within), default=0)
        return None if turns.get(last, True) else last

    def was_reverted(self, unit: int, within: Container[int]) -> bool:
        """Whether it was ever taken back, for good or not."""
        return any(number in within and not stands for number, stands in self.turns(unit).items())

    def undoes(self, unit: int, among: Container[int]) -> bool:
        """Whether the change does nothing but take back one of these changes: then all is as it was before them."""
        (subject,) = self.database.execute("select subject from units where id = ?", (unit,)).fetchone()
        if not _REVERT.match(subject):
            return False
        rows = self.database.execute(
            "select target from relations where sort = 'reverts' and of in (select id from commits where unit = ?)",
            (unit,),
        ).fetchall()
        return any(other in among for (target,) in rows for other in self.units_of(self._named(target)) - {unit})

    def elsewhere(self, unit: int, within: Container[int]) -> list[int]:
        """The same change as other commits that are not in `within`: back-ports, or what it was copied from."""
        return [number for number, stands in sorted(self.turns(unit).items()) if stands and number not in within]

    def was_in(self, unit: int, head: int, before: Container[int]) -> bool:
        """Whether a copy of the change stands in `before` that is on another line of history than its own `head`."""
        copies = [number for number, stands in self.turns(unit).items() if stands and number in before]
        if not copies or self.reverted_by(unit, before) is not None:
            return False
        return not self.graph.reachable([head]).issuperset(copies)

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
        return found.union(self._quoting(unit, sort)).difference(own)

    def _quoting(self, unit: int, sort: str) -> list[int]:
        """Those that name the change by its subject alone, unless another one of the same subject is nearer."""
        head, subject = self.database.execute("select head, subject from units where id = ?", (unit,)).fetchone()
        rows = self.database.execute(
            "select of from relations where target = ? and sort = ? and of > ?", (f'"{subject}', sort, head)
        ).fetchall()
        if not rows:
            return []
        alike = [other for (other,) in self.database.execute("select head from units where subject = ?", (subject,))]
        return [number for (number,) in rows if max(other for other in alike if other < number) == head]

    def _named(self, target: str) -> list[int]:
        """The commits that a SHA's beginning or `#N` stands for."""
        if target.startswith("#"):
            rows = self.database.execute("select head from units where pull = ?", (int(target[1:]),))
        elif target.startswith('"'):
            rows = self.database.execute("select head from units where subject = ?", (target[1:],))
        else:
            rows = self.database.execute("select id from commits where sha between ? and ?", (target, target + "g"))
        found = [number for (number,) in rows]
        return found if len(found) == 1 else []
