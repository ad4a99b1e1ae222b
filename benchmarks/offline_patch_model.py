"""Fitting the offline patch judge: from recorded patches to the weights `bot/judges/offline/patches.py` reads.

A ridge logistic regression on features of issue and diff. The target is whether the patch failed the tests that were
hidden from its author. All cuts and the calibration come from predictions for repositories the regression did not see.
A task with many patches counts for less than their number, because its patches are alike.
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bot.changes.read import read_change
from bot.changes.values import Change
from bot.judges.offline.patch_features import features_of
from bot.judges.offline.patches import MOST_SPREADS, PatchWeights
from bot.judges.patches import PatchSubject
from bot.policy_choices import Strictness
from bot.pulls.asked import specification

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FILES = ("patch_triples.jsonl", "issues_annotated.jsonl", "issues_unannotated.jsonl")
PICKED_BY_ORACLE = "polydev"
PROMISES = {Strictness.LENIENT: 0.05, Strictness.BALANCED: 0.10, Strictness.STRICT: 0.25}

RIDGE = 200.0
CUTS = 91  # cuts that are tried for the best macro-F


@dataclass(frozen=True)
class Patch:
    """One recorded patch. wrong: it did not pass the hidden tests. kept: BouncerBench would have kept its task.

    length: characters of the diff. repeated: the same patch of the same task came before.
    """

    task: str
    repository: str
    subject: PatchSubject
    counted: dict[str, float]
    wrong: bool
    kept: bool
    length: int
    repeated: bool


def subject_of(problem: str, change: Change) -> PatchSubject:
    """As the command line reads it: the first line is the title."""
    title, _, body = problem.partition("\n")
    return PatchSubject(specification(title.strip(), body), change)


def load(data: Path = DATA) -> list[Patch]:
    """Every patch with its issue, but for those that were picked with the test oracle."""
    issues = {row["instance_id"]: row for name in FILES[1:] for row in _rows(data / name)}
    patches, seen = [], set()
    for row in _rows(data / FILES[0]):
        if PICKED_BY_ORACLE in row["submission"]:
            continue
        task, diff = row["instance_id"], row["model_patch"]
        issue = issues[task]
        subject = subject_of(issue["problem_statement"], read_change(diff))
        patches.append(
            Patch(
                task=task,
                repository=task.rpartition("-")[0],
                subject=subject,
                counted=features_of(subject.issue, subject.change),
                wrong=not row["resolved"],
                kept=issue.get("false_negative") in (0, 1) and issue.get("other_major_issues") == 0,
                length=len(diff),
                repeated=(task, diff) in seen,
            )
        )
        seen.add((task, diff))
    return patches


def fit(patches: list[Patch]) -> dict[str, Any]:
    """Weights from these patches only, cuts and calibration included."""
    names = list(patches[0].counted)
    values = np.log1p([[patch.counted[name] for name in names] for patch in patches])
    wrong = np.array([patch.wrong for patch in patches])
    repositories = np.array([patch.repository for patch in patches])
    tasks = Counter(patch.task for patch in patches)
    weight = np.array([tasks[patch.task] ** -0.5 for patch in patches])
    scores = np.zeros(len(patches))
    for held_out in np.unique(repositories):
        inside = repositories == held_out
        scores[inside] = _Regression.of(values[~inside], wrong[~inside], weight[~inside]).score(values[inside])
    slope, offset = logistic(np.column_stack([scores, np.ones_like(scores)]), wrong, np.ones_like(scores), 1e-9)
    chances = 1 / (1 + np.exp(-(slope * scores + offset)))
    final = _Regression.of(values, wrong, weight)
    return {
        "made_by": "benchmarks/train_offline_patches.py",
        "patches": len(patches),
        "slope": round(float(slope), 4),
        "offset": round(float(offset), 4),
        "thresholds": {
            strictness.value: round(float(np.quantile(chances[~wrong], 1 - promise)), 4)
            for strictness, promise in PROMISES.items()
        },
        "even": round(best_cut(chances, wrong), 4),
        "intercept": round(float(final.intercept), 5),
        "features": {
            name: [round(float(number), 5) for number in (final.mean[at], final.spread[at], final.weights[at])]
            for at, name in enumerate(names)
        },
    }


def weights_of(patches: list[Patch]) -> PatchWeights:
    """As the judge reads them."""
    return PatchWeights.read(fit(patches))


def best_cut(scores: np.ndarray, wrong: np.ndarray) -> float:
    """The cut with the best macro-F when everything from it on is bounced."""
    cuts = np.quantile(scores, np.linspace(0.05, 0.95, CUTS))
    return float(max(cuts, key=lambda cut: macro_f(wrong, scores >= cut)))


def macro_f(truth: np.ndarray, predicted: np.ndarray) -> float:
    """The mean of the two classes' F1."""
    return (_f1(truth, predicted) + _f1(~truth, ~predicted)) / 2


def logistic(design: np.ndarray, truth: np.ndarray, weight: np.ndarray, ridge: float) -> np.ndarray:
    """Coefficients of a ridge logistic regression, by Newton's method; the last column is not drawn to zero."""
    penalty = np.full(design.shape[1], ridge)
    penalty[-1] = 1e-9
    solution = np.zeros(design.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-design @ solution))
        curvature = (design * (weight * chance * (1 - chance))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, design.T @ (weight * (truth - chance)) - penalty * solution)
        solution = solution + step
        if np.abs(step).max() < 1e-6:
            break
    return solution


@dataclass(frozen=True)
class _Regression:
    mean: np.ndarray
    spread: np.ndarray
    weights: np.ndarray
    intercept: float

    @classmethod
    def of(cls, values: np.ndarray, wrong: np.ndarray, weight: np.ndarray) -> "_Regression":
        mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-3)
        solution = logistic(_design(values, mean, spread), wrong, weight / weight.mean(), RIDGE)
        return cls(mean, spread, solution[:-1], solution[-1])

    def score(self, values: np.ndarray) -> np.ndarray:
        scores: np.ndarray = _design(values, self.mean, self.spread) @ np.append(self.weights, self.intercept)
        return scores


def _design(values: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    away = np.clip((values - mean) / spread, -MOST_SPREADS, MOST_SPREADS)
    return np.column_stack([away, np.ones(len(values))])


def _f1(truth: np.ndarray, predicted: np.ndarray) -> float:
    total = truth.sum() + predicted.sum()
    return float(2 * (truth & predicted).sum() / total) if total else 0.0


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
