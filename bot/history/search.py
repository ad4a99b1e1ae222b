"""Looks in a repository's history for the changes that may have fixed a report."""

import sqlite3
import time
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from bot.history.database import ERRORS, column, damaged, json_array, limited, meta, numbered
from bot.history.evidence import Facts, sentences
from bot.history.git_trace import HistoryTracer, Traced
from bot.history.index import Index
from bot.history.matching import Match, Matcher, unread
from bot.history.ranking import FEATURES, weights
from bot.history.relations import History, mends, naming, naming_relatives, releases
from bot.history.report import SearchQuery, read
from bot.history.values import Candidate, Searched, Sought

SECONDS = 30.0  # for one search
_TRACING = 8.0  # of them for git
_MOST, _ELSEWHERE = 10, 3  # changes that are told, and those on other branches
_LATE = "The search ended when its time was over: what it found is not all."
_ALL = FEATURES.index("all")
_TITLE = FEATURES.index("title in subject reached")


def search(
    index: Index,
    sought: Sought,
    *,
    reported: str | None,
    head: str,
    directory: Path | None = None,
    seconds: float = SECONDS,
) -> Searched:
    """The changes that are in `head` and not in `reported` (full SHAs), best first; all before `head` without one.

    directory: the git directory, where git is to be asked about the best ones as well. seconds: when they are over, the
    search ends with what it has, and `problem` says so.

    What was taken back for good is no candidate. Nothing is found, and `problem` says why, where the index does not
    hold these commits or is damaged; where it holds a part of the history only, `problem` says so beside what it found.
    """
    try:
        with index.reading() as database:
            end, history = time.monotonic() + seconds, History(database)
            asked = _Search(database, sought, reported, head, directory, end, history, read(sought))
            return asked.searched(index.problem)
    except ERRORS as error:
        if not damaged(error):
            return Searched((), 0, "The index of the history is busy, or cannot be read.")
        index.path.unlink(missing_ok=True)
        return Searched((), 0, "The index of the history was damaged. It will be built again.")


