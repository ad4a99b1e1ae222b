"""Which changes of an index fit a report, by FTS5's bm25, and the features that the ranking reads."""

import heapq
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from math import log
from typing import Any

from bot.history.database import COLUMNS, column, json_array
from bot.history.ranking import FEATURES
from bot.history.report import SearchQuery, in_trace, phrase, words

CHOSEN = 120  # changes that are looked at closely
_TERMS = 32  # of a report that are searched: the most telling
_TITLE_TERMS = 16
_NAMES = 24
_RARE = 0.03  # a name that more of the changes hold tells little
_COMMON = 0.5  # a word that more of them hold weighs nothing: how many, need not be counted
_TELLING = 0.1  # a word that more of the changes hold is shared by chance
_FEW = 5  # changes that may hold it all the same, where there are hardly more
_MOST_SHARED = 60  # words that are asked for
# Words of reports and of changes to any project; the stop list of the report's words is left out before.
_SAID_OF_ANYTHING = """
add added adds all always bug bugs call called change changed class def does expected fail failed fails false fix fixed
fixes function get gets give gives import incorrect instead issue make makes method new none not number object print
prints problem raise raises report reported return returned returns seen set should test tests true type value version
when work works wrong
"""
_SAY_LITTLE = frozenset(_SAID_OF_ANYTHING.split())
_BEST = 2.2  # what one term adds to bm25 at most, times its idf: k1 + 1
_WEIGHTS = "3.0, 1.0, 1.0, 1.0, 0.5, 1.0, 0.5"  # of the columns, for the first choice
_SPARSE = 4  # where fewer than one in so many rows may be found, SQLite is told which
# The plus keeps SQLite from asking once for each change.
_LISTED = "+rowid in (select value from json_each(?))"
_TITLE_IN = ("subject", "documentation", "code", "tests")
_NAMES_IN = ("places", "code", "tests")
_FIX = re.compile(r"\bfix", re.I)
_ADD = re.compile(r"\b(?:add|support|implement|introduc|new\b|feature|enhance|allow)", re.I)


@dataclass(frozen=True, slots=True)
class Match:
    """A change that fits a report. features: in the order of `ranking.FEATURES`.

    files: those of its paths that stand in the report's stack traces. function: it changes something in a function of
    one. held: how many of the most telling names from code it holds.
    """

    unit: int
    features: tuple[float, ...]
    files: tuple[str, ...]
    function: bool
    notes: bool
    held: int = 0


