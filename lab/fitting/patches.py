"""Fitting the offline patch judge: from recorded patches to the weights `bot/judges/offline/patches.py` reads.

A ridge logistic regression on features of issue and diff. The target is whether the patch failed the tests that were
hidden from its author. All cuts and the calibration come from predictions for repositories the regression did not see.
A task with many patches counts for less than their number, because its patches are alike.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.changes.read import read_change
from bot.changes.values import Change
from bot.child_process import TooLong, run_bounded
from bot.judges.offline.patch_features import features_of
from bot.judges.offline.patches import MOST_SPREADS, PatchWeights
from bot.judges.patches import PatchSubject
from bot.policy_choices import PROMISES
from bot.pulls.issue_links import specification
from lab.data.files import DataError
from lab.data.patches import RecordedPatch
from lab.fitting.labels import upper_bound

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

RIDGE = 200.0
CUTS = 91  # cuts that are tried for the best macro-F


@dataclass(frozen=True, slots=True)
class CountedPatch:
    """One recorded patch as the fit sees it. length: characters of the diff."""

    task: str
    repository: str
    counted: dict[str, float]
    wrong: bool
    length: int


def subject_of(problem: str, change: Change) -> PatchSubject:
    """As the command line reads it: the first line is the title."""
    title, _, body = problem.partition("\n")
    return PatchSubject(specification(title.strip(), body), change)


def count_features(patch: RecordedPatch) -> CountedPatch | None:
    """What the judge counts in it; `None` where that takes too long."""
    subject = subject_of(patch.issue, read_change(patch.patch))
    found = run_bounded(len(subject.issue) + subject.change.size, features_of, subject.issue, subject.change)
    if isinstance(found, TooLong):
        return None
    return CountedPatch(patch.task, patch.repository, found, patch.wrong, len(patch.patch))


def weights_by_repository(patches: Sequence[CountedPatch]) -> Iterator[tuple[str, PatchWeights, float]]:
    """For each repository: the weights, and the length of a diff from which on bouncing is best, fitted on the others.

    Raises `DataError` where there are too few repositories to learn from.
    """
    repositories = sorted({patch.repository for patch in patches})
    for repository in repositories:
        others = [patch for patch in patches if patch.repository != repository]
        if len({patch.repository for patch in others}) < 2 or not _both(others):
            raise DataError(
                "To judge each repository by what the others show, patches of at least three repositories are needed, "
                "right and wrong ones. Use --weights packaged for the weights that come with Bouncer."
            )
        wrong = np.array([patch.wrong for patch in others])
        longest = best_cut(np.array([float(patch.length) for patch in others]), wrong)
        yield repository, weights_of(others), longest


def _both(patches: Sequence[CountedPatch]) -> bool:
    """Whether each repository's patches could be held back and right and wrong ones were left."""
    return all(
        len({patch.wrong for patch in patches if patch.repository != held}) == 2
        for held in {patch.repository for patch in patches}
    )


def fit(patches: Sequence[CountedPatch]) -> dict[str, Any]:
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
        "made_by": "lab/training/offline_patches.py",
        "patches": len(patches),
        "slope": round(float(slope), 4),
        "offset": round(float(offset), 4),
        "thresholds": {
            strictness.value: cut_within(chances, wrong, [patch.task for patch in patches], promise)
            for strictness, promise in PROMISES.items()
        },
        "even": round(best_cut(chances, wrong), 4),
        "intercept": round(float(final.intercept), 5),
        "features": {
            name: [round(float(number), 5) for number in (final.mean[at], final.spread[at], final.weights[at])]
            for at, name in enumerate(names)
        },
    }


def cut_within(chances: Numbers, wrong: Flags, tasks: Sequence[str], promise: float) -> float:
    """The lowest cut that bounces at most this share of the right patches, by Wilson's one-sided bound of 95%. Patches
    of one task are alike, so the bound counts tasks."""
    right = np.sort(chances[~wrong])
    many = len({task for task, bad in zip(tasks, wrong, strict=True) if not bad})
    for cut in np.unique(np.ceil(chances * 10_000) / 10_000):
        share = 1 - np.searchsorted(right, cut) / len(right)
        if upper_bound(float(share) * many, many) <= promise:
            return float(cut)
    return 1.0


def weights_of(patches: Sequence[CountedPatch]) -> PatchWeights:
    """As the judge reads them."""
    return PatchWeights.read(fit(patches))


def best_cut(scores: Numbers, wrong: Flags) -> float:
    """The cut with the best macro-F when everything from it on is bounced."""
    cuts = np.quantile(scores, np.linspace(0.05, 0.95, CUTS))
    return float(max(cuts, key=lambda cut: macro_f(wrong, scores >= cut)))


def macro_f(truth: Flags, predicted: Flags) -> float:
    """The mean of the two classes' F1."""
    return (_f1(truth, predicted) + _f1(~truth, ~predicted)) / 2


def logistic(design: Numbers, truth: Flags, weight: Numbers, ridge: float) -> Numbers:
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
    mean: Numbers
    spread: Numbers
    weights: Numbers
    intercept: float

    @classmethod
    def of(cls, values: Numbers, wrong: Flags, weight: Numbers) -> "_Regression":
        mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-3)
        solution = logistic(_design(values, mean, spread), wrong, weight / weight.mean(), RIDGE)
        return cls(mean, spread, solution[:-1], solution[-1])

    def score(self, values: Numbers) -> Numbers:
        scores: Numbers = _design(values, self.mean, self.spread) @ np.append(self.weights, self.intercept)
        return scores


def _design(values: Numbers, mean: Numbers, spread: Numbers) -> Numbers:
    away = np.clip((values - mean) / spread, -MOST_SPREADS, MOST_SPREADS)
    return np.column_stack([away, np.ones(len(values))])


def _f1(truth: Flags, predicted: Flags) -> float:
    total = truth.sum() + predicted.sum()
    return float(2 * (truth & predicted).sum() / total) if total else 0.0
