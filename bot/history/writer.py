"""Writes commits and their changes into an index, one change after the other, never more than one in memory. A change
is a merged pull request with what it brought, or any other commit alone."""

import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from itertools import chain
from pathlib import Path

from bot.changes.kinds import is_code, is_test_by_path
from bot.github.errors import Unavailable
from bot.history.database import COLUMNS, Graph, load, save, spaced
from bot.history.log import PATHS, LoggedChange, LoggedCommit, Mask, changes, commits, joined, named
from bot.history.names import names_in

_SUBJECT = 300  # characters that are kept
_BODY = 20_000
MOST_MEMBERS = 30  # a merge that brings more is no single change
_FAR = 20_000  # commits that are walked for one merge

_MERGED = re.compile(
    r"Merge pull request #\d|Merged? (?:PR|MR|pull request)\b|Merge #\d|Merged in \S+ \(pull request #\d"
    r"|Auto merge of #\d|Merge branch .{1,300}\n(?:.*\n){0,40}See merge request ",
    re.I,
)


class Writer:
    """Writes within a transaction of its caller's. unread: how many of the commits git could not show.

    until: of the monotonic clock; what takes longer raises `Unavailable`.
    """

    def __init__(self, database: sqlite3.Connection, directory: Path, mask: Mask, until: float) -> None:
        self._database = database
        self._directory = directory
        self._mask = mask
        self._until = until
        self._numbers: dict[str, int] = dict(database.execute("select sha, id from commits").fetchall())
        self._last = max(self._numbers.values(), default=0)
        self._parents: dict[int, tuple[int, ...]] = dict.fromkeys(sorted(self._numbers.values()), ())
        if self._numbers:
            graph, _ = load(database)
            for child, parent in zip(graph.children, graph.parents, strict=True):
                self._parents[child] += (parent,)
        self._commits: dict[int, LoggedCommit] = {}
        self.unread = 0

    def add(self, tips: Sequence[str], known: Sequence[str]) -> None:
        """All that is reachable from `tips` and not from `known`. Raises a `GitHubError` when git fails."""
        for commit in commits(self._directory, tips, known):
            self._be_in_time()
            if commit.sha not in self._numbers:
                self._commit(commit)
        groups = self._groups()
        self._reopen(member for group in groups.values() for member in group if member not in self._commits)
        shas = {number: sha for sha, number in self._numbers.items()}
        wanted = [[shas[member] for member in group] for group in groups.values()]
        found = changes(self._directory, list(chain.from_iterable(wanted)), self._mask)
        ahead = next(found, None)
        for head, group in zip(groups, wanted, strict=True):
            changed: list[tuple[int, LoggedChange]] = []
            self._be_in_time()
            while ahead and ahead[0] in group:
                if ahead[1]:
                    changed.append((self._numbers[ahead[0]], ahead[1]))
                else:
                    self.unread += 1
                ahead = next(found, None)
            self._unit(head, groups[head], changed)
        save(self._database, self._parents)

    def keep(self, tips: Sequence[str]) -> None:
        """Forget what is not reachable from these."""
        kept = Graph.of(self._parents).reachable(self._numbers[tip] for tip in tips)
        gone = self._parents.keys() - kept
        for number in gone:
            self._forget_unit(number)
            self._database.execute("delete from relations where of = ?", (number,))
            self._database.execute("delete from commits where id = ?", (number,))
        if gone:
            save(self._database, {number: self._parents[number] for number in kept})

    def _be_in_time(self) -> None:
        if time.monotonic() > self._until:
            raise Unavailable("making its index takes longer than the time given")

    def _commit(self, commit: LoggedCommit) -> None:
        self._last += 1
        number = self._last
        before = tuple(self._numbers[sha] for sha in commit.parents if sha in self._numbers)  # none where it is cut off
        self._numbers[commit.sha], self._parents[number] = number, before
        self._commits[number] = commit
        self._database.execute("insert into commits (id, sha, at) values (?, ?, ?)", (number, commit.sha, commit.at))

    def _groups(self) -> dict[int, list[int]]:
        """Each new change by its head, the merge or the commit alone: the commits whose diffs make it, newest first."""
        groups: dict[int, list[int]] = {}
        brought: set[int] = set()
        parents = self._parents
        for number, commit in self._commits.items():  # oldest first: of merges the first that brought a commit has it
            if len(parents[number]) == 2 and merges_pull(commit.message):
                first, second = parents[number]
                side = members(first, second, parents.__getitem__)
                own = [member for member in side if len(parents[member]) < 2 and member not in brought]
                groups[number] = own if len(own) <= MOST_MEMBERS else []
                brought.update(groups[number])
        alone = (number for number in self._commits if number not in brought and len(parents[number]) < 2)
        return dict(sorted((groups | {number: [number] for number in alone}).items()))

    def _reopen(self, numbers: Iterable[int]) -> None:
        """Commits that stood alone until a pull request with them was merged."""
        shas = {number: sha for sha, number in self._numbers.items()}
        asked = list(numbers)
        for number in asked:
            self._forget_unit(number)
        for commit in named(self._directory, [shas[number] for number in asked]):
            self._commits[self._numbers[commit.sha]] = commit

    def _forget_unit(self, head: int) -> None:
        self._database.execute("delete from names where unit in (select id from units where head = ?)", (head,))
        self._database.execute("delete from units where head = ?", (head,))

    def _unit(self, head: int, group: list[int], changed: list[tuple[int, LoggedChange]]) -> None:
        """Write one change: its text, what it touches, and what its messages and changelogs say of others."""
        messages = [self._mask(self._commits[number].message) for number in dict.fromkeys([head, *group])]
        subject, body = told(messages[0], messages[-1] if group != [head] else "")
        paths = tuple(dict.fromkeys(path for _, change in changed for path in change.paths))
        notes = "\n".join(line for _, change in changed for line in change.notes)
        row = self._database.execute(
            "insert into units (head, subject, paths, pull, notes, grown, shrunk, created, tests, code)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(head, subject[:_SUBJECT], "\n".join(paths[:PATHS]), names_in(messages[0]).pull, bool(notes)),
                *(sum(getattr(change, what) for _, change in changed) for what in ("grown", "shrunk", "created")),
                *(any(_sorts(path)[at] for path in paths[:PATHS]) for at in (0, 1)),
            ),
        )
        unit = row.lastrowid
        own = [(unit, number) for number in dict.fromkeys([head, *group])]
        self._database.executemany("update commits set unit = ? where id = ?", own)
        prints = [(change.added, change.removed, number) for number, change in changed]
        self._database.executemany("update commits set added = ?, removed = ? where id = ?", prints)
        found: dict[tuple[int, str], bool] = {}
        for said in (*map(names_in, messages), names_in("", notes, paths)):
            for issue, closes in said.issues.items():
                found[issue] = found.get(issue, False) or closes
        self._database.executemany(
            "insert into names (number, repository, unit, closes) values (?, ?, ?, ?)",
            [(number, repository, unit, closes) for (number, repository), closes in found.items()],
        )
        for _, number in own:
            said = names_in(self._commits[number].message)
            self._database.executemany(
                "insert into relations (of, sort, target) values (?, ?, ?)",
                [(number, "reverts", target) for target in said.reverts]
                + [(number, "picked", target) for target in said.picked],
            )
        texts = (
            subject,
            "\n".join([body, *messages[1:]])[:_BODY],
            "\n".join(paths[:PATHS]),
            *(
                joined(line for _, change in changed for line in getattr(change, column))
                for column in ("places", "code", "documentation", "tests")
            ),
        )
        self._database.execute(
            f"insert into text (rowid, {', '.join(COLUMNS)}) values (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our own names
            (unit, *map(spaced, texts)),
        )


