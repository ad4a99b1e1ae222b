"""Fitting the ranking of `bot/history`: reports whose fix is known -> the weights that `bot/history/ranking.py` reads.

Every report is asked twice: of the year behind its base, where its fix is among the changes, and of the year before,
where it is not. A conditional logit with one more choice, that none of the changes is the fix, is fitted on both by
Newton's method. Issue and pull request numbers are masked throughout, so nothing is learned from them.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fixed_pairs import YEAR, Pair, directories, masked, pairs
from bot.history.index import indexed
from bot.history.log import Commit, Mask, commits
from bot.history.matching import Matcher
from bot.history.naming import naming
from bot.history.ranking import FEATURES, Weights
from bot.history.relations import History
from bot.history.report import Asked, read

RIDGE = 1.0
PROMISE = 0.05  # of the reports that are not fixed may be called fixed
MENTIONS, CLOSES = 3.0, 6.0  # what naming the report's number counts; no report of the data tells its number


@dataclass(frozen=True, slots=True)
class Example:
    """One report asked of one year. after: the year behind its base, else the one before.

    rows: features of each change found. named: whether each closes the report's number, `None` where it does not name
    it. right: which of them are the fix. plain: the places of the right ones by plain BM25, from 1.
    """

    pair: Pair
    after: bool
    rows: np.ndarray
    named: tuple[bool | None, ...]
    right: np.ndarray
    plain: int


def examples(repos: Path, cache: Path, mask: Mask | None = masked) -> Iterator[Example]:
    """Of all repositories below `repos`, each report's year after and its year before; the indexes lie in `cache`."""
    places = directories(repos)
    found = list(pairs(repos))
    for repository in sorted({pair.repository for pair in found}):
        own = [pair for pair in found if pair.repository == repository]
        key = f"{repository.replace('/', '+')}{'.masked' if mask else ''}"
        index = indexed(cache, key, places[repository], own[0].head, mask=mask)
        with index.reading() as database:
            asking = Asking(database, places[repository], own[0].head, mask)
            for pair in own:
                yield from (asking.example(pair, after) for after in (True, False))


class Asking:
    """One repository's index, asked many times."""

    def __init__(self, database: sqlite3.Connection, place: Path, head: str, mask: Mask | None) -> None:
        self._database = database
        self._place = place
        self._mask = mask
        self._history = History(database)
        self._at = dict(database.execute("select id, at from commits"))
        self._plain(commits(place, [head]))

    def example(self, pair: Pair, after: bool) -> Example:
        units, numbers = self._history.units, self._history.numbers
        pool = self._pool(pair, after)
        fix = {units[number] for sha in pair.fix if (number := numbers.get(sha)) in units}
        sought = replace(pair.sought, number=None if self._mask else self._number(fix), repository=pair.repository)
        named = naming(self._database, sought, pool)
        asked = read(sought, self._mask)
        found = Matcher(self._database, asked, pool).matches(named)
        return Example(
            pair=pair,
            after=after,
            rows=np.array([match.features for match in found]).reshape(len(found), len(FEATURES)),
            named=tuple(named.get(match.unit) for match in found),
            right=np.array([match.unit in fix for match in found], dtype=bool),
            plain=self._plainly(asked, pool, fix) if after else 0,
        )

    def _pool(self, pair: Pair, after: bool) -> set[int]:
        """The changes of the year after or before the base."""
        graph, numbers, units = self._history.graph, self._history.numbers, self._history.units
        base = numbers[pair.base]
        at = self._at[base]
        before = graph.reachable([base])
        if after:
            new = graph.reachable([numbers[pair.head]]) - before
            return {units[number] for number in new if number in units and self._at[number] <= at + YEAR}
        return {units[number] for number in before if number in units and self._at[number] >= at - YEAR}

    def _number(self, fix: set[int]) -> int | None:
        """The issue that the fix says it closes, else the only one it names."""
        rows = [
            row
            for unit in fix
            for row in self._database.execute(
                "select number, closes from names, units where unit = ? and units.id = unit and number <> pull", (unit,)
            )
        ]
        closed = sorted({number for number, closes in rows if closes})
        told = {number for number, _ in rows}
        return closed[0] if closed else told.pop() if len(told) == 1 else None

    def _plain(self, history: Iterable[Commit]) -> None:
        """Every change as its messages and paths, and nothing else."""
        self._database.execute(
            "create virtual table temp.plain using fts5 (text, content='', tokenize='porter unicode61')"
        )
        paths = dict(self._database.execute("select id, paths from units"))
        texts: dict[int, list[str]] = {}
        for commit in history:
            if (unit := self._history.units.get(self._history.numbers[commit.sha])) is not None:
                texts.setdefault(unit, [paths[unit]]).append(
                    self._mask(commit.message) if self._mask else commit.message
                )
        rows = ((unit, "\n".join(parts)) for unit, parts in texts.items())
        self._database.executemany("insert into temp.plain (rowid, text) values (?, ?)", rows)

    def _plainly(self, asked: Asked, pool: set[int], fix: set[int]) -> int:
        """The place of the fix by bm25 of all of the report's words; 0 where none of them is in it."""
        query = " OR ".join(f'"{word}"' for word in asked.words)
        rows = self._database.execute("select rowid from temp.plain where text match ? order by rank", (query or '""',))
        ranked = [unit for (unit,) in rows if unit in pool] if query else []
        return next((place for place, unit in enumerate(ranked, 1) if unit in fix), 0)


