"""Fitting the ranking of `bot/history`: reports whose fix is known -> the weights that `bot/history/ranking.py` reads.

Every report is asked twice: of the year behind its base, where its fix is among the changes, and of the year before,
where it is not. A conditional logit with one more choice, that none of the changes is the fix, is fitted on both by
Newton's method. Issue and pull request numbers are masked throughout, so nothing is learned from them.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fixed_pairs import YEAR, Pair, directories, git, masked, pairs
from bot.history.database import load
from bot.history.index import indexed
from bot.history.log import Mask
from bot.history.matching import Matcher
from bot.history.ranking import FEATURES, Weights
from bot.history.report import read

RIDGE = 1.0
PROMISE = 0.05  # of the reports that are not fixed may be called fixed
MENTIONS, CLOSES = 3.0, 6.0  # what naming the report's number counts; no report of the data tells its number


@dataclass(frozen=True, slots=True)
class Example:
    """One report asked of one year. rows: features of each change found. right: which of them are the fix.

    searched: changes in the pool. present: whether the fix is in the pool at all.
    """

    pair: Pair
    after: bool
    units: tuple[int, ...]
    rows: np.ndarray
    right: np.ndarray
    searched: int
    present: bool


def examples(repos: Path, cache: Path, mask: Mask | None = masked) -> Iterator[Example]:
    """Of all repositories below `repos`; their indexes lie in `cache`."""
    places = directories(repos)
    found = list(pairs(repos))
    for repository in sorted({pair.repository for pair in found}):
        own = [pair for pair in found if pair.repository == repository]
        key = f"{repository.replace('/', '+')}{'.masked' if mask else ''}"
        index = indexed(cache, key, places[repository], own[0].head, mask=mask)
        with index.reading() as database:
            history = History(database)
            for pair in own:
                at = int(git(places[repository], "log", "-1", "--format=%ct", pair.base))
                yield from (history.example(pair, at, after, mask) for after in (True, False))


class History:
    """One repository's index, asked many times."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._graph, self._numbers = load(database)
        rows = database.execute("select commits.id, at, unit from commits join units on units.id = unit").fetchall()
        self._at = {number: at for number, at, _ in rows}
        self._unit = {number: unit for number, _, unit in rows}

    def example(self, pair: Pair, at: int, after: bool, mask: Mask | None) -> Example:
        pool = self.pool(pair, at, after)
        fix = {self._unit[number] for sha in pair.fix if (number := self._numbers.get(sha)) in self._unit}
        found = Matcher(self._database, read(pair.sought, mask), pool).matches()
        return Example(
            pair=pair,
            after=after,
            units=tuple(match.unit for match in found),
            rows=np.array([match.features for match in found]).reshape(len(found), len(FEATURES)),
            right=np.array([after and match.unit in fix for match in found], dtype=bool),
            searched=len(pool),
            present=after and bool(fix & pool),
        )

    def pool(self, pair: Pair, at: int, after: bool) -> set[int]:
        """The changes of the year after or before the base."""
        before = self._graph.reachable([self._numbers[pair.base]])
        if after:
            numbers = self._graph.reachable([self._numbers[pair.head]]) - before
            return {self._unit[number] for number in numbers if self._at.get(number, at + 2 * YEAR) <= at + YEAR}
        return {self._unit[number] for number in before if self._at.get(number, 0) >= at - YEAR}


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
    return np.array(weights.probabilities(example.rows.tolist(), [0.0] * len(example.rows)))


def cross_validated(found: Sequence[Example]) -> list[np.ndarray]:
    """The scores of each example by weights that were fitted without its repository."""
    repositories = {example.pair.repository for example in found}
    fitted = {
        held_out: weights_of(fit([example for example in found if example.pair.repository != held_out]), 1.0)
        for held_out in repositories
    }
    return [scores(example, fitted[example.pair.repository]) for example in found]


def cut_of(found: Sequence[Example], scored: Sequence[np.ndarray]) -> float:
    """The score that `PROMISE` of the reports that are not fixed reach."""
    best = [values.max(initial=0.0) for example, values in zip(found, scored, strict=True) if not example.after]
    return float(np.quantile(best, 1 - PROMISE))
