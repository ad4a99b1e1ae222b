"""Fit the weights of `bot/history` on reports whose fix is known and write them beside the ranking.

    python -m lab.training.fixed_search --repos DIR [--cache DIR]

DIR holds repositories with their whole history as `OWNER+NAME/repo`, `OWNER+NAME.git` or `OWNER+NAME`; the reports are
those of `../shared/data/already_fixed_pairs.jsonl` whose fix is found there. Run it again whenever `bot/history` reads
changes or reports differently; `lab/benchmarks/fixed_search.py` measures what it gives on repositories it has not seen.

Every report is asked twice: of the year behind its base, where its fix is among the changes, and of the year before,
where it is not. Three models follow each other, each fitted on what the one before it gives for repositories that it
has not seen: a conditional logit over the changes with one more choice, that none of them is the fix; the same over the
best ones with what git says of them; a logistic regression whether the first one is the fix. All by Newton's method.
Issue and pull request numbers are masked throughout, so nothing is learned from them.
"""

import json
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bot.history.git_trace import HistoryTracer, TraceMade
from bot.history.index import indexed
from bot.history.log import LoggedCommit, Mask, commits
from bot.history.matching import Matcher
from bot.history.ranking import FEATURES, LIKELY, TRACED, SearchWeights, standing
from bot.history.relations import History, naming
from bot.history.report import SearchQuery, read
from lab.benchmarks.fixed_pairs import CACHE, FOLDER, YEAR, Pair, mask_numbers, pairs
from lab.benchmarks.processes import read_options, scratch
from lab.data.git_commits import directories
from lab.fitting.logistic import logistic

WEIGHTS = Path(__file__).resolve().parents[2] / "bot" / "history" / "weights.json"
RIDGE = 1.0
TRACE, SECONDS = 10, 60.0  # changes that git is asked about, and for how long
PROMISE = 0.05  # of the reports that are not fixed may be called fixed
MENTIONS, CLOSES = 5.0, 10.0  # what naming the report's number counts; no report of the data tells its number
RELATED = 5.0  # what closing one with the same symptoms counts; the data tell none


@dataclass(frozen=True, slots=True)
class Example:
    """One report asked of one year. after: the year behind its base, else the one before.

    rows: features of each change found. named: whether each closes the report's number, `None` where it does not name
    it. right: which of them are the fix. plain: the place of the fix by plain BM25, from 1.
    made: what each change is; between, names, asked: what git can be asked about them; traced: what it says of the
    best.
    """

    pair: Pair
    after: bool
    rows: np.ndarray
    named: tuple[bool | None, ...]
    right: np.ndarray
    plain: int
    made: tuple[TraceMade, ...]
    between: tuple[str | None, str]
    names: tuple[str, ...]
    asked: SearchQuery
    traced: tuple[tuple[float, ...] | None, ...] = ()


def examples(repos: Path, cache: Path, mask: Mask = mask_numbers) -> Iterator[Example]:
    """Of all repositories below `repos`, each report's year after and its year before; the indexes lie in `cache`."""
    places = directories(repos)
    found = list(pairs(repos))
    for repository in sorted({pair.repository for pair in found}):
        own = [pair for pair in found if pair.repository == repository]
        key = f"{repository.replace('/', '+')}{'' if mask is str else '.masked'}"
        index = indexed(cache, key, places[repository], own[0].head, mask=mask)
        with index.reading() as database:
            asking = HistoryQueries(database, places[repository], own[0].head, mask)
            for pair in own:
                yield from (asking.example(pair, after) for after in (True, False))