def fit(found: Sequence[Example]) -> np.ndarray:
    """The bias and the weights that make what is known most likely."""
    tables = []
    for example in found:
        if example.after and not example.right.any():
            continue  # the matching lost it; the ranking has nothing to choose
        rows = np.vstack([np.zeros(len(FEATURES) + 1), np.column_stack([np.ones(len(example.rows)), example.rows])])
        right = np.append(not example.after, example.right).astype(float)
        tables.append((rows, right))
    penalty = RIDGE * np.diag([0.0] + [1.0] * len(FEATURES))
    weights = np.zeros(len(FEATURES) + 1)
    for _ in range(100):
        slope, curvature = -penalty @ weights, penalty + 1e-6 * np.eye(len(weights))
        for rows, right in tables:
            chance = _softmax(rows @ weights)
            share = chance * right / (chance @ right)
            mean = chance @ rows
            slope += share @ rows - mean
            curvature += (rows * chance[:, None]).T @ rows - np.outer(mean, mean)
        step = np.linalg.solve(curvature, slope)
        weights += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-6:
            break
    return weights


def _softmax(utilities: np.ndarray) -> np.ndarray:
    shares = np.exp(utilities - utilities.max())
    return np.asarray(shares / shares.sum())


def weights_of(fitted: np.ndarray, cut: float) -> Weights:
    return Weights.read(raw(fitted, cut))


def raw(fitted: np.ndarray, cut: float) -> dict[str, Any]:
    """As the JSON file holds it."""
    return {
        "made_by": "benchmarks/train_fixed_search.py",
        "bias": round(float(fitted[0]), 4),
        "weights": {name: round(float(value), 4) for name, value in zip(FEATURES, fitted[1:], strict=True)},
        "mentions": MENTIONS,
        "closes": CLOSES,
        "cut": round(cut, 4),
    }


def scores(example: Example, weights: Weights) -> np.ndarray:
    return np.array(weights.probabilities(example.rows.tolist(), example.named))


def held_out(found: Sequence[Example]) -> dict[str, Weights]:
    """For each repository the weights that were fitted without it; their cut is not set."""
    return {
        name: weights_of(fit([example for example in found if example.pair.repository != name]), 1.0)
        for name in {example.pair.repository for example in found}
    }


def cut_of(found: Sequence[Example], scored: Sequence[np.ndarray]) -> float:
    """The score that `PROMISE` of the reports that are not fixed reach."""
    best = [values.max(initial=0.0) for example, values in zip(found, scored, strict=True) if not example.after]
    return float(np.quantile(best, 1 - PROMISE))
