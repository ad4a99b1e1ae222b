"""Looks in a repository's history for the changes that may have fixed a report."""

import sqlite3
from collections.abc import Set
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.history.database import damaged, meta
from bot.history.evidence import Facts, sentences
from bot.history.index import Index
from bot.history.matching import Match, Matcher
from bot.history.naming import naming
from bot.history.ranking import FEATURES, weights
from bot.history.relations import History
from bot.history.report import read
from bot.history.values import Candidate, Searched, Sought

_ELSEWHERE = 3  # changes on other branches that are told
_ALL = FEATURES.index("all")
_TITLE = FEATURES.index("title in subject reached")


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A change to be told. commits: its numbers, the newest first. head: the newest that was searched. reverted: by."""

    match: Match
    chance: float
    head: int
    commits: list[int]
    reverted: int | None


def search(index: Index, sought: Sought, *, reported: str | None, head: str, most: int = 10) -> Searched:
    """The changes that are in `head` and not in `reported` (full SHAs), best first; all before `head` without one.

    What was taken back for good is no candidate. Nothing is found, and `problem` says why, where the index does not
    hold these commits or is damaged; where it holds a part of the history only, `problem` says so beside what it found.
    """
    try:
        with index.reading() as database:
            return _Search(database, sought, reported, head).searched(most, index.problem)
    except sqlite3.DatabaseError as error:
        if not damaged(error):
            return Searched((), 0, "The index of the history is busy, or cannot be read.")
        index.path.unlink(missing_ok=True)
        return Searched((), 0, "The index of the history was damaged. The next one is made anew.")


class _Search:
    def __init__(self, database: sqlite3.Connection, sought: Sought, reported: str | None, head: str) -> None:
        self._database = database
        self._history = History(database)
        self._sought = sought
        self._asked = read(sought)
        self._tags: dict[str, str] = meta(database)["tags"]
        self._reported = reported
        self._head = head
        self._in_head: set[int] = set()

    def searched(self, most: int, problem: str) -> Searched:
        graph, numbers = self._history.graph, self._history.numbers
        missing = [sha for sha in (self._head, self._reported) if sha and sha not in numbers]
        if missing:
            what = "head" if self._head in missing else "reported revision"
            return Searched((), 0, problem or f"The history does not hold the {what}.")
        self._in_head = graph.reachable([numbers[self._head]])
        before = graph.reachable([numbers[self._reported]]) if self._reported else set()
        new = self._in_head - before
        if not new:
            return Searched((), 0, problem or "The head holds nothing that the reported revision does not hold.")
        standing, reverted = self._found(new, most)
        elsewhere, _ = self._found(self._later(graph.parents.keys() - self._in_head - before), _ELSEWHERE)
        known = {sha for candidate in standing for sha in candidate.back_ports}
        return Searched(
            standing,
            len(new),
            problem,
            elsewhere=tuple(
                other for other in elsewhere if other.likely and known.isdisjoint((other.commit, *other.members))
            ),
            reverted=reverted,
        )

    def _later(self, numbers: Set[int]) -> set[int]:
        """Those that are younger than the reported revision: what older branches had cannot be what mended it."""
        rows = self._database.execute(
            "select id from commits where at >= (select coalesce(max(at), 0) from commits where sha = ?)",
            (self._reported,),
        )
        return {number for (number,) in rows if number in numbers}

    def _found(self, among: Set[int], most: int) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
        """The best changes of these commits that stand, and likely ones that were taken back for good before them."""
        history = self._history
        pool = {history.units[number] for number in among if number in history.units}
        if not pool:
            return (), ()
        named = naming(self._database, self._sought, pool)
        matcher = Matcher(self._database, self._asked, pool)
        found = matcher.matches(named)
        chances = weights().probabilities([one.features for one in found], [named.get(one.unit) for one in found])
        ranked = sorted(zip(chances, found, strict=True), key=lambda pair: (-pair[0], pair[1].unit))
        within = self._in_head if among <= self._in_head else history.graph.parents.keys()
        chosen: list[_Chosen] = []
        while ranked and sum(not one.reverted for one in chosen) < most:
            chance, match = ranked.pop(0)
            reverted = history.reverted_by(match.unit, within)
            if reverted is None or chance >= weights().cut:
                own = history.commits_of(match.unit)
                head = next(number for number in own if number in among)
                chosen.append(_Chosen(match, chance, head, own, reverted))
        released = history.releases([one.head for one in chosen], self._tags)
        held = matcher.names_held([one.match.unit for one in chosen])
        places = {match.unit: place for place, match in enumerate(sorted(found, key=_by_text), 1)}
        told = []
        for one in chosen:
            unit = one.match.unit
            back_ports = tuple(history.shas[number] for number in history.elsewhere(unit, self._in_head))
            facts = Facts(
                number=self._sought.number,
                closes=named.get(unit, False),
                names=unit in named,
                files=len(one.match.files),
                function=one.match.function,
                held=held.get(unit, 0),
                asked=matcher.names,
                title=one.match.features[_TITLE],
                place=places[unit],
                of=len(pool),
                notes=one.match.notes,
                reverted_by=history.shas[one.reverted] if one.reverted else "",
                applied_again=one.reverted is None and history.was_reverted(unit, within),
                back_ports=back_ports,
                released_in=released[one.head],
                elsewhere=one.head not in self._in_head,
            )
            told.append(self._candidate(one, facts))
        standing = tuple(candidate for candidate in told if not candidate.reverted_by)
        return standing, tuple(candidate for candidate in told if candidate.reverted_by)

    def _candidate(self, one: _Chosen, facts: Facts) -> Candidate:
        subject, at = self._database.execute(
            "select subject, at from units, commits where units.id = ? and commits.id = ?", (one.match.unit, one.head)
        ).fetchone()
        shas = self._history.shas
        return Candidate(
            commit=shas[one.head],
            subject=subject,
            at=datetime.fromtimestamp(at, UTC).isoformat(),
            score=round(one.chance, 4),
            why=sentences(facts),
            names_issue=facts.names,
            released_in=facts.released_in,
            reverted_by=facts.reverted_by or None,
            back_ports=facts.back_ports,
            likely=one.chance >= weights().cut,
            members=tuple(shas[number] for number in one.commits if number != one.head),
        )


def _by_text(match: Match) -> float:
    return -match.features[_ALL]