class HistoryQueries:
    """One repository's index, asked many times."""

    def __init__(self, database: sqlite3.Connection, place: Path, head: str, mask: Mask) -> None:
        self._database = database
        self._place = place
        self._mask = mask
        self._history = History(database)
        self._at: dict[int, int] = dict(database.execute("select id, at from commits").fetchall())
        self._numbers: dict[str, int] = dict(database.execute("select sha, id from commits").fetchall())
        self._shas = {number: sha for sha, number in self._numbers.items()}
        self._plain(commits(place, [head]))

    def example(self, pair: Pair, after: bool) -> Example:
        pool, between = self._pool(pair, after)
        fix = self._history.units_of(self._numbers[sha] for sha in pair.fix if sha in self._numbers)
        sought = replace(
            pair.sought, number=self._number(fix) if self._mask is str else None, repository=pair.repository
        )
        named = naming(self._database, sought.number, sought.repository, pool)
        asked = read(sought, self._mask)
        matcher = Matcher(self._database, asked)
        found = [one for one in matcher.matches(pool, named) if not self._history.undoes(one.unit, pool)]
        return Example(
            pair=pair,
            after=after,
            rows=np.array([match.features for match in found]).reshape(len(found), len(FEATURES)),
            named=tuple(named.get(match.unit) for match in found),
            right=np.array([match.unit in fix for match in found], dtype=bool),
            plain=self._plainly(asked, pool, fix) if after else 0,
            made=tuple(self._history.made(match.unit, match.files) for match in found),
            between=between,
            names=tuple(matcher.names),
            asked=asked,
        )

    def _pool(self, pair: Pair, after: bool) -> tuple[set[int], tuple[str | None, str]]:
        """The changes of the year after or before the base, and the two commits that they lie between."""
        graph, numbers = self._history.graph, self._numbers
        base = numbers[pair.base]
        at = self._at[base]
        before = graph.reachable([base])
        if after:
            new = graph.reachable([numbers[pair.head]]) - before
            year = {number for number in new if self._at[number] <= at + YEAR}
            ends = base, max(year, default=base)
        else:
            year = {number for number in before if self._at[number] >= at - YEAR}
            ends = max(before - year, default=0), base
        return self._history.units_of(year), (self._shas.get(ends[0]), self._shas[ends[1]])

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

    def _plain(self, history: Iterable[LoggedCommit]) -> None:
        """Every change as its messages and paths, and nothing else."""
        self._database.execute(
            "create virtual table temp.plain using fts5 (text, content='', tokenize='porter unicode61')"
        )
        paths = dict(self._database.execute("select id, paths from units"))
        texts: dict[int, list[str]] = {}
        for commit in history:
            if (unit := self._history.unit(self._numbers[commit.sha])) is not None:
                texts.setdefault(unit, [paths[unit]]).append(self._mask(commit.message))
        rows = ((unit, "\n".join(parts)) for unit, parts in texts.items())
        self._database.executemany("insert into temp.plain (rowid, text) values (?, ?)", rows)

    def _plainly(self, asked: SearchQuery, pool: set[int], fix: set[int]) -> int:
        """The place of the fix by bm25 of all of the report's words; 0 where none of them is in it."""
        query = " OR ".join(f'"{word}"' for word in asked.words)
        rows = self._database.execute("select rowid from temp.plain where text match ? order by rank", (query or '""',))
        ranked = [unit for (unit,) in rows if unit in pool] if query else []
        return next((place for place, unit in enumerate(ranked, 1) if unit in fix), 0)


def with_traces(found: Sequence[Example], weights: dict[str, SearchWeights], repos: Path, mask: Mask) -> list[Example]:
    """With what git says of the changes that are best by the weights of each one's repository."""
    places = directories(repos)

    def one(example: Example) -> Example:
        best = np.argsort(-plainly(example, weights[example.pair.repository]), kind="stable")[:TRACE].tolist()
        place, end = places[example.pair.repository], time.monotonic() + SECONDS
        tracer = HistoryTracer(place, *example.between, end, mask)
        said = tracer.traced({row: example.made[row] for row in best}, example.asked, example.names)
        rows = (said[row].features if row in said else None for row in range(len(example.made)))
        return replace(example, traced=tuple(rows))

    with ThreadPoolExecutor(4) as pool:  # git does the work
        return list(pool.map(one, found))


def fit(found: Sequence[Example]) -> np.ndarray:
    """The bias and the weights that make what is known most likely."""
    tables = []
    for example in found:
        rows = np.vstack([np.zeros(len(FEATURES) + 1), np.column_stack([np.ones(len(example.rows)), example.rows])])
        tables.append((example, np.zeros(len(rows)), rows))
    return _conditional(tables, np.array([0.0] + [RIDGE] * len(FEATURES)))


def fit_traced(found: Sequence[Example], weights: dict[str, SearchWeights]) -> np.ndarray:
    """What git's word moves the probabilities that the weights of each one's repository give."""
    tables = []
    for example in found:
        chances = plainly(example, weights[example.pair.repository])
        utilities = np.log(np.append(1 - chances.sum(), chances).clip(1e-12))
        nothing = (0.0,) * len(TRACED)
        tables.append((example, utilities, np.array([nothing, *(row or nothing for row in example.traced)])))
    return _conditional(tables, np.full(len(TRACED), RIDGE))


def _conditional(tables: Sequence[tuple[Example, np.ndarray, np.ndarray]], ridge: np.ndarray) -> np.ndarray:
    """A conditional logit over the rows of each example, of which the first stands for none of its changes, beginning
    with the utilities that are known."""
    weights = np.zeros(len(ridge))
    for _ in range(100):
        slope, curvature = -ridge * weights, np.diag(ridge) + 1e-6 * np.eye(len(weights))
        for example, utilities, rows in tables:
            if example.after and not example.right.any():
                continue  # the matching lost it; the ranking has nothing to choose
            right = np.append(not example.after, example.right).astype(float)
            chance = _softmax(utilities + rows @ weights)
            share = chance * right / (chance @ right)
            mean = chance @ rows
            slope += share @ rows - mean
            curvature += (rows * chance[:, None]).T @ rows - np.outer(mean, mean)
        step = np.linalg.solve(curvature, slope)
        weights += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-6:
            break
    return weights


