"""Which changes of an index fit a report, by FTS5's bm25, and the features that the ranking reads."""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from bot.changes.kinds import is_code, is_test
from bot.history.database import COLUMNS
from bot.history.ranking import FEATURES
from bot.history.report import Asked, in_trace

CHOSEN = 120  # changes that are looked at closely
_TERMS = 32  # of a report that are searched: the most telling
_TITLE_TERMS = 16
_NAMES = 24
_RARE = 0.03  # a name that more of the changes hold tells little
_BEST = 2.2  # what one term adds to bm25 at most, times its idf: k1 + 1
_WEIGHTS = (3.0, 1.0, 1.0, 1.0, 0.5, 1.0, 0.5)  # of the columns, for the first choice
_TITLE_IN = ("subject", "documentation", "code", "tests")
_NAMES_IN = ("places", "code", "tests")
_FIX = re.compile(r"\bfix", re.I)
_ADD = re.compile(r"\b(?:add|support|implement|introduc|new\b|feature|enhance|allow)", re.I)


@dataclass(frozen=True, slots=True)
class Match:
    """A change that fits a report. features: in the order of `ranking.FEATURES`.

    files: those of its paths that stand in the report's stack traces. function: it changes something in a function of
    one. names: how many of the most telling names from code it holds.
    """

    unit: int
    features: tuple[float, ...]
    files: tuple[str, ...]
    function: bool
    notes: bool


