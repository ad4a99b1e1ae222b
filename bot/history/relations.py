"""What became of a change (taken back, applied again, copied to other branches, released), and which changes name a
report's number, or that of one with the same symptoms. Reads an index."""

import re
import sqlite3
from collections.abc import Container, Iterable, Mapping, Set
from dataclasses import dataclass

from bot.changes.kinds import kind_of
from bot.changes.values import FileKind
from bot.history.database import column, json_array, load, numbered
from bot.history.git_trace import TraceMade
from bot.history.log import PATHS
from bot.history.refs import first, version
from bot.history.values import Sought
from bot.markdown.visible import visible

_REVERT = re.compile(r"revert\b(?! \"revert)", re.I)
_MOST_TURNS = 200  # of one change that are followed
_MOST_NAMED = 10  # issues; a change that names more lists them, as releases do
_RELATIVES = 20
_LONGEST_REPORT = 60_000  # characters of a report that are read
_RELATED = re.compile(
    r"\b(?:duplicate[sd]?|dupe|same|similar|related|identical)\b[^\n#]{0,40}(?<![\w&/])#([1-9]\d{0,8})\b", re.I
)


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
        asked, query = list(numbers), "select id, sha from commits where id in (select value from json_each(?))"
        found: dict[int, str] = dict(self.database.execute(query, (json_array(asked),)).fetchall())
        return [found[number] for number in asked]

    def commits_of(self, unit: int) -> list[int]:
        """A change's commits, the newest first: a merge, then what it brought."""
        return column(self.database, "select id from commits where unit = ? order by id desc", unit)

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
        (subject,) = column(self.database, "select subject from units where id = ?", unit)
        if not _REVERT.match(subject):
            return False
        targets = self._targets(unit, "reverts")
        return any(other in among for target in targets for other in self.units_of(self._named(target)) - {unit})

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
        undone = self._printed(unit, "b.added = a.removed and b.removed = a.added and b.id > a.id")
        return self._related(unit, "reverts") | undone

    def _same(self, unit: int) -> set[int]:
        """Commits outside the change that are copies of one of its commits, or what one was copied from."""
        found = self._printed(unit, "b.added = a.added and b.removed = a.removed and b.id <> a.id")
        found |= self._related(unit, "picked")
        for target in self._targets(unit, "picked"):
            found.update(self._named(target))
        return found.difference(self.commits_of(unit))

    def _targets(self, unit: int, sort: str) -> list[str]:
        """What the messages of the change's commits say that they take back, or copy."""
        query = "select target from relations where sort = ? and of in (select id from commits where unit = ?)"
        return column(self.database, query, sort, unit)

    def _printed(self, unit: int, condition: str) -> set[int]:
        """Commits of which the fingerprints stand so to those of one of the change's commits."""
        told = "a.unit = ? and a.added <> 0 and b.added <> 0"
        query = f"select b.id from commits a join commits b on {condition} where {told}"  # noqa: S608 - our own words
        return set(column(self.database, query, unit))

    def _related(self, unit: int, sort: str) -> set[int]:
        """Commits whose message names one of the change's commits, or its pull request."""
        own, found = self.commits_of(unit), set[int]()
        for pull in filter(None, column(self.database, "select pull from units where id = ?", unit)):
            query = "select of from relations where target = ? and sort = ?"
            found.update(column(self.database, query, f"#{pull}", sort))
        for sha in self.shas(own):
            query = "select of, target from relations where target between ? and ? and sort = ?"
            rows = self.database.execute(query, (sha[:7], sha, sort))
            found.update(other for other, target in rows if sha.startswith(target))
        return found.union(self._quoting(unit, sort)).difference(own)

    def _quoting(self, unit: int, sort: str) -> list[int]:
        """Those that name the change by its subject alone, unless another one of the same subject is nearer."""
        head, subject = self.database.execute("select head, subject from units where id = ?", (unit,)).fetchone()
        query = "select of from relations where target = ? and sort = ? and of > ?"
        quoting = column(self.database, query, f'"{subject}', sort, head)
        alike = column(self.database, "select head from units where subject = ?", subject) if quoting else []
        return [number for number in quoting if max(other for other in alike if other < number) == head]

    def _named(self, target: str) -> list[int]:
        """The commits that a SHA's beginning or `#N` stands for."""
        if target.startswith("#"):
            found = column(self.database, "select head from units where pull = ?", int(target[1:]))
        elif target.startswith('"'):
            found = column(self.database, "select head from units where subject = ?", target[1:])
        else:
            found = column(self.database, "select id from commits where sha between ? and ?", target, target + "g")
        return found if len(found) == 1 else []