@lru_cache(maxsize=10_000)
def _sorts(path: str) -> tuple[bool, bool]:
    """Whether it is a test, and whether it is code and no test."""
    test = is_test_by_path(path)
    return test, is_code(path) and not test


def told(message: str, brought: str = "") -> tuple[str, str]:
    """A message's subject and the rest. brought: the message of the oldest commit that a pull request's merge brought.

    A merge's subject is the pull request's title, and its first commit's where the forge wrote none.
    """
    subject, _, rest = message.strip().partition("\n")
    if not brought:
        return subject.strip(), rest
    title, _, below = rest.strip().partition("\n")
    return (title.strip() or brought.strip().partition("\n")[0]), f"{subject}\n{below}"


def merges_pull(message: str) -> bool:
    """Whether a merge commit's message is the one that a forge or a merge bot writes for a pull request."""
    return _MERGED.match(message[:5000]) is not None


def members(first: int, second: int, parents: Callable[[int], Iterable[int]]) -> list[int]:
    """The commits reachable from `second` and not from `first`, newest first; none where they are too many to walk.

    Commits are numbers, every one greater than its parents', so the walk needs no dates.
    """
    found: list[int] = []
    known = {first: False, second: True}  # whether only the second's side reaches it
    queue = sorted((-first, -second))
    waiting = 1  # how many of the queue only the second's side reaches
    walked = 0
    while waiting and (walked := walked + 1) < _FAR:
        at = -heappop(queue)
        brought = known[at]
        if brought:
            waiting -= 1
            found.append(at)
        for parent in parents(at):
            if parent not in known:
                known[parent] = brought
                waiting += brought
                heappush(queue, -parent)
            elif known[parent] and not brought:
                known[parent] = False
                waiting -= 1
    return [] if waiting else found