@dataclass(slots=True)
class _Search:
    """in_head, before: what the head holds, and what the reported revision does."""

    _database: sqlite3.Connection
    _sought: Sought
    _reported: str | None
    _head: str
    _directory: Path | None
    _end: float
    _history: History
    _asked: SearchQuery
    _late: bool = False
    _in_head: set[int] = field(default_factory=set)
    _before: set[int] = field(default_factory=set)
    _numbers: dict[str, int] = field(default_factory=dict)
    _matcher: Matcher | None = None

    def searched(self, problem: str) -> Searched:
        graph = self._history.graph
        numbers = self._numbers = numbered(self._database, filter(None, (self._head, self._reported)))
        missing = [sha for sha in (self._head, self._reported) if sha and sha not in numbers]
        if missing:
            what = "head" if self._head in missing else "reported revision"
            return Searched((), 0, problem or f"The history does not contain the {what}.")
        self._in_head = graph.reachable([numbers[self._head]])
        self._before = graph.reachable([numbers[self._reported]] if self._reported else [])
        new = self._in_head - self._before
        if not new:
            return Searched((), 0, problem or "The head contains nothing that the reported revision does not contain.")
        standing, reverted = self._found(new, _MOST)
        others = set(range(1, len(self._history.units))) - self._in_head - self._before
        beside = self._later(others) if not self._late else set()
        elsewhere, _ = self._found(beside, _ELSEWHERE)
        known = {sha for candidate in standing for sha in candidate.back_ports}
        return Searched(
            standing,
            len(new),
            " ".join(filter(None, (problem, _LATE if self._late else ""))),
            elsewhere=tuple(
                each for each in elsewhere if each.likely and known.isdisjoint((each.commit, *each.members))
            ),
            reverted=reverted,
        )

    def _later(self, numbers: Set[int]) -> set[int]:
        """Those that are younger than the reported revision: what older branches had cannot be what mended it."""
        if not numbers:
            return set()
        since = "at >= (select coalesce(max(at), 0) from commits where sha = ?)"
        query = f"select id from commits where id in (select value from json_each(?)) and {since}"  # noqa: S608 - ours
        return set(column(self._database, query, json_array(numbers), self._reported))

    def _found(self, among: Set[int], most: int) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
        """The best changes of these commits that stand, and likely ones that were taken back for good before them."""
        history = self._history
        pool = history.units_of(among)
        if not pool:
            return (), ()
        named = naming(self._database, self._sought.number, self._sought.repository, pool)
        related = naming_relatives(self._database, self._sought, pool)
        found = self._matches(pool, {*named, *related})
        found = [one for one in found if not history.undoes(one.unit, pool)]
        told = [weights().told(named.get(one.unit), related.get(one.unit, (0, None))[1]) for one in found]
        chances = weights().probabilities([one.features for one in found], told)
        ranked = sorted(zip(chances, found, strict=True), key=lambda pair: (-pair[0], pair[1].unit))
        within = self._in_head if among <= self._in_head else range(1, len(history.units))
        chosen: list[Facts] = []
        while ranked and sum(not one.reverted for one in chosen) < most:
            chance, match = ranked.pop(0)
            own = history.commits_of(match.unit)
            head = next(number for number in own if number in among)
            reverted = history.reverted_by(match.unit, within)
            if history.was_in(match.unit, head, self._before):
                continue  # the report is about a version that has it
            if reverted is None or weights().calls(chance, chances):
                chosen.append(Facts(match, chance, head, tuple(own), reverted))
        traced = self._traced(chosen) if within is self._in_head else {}
        git = [traced[one.unit].features if one.unit in traced else None for one in found]
        chances = weights().moved(chances, git)
        moved = dict(zip((one.unit for one in found), chances, strict=True))
        chosen = [replace(one, chance=moved[one.match.unit]) for one in chosen]
        chosen.sort(key=lambda one: (-one.chance, one.match.unit))
        heads = {one.match.unit: one.head for one in chosen}
        released = releases(
            history, heads, meta(self._database)["tags"], self._numbers.get(self._reported or ""), self._before
        )
        by_text = sorted(found, key=lambda match: -match.features[_ALL])
        places = {match.unit: place for place, match in enumerate(by_text, 1)}
        units = {one.match.unit for one in chosen}
        shared = self._shared(units)
        candidates = []
        for one in chosen:
            unit = one.match.unit
            back_ports = tuple(history.shas(history.elsewhere(unit, self._in_head)))
            facts = replace(
                one,
                number=self._sought.number,
                closes=named.get(unit, False),
                names=unit in named,
                asked=len(self._matcher.names) if self._matcher else 0,
                related=related[unit][0] if unit in related else 0,
                traced=traced.get(unit, Traced()),
                title=one.match.features[_TITLE],
                place=places[unit],
                of=len(pool),
                reverted_by=history.shas([one.reverted])[0] if one.reverted else "",
                applied_again=one.reverted is None and history.was_reverted(unit, within),
                back_ports=back_ports,
                released=released[unit],
                elsewhere=one.head not in self._in_head,
            )
            made = self._candidate(facts)
            candidates.append(replace(made, likely=weights().calls(one.chance, chances), shared=shared[unit]))
        standing = tuple(candidate for candidate in candidates if not candidate.reverted_by)
        return standing, tuple(candidate for candidate in candidates if candidate.reverted_by)

    def _matches(self, pool: Set[int], naming: Set[int]) -> list[Match]:
        """The changes that fit. Where the time ends meanwhile, those that name the report alone."""
        try:
            with limited(self._database, self._end):
                self._matcher = self._matcher or Matcher(self._database, self._asked)
                return self._matcher.matches(pool, naming)
        except TimeoutError:
            self._late = True
            return unread(naming)

    def _shared(self, units: Set[int]) -> Counter[int]:
        """How many telling words of the report each of these holds; without time for that, none."""
        if self._matcher is None or self._late:
            return Counter()
        try:
            with limited(self._database, self._end):
                return self._matcher.shared(units, [*self._sought.own, self._sought.repository.partition("/")[2]])
        except TimeoutError:
            self._late = True
            return Counter()

    def _traced(self, chosen: Sequence[Facts]) -> dict[int, Traced]:
        """What git says of the chosen, where it may be asked."""
        if self._directory is None or self._late or self._matcher is None:
            return {}
        end = min(self._end, time.monotonic() + _TRACING)
        tracer = HistoryTracer(self._directory, self._reported, self._head, end)
        made = {one.match.unit: self._history.made(one.match.unit, one.match.files) for one in chosen}
        traced = tracer.traced(made, self._asked, self._matcher.names)
        self._late = tracer.late
        return traced

    def _candidate(self, one: Facts) -> Candidate:
        query = "select subject, at from units, commits where units.id = ? and commits.id = ?"
        subject, at = self._database.execute(query, (one.match.unit, one.head)).fetchone()
        head, *members = self._history.shas([one.head, *(number for number in one.commits if number != one.head)])
        return Candidate(
            commit=head,
            subject=subject,
            at=datetime.fromtimestamp(at, UTC).isoformat(),
            score=round(one.chance, 4),
            why=sentences(one),
            names_issue=one.closes and mends(self._database, one.match.unit),
            released_in=one.released.upgrade,
            also_in=one.released.others,
            reverted_by=one.reverted_by or None,
            back_ports=one.back_ports,
            members=tuple(members),
        )