@dataclass(frozen=True, slots=True)
class Released:
    """upgrade: the version to upgrade to; `None`: not released yet. others: the first version of each other line of
    history that has the change, such as a back-port's, oldest first."""

    upgrade: str | None
    others: tuple[str, ...]


def releases(
    history: History, heads: Mapping[int, int], tags: Mapping[str, str], reported: int | None, before: Set[int]
) -> dict[int, Released]:
    """For each of these changes, each with its newest commit. before: all that is in the reported revision.

    A version has a change that stands in it, and in every later version that ever had it. The one to upgrade to is the
    oldest behind the reported revision: it contains that, or else is later than every version in it. Where none is
    reported, it is the oldest that contains the change's own commit.
    """
    numbers = numbered(history.database, set(tags.values()))
    tagged = {name: numbers[sha] for name, sha in tags.items() if sha in numbers}
    asked = list(dict.fromkeys([*heads.values(), *(turn for unit in heads for turn in history.turns(unit))]))
    held = history.graph.containing([*asked, *([reported] if reported else [])], len(history.units) - 1)
    containing = {name for name, number in tagged.items() if held[number] >> len(asked)}
    beyond = _beyond(tagged, (name for name, number in tagged.items() if number in before))
    bit = {number: 1 << at for at, number in enumerate(asked)}
    found = {}
    for unit, head in heads.items():
        turns = {head: True, **history.turns(unit)}
        last = {
            name: max((turn for turn in turns if held[number] & bit[turn]), default=0)
            for name, number in tagged.items()
        }
        lost = [name for name, turn in last.items() if turn and not turns[turn]]
        has = _beyond((name for name, turn in last.items() if turn and turns[turn]), lost)
        lines = {turn: first(name for name in has if held[tagged[name]] & bit[turn]) for turn in turns if turns[turn]}
        upgrade = first(has & containing or has & beyond) if reported else lines[head]
        others = {name for name in lines.values() if name and name != upgrade}
        found[unit] = Released(upgrade, tuple(sorted(others, key=lambda name: (version(name) or (), name))))
    return found


def _beyond(names: Iterable[str], others: Iterable[str]) -> set[str]:
    """The versions that are later than all of the others."""
    orders = [order for name in others if (order := version(name))]
    return {name for name in names if (order := version(name)) and (not orders or order > max(orders))}


def naming(database: sqlite3.Connection, number: int | None, repository: str, pool: Set[int]) -> dict[int, bool]:
    """The changes of `pool` that name it in a message, a merged pull request or a changelog -> whether they say that
    they close it. repository: the number's own, by which links to others are told; empty where it is not known.

    Tests alone fix nothing and do not count.
    """
    if number is None:
        return {}
    own = repository.lower()
    rows = database.execute(
        "select a.unit, a.repository, a.closes, (select count(*) from names b where b.unit = a.unit) from names a"
        " where a.number = ? union all select id, '', 0, 1 from units where pull = ?",
        (number, number),
    )
    found: dict[int, bool] = {}
    for unit, elsewhere, closes, beside in rows:
        foreign = elsewhere and own and elsewhere != own
        if unit in pool and not foreign and (closes or beside <= _MOST_NAMED):
            found[unit] = found.get(unit, False) or bool(closes)
    return {unit: closes for unit, closes in found.items() if _kinds(database, unit) != {FileKind.TEST}}


def mends(database: sqlite3.Connection, unit: int) -> bool:
    """Whether a change touches more than tests and documentation, as far as the index knows."""
    kinds = _kinds(database, unit)
    return not kinds or not kinds <= {FileKind.TEST, FileKind.DOCUMENTATION}


def _kinds(database: sqlite3.Connection, unit: int) -> set[FileKind]:
    """Of the files that a change touches; none where the index does not know them all."""
    (paths,) = column(database, "select paths from units where id = ?", unit)
    touched = paths.split("\n") if paths else []
    return set(map(kind_of, touched)) if len(touched) < PATHS else set()


def naming_relatives(database: sqlite3.Connection, sought: Sought, pool: Set[int]) -> dict[int, tuple[int, bool]]:
    """The changes that name a report with the same symptoms -> its number, and whether one says that it closes it."""
    found: dict[int, tuple[int, bool]] = {}
    for number in relatives(sought):
        for unit, closes in naming(database, number, sought.repository, pool).items():
            if closes or unit not in found:
                found[unit] = number, closes
    return found


def relatives(sought: Sought) -> Iterable[int]:
    """The numbers that are handed in, then those that the report itself calls alike; never its own."""
    said = (int(match[1]) for match in _RELATED.finditer(visible(sought.text[:_LONGEST_REPORT]).text))
    return list(dict.fromkeys(number for number in (*sought.relatives, *said) if number != sought.number))[:_RELATIVES]