class Matcher:
    """One report asked of one index. pool: the changes that may be found."""

    def __init__(self, database: sqlite3.Connection, asked: Asked, pool: Iterable[int]) -> None:
        self._database = database
        self._asked = asked
        database.executescript(
            """
            create temp table if not exists pool (id integer primary key);
            create temp table if not exists chosen (id integer primary key);
            create virtual table if not exists temp.terms using fts5vocab (main, 'text', 'row');
            delete from temp.pool;
            delete from temp.chosen;
            """
        )
        database.executemany("insert into temp.pool values (?)", ((unit,) for unit in pool))
        (self._rows,) = database.execute("select count(*) from text_docsize").fetchone()
        idf = self._idf([*asked.words, *asked.title])
        telling = sorted(asked.words, key=lambda word: -asked.words[word] * idf.get(word, 0.0))
        self._all = {word: idf[word] for word in telling[:_TERMS] if word in idf}
        self._title = {word: idf[word] for word in asked.title[: 2 * _TITLE_TERMS] if word in idf}
        self._names = self._rare(list(asked.names))

    def matches(self, also: Iterable[int] = ()) -> list[Match]:
        """The changes that fit best, and those in `also` in any case."""
        everywhere, by_title, by_name = (self._ask(terms, "pool") for terms in (self._all, self._title, self._names))
        chosen = set(also)
        for scores in (everywhere, by_title, by_name):
            chosen.update(sorted(scores, key=lambda unit: -scores[unit])[: CHOSEN // 2])
        self._database.executemany("insert into temp.chosen values (?)", ((unit,) for unit in chosen))
        columns = {column: self._ask(self._all, "chosen", column) for column in COLUMNS}
        titles = {column: self._ask(self._title, "chosen", column) for column in _TITLE_IN}
        names = {column: self._ask(self._names, "chosen", column) for column in _NAMES_IN}
        places = self._ask(dict.fromkeys(self._asked.functions, 1.0), "chosen", "places")
        parts = [*columns.values(), everywhere, by_title, by_name, *titles.values(), *names.values()]
        best = [max((scores.get(unit, 0.0) for unit in chosen), default=0.0) or 1.0 for scores in parts]
        most_all, most_title, most_names = (
            _BEST * sum(terms.values()) or 1.0 for terms in (self._all, self._title, self._names)
        )
        reached = [
            *((everywhere, most_all), (by_title, most_title), (by_name, most_names)),
            *((columns["subject"], most_all), (columns["tests"], most_all)),
            *((titles["subject"], most_title), (titles["tests"], most_title), (names["tests"], most_names)),
        ]
        rows = self._database.execute(
            "select id, subject, paths, notes, grown, shrunk, created from units"
            " where id in (select id from temp.chosen)"
        ).fetchall()
        found = []
        for unit, subject, joined, notes, grown, shrunk, created in rows:
            paths = joined.split("\n") if joined else []
            files = tuple(path for path in paths if in_trace(path, self._asked.files))
            features = (
                *(scores.get(unit, 0.0) / top for scores, top in zip(parts, best, strict=True)),
                *(scores.get(unit, 0.0) / top for scores, top in reached),
                float(bool(files)),
                float(unit in places),
                float(any(map(is_test, paths))),
                float(any(is_code(path) and not is_test(path) for path in paths)),
                log(1 + len(paths)),
                float(bool(_FIX.search(subject))),
                float(bool(_ADD.search(subject))),
                float(notes),
                log(1 + grown),
                log(1 + shrunk),
                log(1 + created),
            )
            found.append(Match(unit, features, files, unit in places, bool(notes)))
        return found

    @property
    def names(self) -> list[str]:
        """The report's rare names from code that the index knows, as the report spells them, the rarest first."""
        return [self._asked.names[name] for name in self._names]

    def names_held(self, units: Iterable[int]) -> dict[int, int]:
        """How many of them each change holds."""
        wanted = set(units)
        held: dict[int, int] = {}
        for name in self._names:
            rows = self._database.execute("select rowid from text where text match ?", (_any([name]),))
            for (unit,) in rows:
                if unit in wanted:
                    held[unit] = held.get(unit, 0) + 1
        return held

    def _idf(self, words: Sequence[str]) -> dict[str, float]:
        """As FTS5 weighs them; words that nothing holds are left out."""
        found = {}
        for word, term in self._stems(words):
            for (held,) in self._database.execute("select doc from temp.terms where term = ?", (term,)):
                found[word] = max(log((self._rows - held + 0.5) / (held + 0.5)), 0.01)
        return found

    def _stems(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """What the tokenizer makes of each word."""
        self._database.executescript(
            """
            drop table if exists temp.stems; drop table if exists temp.words;
            create virtual table temp.words using fts5 (word, content='', tokenize='porter unicode61');
            create virtual table temp.stems using fts5vocab (temp, 'words', 'instance');
            """
        )
        distinct = list(dict.fromkeys(words))
        self._database.executemany("insert into temp.words (rowid, word) values (?, ?)", enumerate(distinct))
        return [(distinct[row], term) for term, row in self._database.execute("select term, doc from temp.stems")]

    def _rare(self, names: Sequence[str]) -> dict[str, float]:
        """The names that few changes hold, with their idf."""
        found = {}
        for name in names[: 4 * _NAMES]:
            (held,) = self._database.execute(
                "select count(*) from (select 1 from text where text match ? limit ?)",
                (_any([name]), int(self._rows * _RARE) + 2),
            ).fetchone()
            if 0 < held <= self._rows * _RARE + 1:
                found[name] = log((self._rows - held + 0.5) / (held + 0.5))
        rarest = sorted(found, key=lambda name: -found[name])[:_NAMES]
        return {name: found[name] for name in rarest}

    def _ask(self, terms: Mapping[str, float], among: str, column: str = "") -> dict[int, float]:
        """bm25 of the changes that hold any of the terms; higher is better."""
        if not terms:
            return {}
        query = f"{{{column}}} : ({_any(terms)})" if column else _any(terms)
        weights = (1.0,) * len(COLUMNS) if column else _WEIGHTS
        # The plus keeps SQLite from asking once for each change.
        rows = self._database.execute(
            f"select rowid, bm25(text, {', '.join(map(str, weights))}) from text"  # noqa: S608 - our own names
            f" where text match ? and +rowid in temp.{among}",
            (query,),
        )
        return {unit: -score for unit, score in rows}


def unread(units: Iterable[int]) -> list[Match]:
    """These as if nothing of them fitted: for when there is no time to read them."""
    return [Match(unit, (0.0,) * len(FEATURES), (), function=False, notes=False) for unit in units]


def _any(terms: Iterable[str]) -> str:
    """As FTS5 wants it: each a phrase, words alone inside."""
    return " OR ".join('"' + term.replace('"', " ") + '"' for term in terms)