class Matcher:
    """One report asked of one index."""

    def __init__(self, database: sqlite3.Connection, asked: SearchQuery) -> None:
        self._database = database
        self._asked = asked
        (self._rows,) = database.execute("select count(*) from text_docsize").fetchone()
        counted = self._counted(dict.fromkeys([*asked.words, *asked.title]), _COMMON)
        idf = {word: self._idf(held) for word, held in counted.items()}
        telling = sorted(asked.words, key=lambda word: -asked.words[word] * idf.get(word, 0.0))
        self._all = {word: idf[word] for word in telling[:_TERMS] if word in idf}
        self._title = {word: idf[word] for word in asked.title[: 2 * _TITLE_TERMS] if word in idf}
        rare = self._counted(list(asked.names)[: 4 * _NAMES], _RARE)
        known = sorted((name for name, held in rare.items() if held <= self._rows * _RARE + 1), key=rare.__getitem__)
        self._names = {name: self._idf(rare[name]) for name in known[:_NAMES]}

    def matches(self, pool: Set[int], also: Iterable[int] = ()) -> list[Match]:
        """The changes of `pool` that fit best, and those in `also` in any case."""
        scored = [self._first(terms, pool) for terms in (self._all, self._title, self._names)]
        chosen = set(also)
        for scores in scored:
            chosen.update(heapq.nlargest(CHOSEN // 2, scores, key=lambda unit: scores[unit]))
        if not chosen:
            return []
        columns = {each: self._among(self._all, chosen, each) for each in COLUMNS}
        titles = {each: self._among(self._title, chosen, each) for each in _TITLE_IN}
        names = {each: self._among(self._names, chosen, each) for each in _NAMES_IN}
        places = self._among(dict.fromkeys(self._asked.functions, 1.0), chosen, "places")
        held = Counter[int]()  # how many of the rare names each holds
        for name in self._names:
            held.update(chosen & set(column(self._database, "select rowid from text where text match ?", _any([name]))))
        parts = [*columns.values(), *scored, *titles.values(), *names.values()]
        best = [max((scores.get(unit, 0.0) for unit in chosen), default=0.0) or 1.0 for scores in parts]
        most = [_BEST * sum(terms.values()) or 1.0 for terms in (self._all, self._title, self._names)]
        reached = [
            *zip(parts, best, strict=True),
            *zip(scored, most, strict=True),
            *((columns["subject"], most[0]), (columns["tests"], most[0])),
            *((titles["subject"], most[1]), (titles["tests"], most[1]), (names["tests"], most[2])),
        ]
        found = []
        for unit, said, joined, notes, grown, shrunk, created, has_tests, has_code in self._read(chosen):
            paths = joined.split("\n") if joined else []
            files = tuple(path for path in paths if in_trace(path, self._asked.files)) if self._asked.files else ()
            features = (
                *(scores.get(unit, 0.0) / top for scores, top in reached),
                *map(float, (bool(files), unit in places, has_tests, has_code)),
                log(1 + len(paths)),
                *map(float, (bool(_FIX.search(said)), bool(_ADD.search(said)), notes)),
                *(log(1 + lines) for lines in (grown, shrunk, created)),
            )
            found.append(Match(unit, features, files, unit in places, bool(notes), held[unit]))
        return found

    @property
    def names(self) -> list[str]:
        """The report's rare names from code that the index knows, as the report spells them, the rarest first."""
        return [self._asked.names[name] for name in self._names]

    def shared(self, units: Set[int], own: Iterable[str]) -> Counter[int]:
        """How many telling words of the report's title and of its names from code each of these holds, beside those of
        which the project's own names consist."""
        called = {_root(word) for name in own for word in (name.lower(), *phrase(name).split())}
        named = (word for name in self._asked.names for word in words(name))
        asked = [
            word
            for word in dict.fromkeys((*self._asked.title, *named))
            if word not in _SAY_LITTLE and _root(word) not in called
        ]
        held, most = Counter[int](), max(_TELLING, _FEW / (self._rows or 1))
        among = f"select rowid from text where text match ? and {_LISTED}"  # noqa: S608
        for word, changes in self._counted(asked[:_MOST_SHARED], most).items():
            if changes <= self._rows * most:
                held.update(column(self._database, among, _any([word]), json_array(units)))
        return held

    def _counted(self, terms: Iterable[str], most: float) -> dict[str, int]:
        """How many changes hold each term, those that none holds left out; of more than `most` of all it is enough to
        know that they are more."""
        limit = int(self._rows * most) + 2
        query = "select count(*) from (select 1 from text where text match ? limit ?)"
        counts = ((term, column(self._database, query, _any([term]), limit)[0]) for term in terms)
        return {term: held for term, held in counts if held}

    def _idf(self, held: int) -> float:
        """As FTS5 weighs a term that so many changes hold."""
        return max(log((self._rows - held + 0.5) / (held + 0.5)), 0.01)

    def _first(self, terms: Mapping[str, float], pool: Set[int]) -> dict[int, float]:
        """bm25 of the changes of `pool` that hold any of the terms; higher is better."""
        if not terms or not pool:
            return {}
        low, high = min(pool), max(pool)
        query = f"select rowid, bm25(text, {_WEIGHTS}) from text where text match ? and rowid between ? and ?"  # noqa: S608
        if len(pool) * _SPARSE < high - low:
            rows = self._database.execute(f"{query} and {_LISTED}", (_any(terms), low, high, json_array(pool)))
        else:
            rows = self._database.execute(query, (_any(terms), low, high))
        return {unit: -score for unit, score in rows if unit in pool}

    def _among(self, terms: Mapping[str, float], chosen: Set[int], where: str) -> dict[int, float]:
        """The same of the chosen for one column alone."""
        if not terms:
            return {}
        rows = self._database.execute(
            f"select rowid, bm25(text) from text where text match ? and rowid between ? and ? and {_LISTED}",  # noqa: S608
            (f"{{{where}}} : ({_any(terms)})", min(chosen), max(chosen), json_array(chosen)),
        )
        return {unit: -score for unit, score in rows}

    def _read(self, chosen: Set[int]) -> list[tuple[Any, ...]]:
        asked = "id, subject, paths, notes, grown, shrunk, created, tests, code"
        query = f"select {asked} from units where id in (select value from json_each(?))"  # noqa: S608 - our own names
        return self._database.execute(query, (json_array(chosen),)).fetchall()


def unread(units: Iterable[int]) -> list[Match]:
    """These as if nothing of them fitted: for when there is no time to read them."""
    return [Match(unit, (0.0,) * len(FEATURES), (), function=False, notes=False) for unit in units]


def _root(word: str) -> str:
    """A word without its ending: whoever writes `request` or `requesting` may mean the project called requests."""
    return re.sub(r"(?<=\w{3})(?:ing|es|ed|e|s)$", "", word)


def _any(terms: Iterable[str]) -> str:
    """As FTS5 wants it: each a phrase, words alone inside."""
    return " OR ".join('"' + term.replace('"', " ") + '"' for term in terms)