def fit_likely(found: Sequence[Example], scored: Sequence[np.ndarray]) -> np.ndarray:
    """A logistic regression: whether the first change is the fix."""
    rows = np.array([lead(example, values) for example, values in zip(found, scored, strict=True)])
    right = np.array([first_is_right(example, values) for example, values in zip(found, scored, strict=True)], float)
    return logistic(rows, right, np.array([0.0] + [RIDGE] * (len(LIKELY) - 1)))


def lead(example: Example, scored: np.ndarray) -> tuple[float, ...]:
    return standing(scored.max(initial=0.0), scored.tolist())


def first_is_right(example: Example, scored: np.ndarray) -> bool:
    return bool(len(scored) and example.right[scored.argmax()])


def _softmax(utilities: np.ndarray) -> np.ndarray:
    shares = np.exp(utilities - utilities.max())
    return np.asarray(shares / shares.sum())


def raw(
    fitted: np.ndarray, git: np.ndarray | None = None, likely: np.ndarray | None = None, cut: float = 1.0
) -> dict[str, Any]:
    """As the JSON file holds it; what is not fitted yet counts nothing."""

    def told(names: Sequence[str], values: np.ndarray | None) -> dict[str, float]:
        known = np.zeros(len(names)) if values is None else values
        return {name: round(float(value), 4) for name, value in zip(names, known, strict=True)}

    return {
        "made_by": "lab/training/fixed_search.py",
        "bias": round(float(fitted[0]), 4),
        "weights": told(FEATURES, fitted[1:]),
        "traced": told(TRACED, git),
        "likely": told(LIKELY, likely),
        "mentions": MENTIONS,
        "closes": CLOSES,
        "related": RELATED,
        "cut": round(cut, 4),
    }


def plainly(example: Example, weights: SearchWeights) -> np.ndarray:
    """The probabilities before git is asked."""
    told = [weights.told(closes) for closes in example.named]
    return np.array(weights.probabilities(example.rows.tolist(), told))


def scores(example: Example, weights: SearchWeights) -> np.ndarray:
    return np.array(weights.moved(plainly(example, weights).tolist(), example.traced))


@dataclass(frozen=True, slots=True)
class Trained:
    """raw: the weights of all reports, as the JSON file holds them. held_out: for each repository those of the others.
    found: the reports, with what git says of the best changes."""

    raw: dict[str, Any]
    held_out: dict[str, SearchWeights]
    found: list[Example]


def train(found: Sequence[Example], repos: Path) -> Trained:
    """Masked reports only: nothing else is learned from."""
    names = sorted({example.pair.repository for example in found})
    fitted = {name: fit([example for example in found if example.pair.repository != name]) for name in names}
    plain = {name: SearchWeights.read(raw(fitted[name])) for name in names}
    found = with_traces(found, plain, repos, mask_numbers)

    def rest(among: Sequence[Any], name: str) -> list[Any]:
        return [one for one, example in zip(among, found, strict=True) if example.pair.repository != name]

    git = {name: fit_traced(rest(found, name), plain) for name in names}
    moved = {name: SearchWeights.read(raw(fitted[name], git[name])) for name in names}
    scored = [scores(example, moved[example.pair.repository]) for example in found]
    likely = {name: fit_likely(rest(found, name), rest(scored, name)) for name in names}
    leads = [lead(example, values) for example, values in zip(found, scored, strict=True)]
    called = [_chance(likely[example.pair.repository], row) for example, row in zip(found, leads, strict=True)]
    held_out = {
        name: SearchWeights.read(
            raw(fitted[name], git[name], likely[name], cut_of(rest(found, name), rest(called, name)))
        )
        for name in names
    }
    cut = cut_of(found, called)
    return Trained(raw(fit(found), fit_traced(found, plain), fit_likely(found, scored), cut), held_out, found)


def _chance(weights: np.ndarray, row: Sequence[float]) -> float:
    return float(1 / (1 + np.exp(-np.array(row) @ weights)))


def cut_of(found: Sequence[Example], called: Sequence[float]) -> float:
    """The probability that at most `PROMISE` of the reports that are not fixed reach: of so few, one more than the
    quantile, so that it holds for the next report too (split conformal prediction, Papadopoulos and others 2002)."""
    known = [one for example, one in zip(found, called, strict=True) if not example.after]
    return float(np.quantile(known, min(1.0, (len(known) + 1) * (1 - PROMISE) / len(known)), method="higher"))


def main() -> None:
    options = read_options(__doc__, repos=FOLDER, cache=CACHE)
    with scratch() as directory:
        found = list(examples(options.repos, options.cache or directory))
    if not found:
        sys.exit(f"No fix of any report was found below {options.repos}: nothing was trained.")
    weights = train(found, options.repos).raw
    WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found) // 2} reports, cut at {weights['cut']:.3f} -> {WEIGHTS.name}")


if __name__ == "__main__":
    main()
