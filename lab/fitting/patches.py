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

from bot.child_process import TooLong, run_bounded
from bot.commands.judge_patches import patch_subject
from bot.judges.offline.patch_features import features_of
from bot.judges.offline.patches import MOST_SPREADS, WEIGHTS, PatchWeights
from bot.policy_choices import PROMISES
from lab.data.files import DataError
from lab.data.patches import RecordedPatch
from lab.fitting.labels import upper_bound
from lab.fitting.logistic import Flags, Numbers, logistic, macro_f

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


def count_features(patch: RecordedPatch) -> CountedPatch | None:
    """What the judge counts in it; `None` where that takes too long."""
    subject = patch_subject(patch.issue, patch.patch)
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
        yield repository, WEIGHTS.validate_python(fit(others)), longest


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
    slope, offset = logistic(np.column_stack([scores, np.ones_like(scores)]), wrong, np.full(2, 1e-9))
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


def best_cut(scores: Numbers, wrong: Flags) -> float:
    """The cut with the best macro-F when everything from it on is bounced."""
    cuts = np.quantile(scores, np.linspace(0.05, 0.95, CUTS))
    return float(max(cuts, key=lambda cut: macro_f(wrong, scores >= cut)))


@dataclass(frozen=True)
class _Regression:
    mean: Numbers
    spread: Numbers
    weights: Numbers
    intercept: float

    @classmethod
    def of(cls, values: Numbers, wrong: Flags, weight: Numbers) -> "_Regression":
        mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-3)
        ridge = np.append(np.full(len(mean), RIDGE), 1e-9)
        solution = logistic(_design(values, mean, spread), wrong, ridge, weight / weight.mean())
        return cls(mean, spread, solution[:-1], solution[-1])

    def score(self, values: Numbers) -> Numbers:
        scores: Numbers = _design(values, self.mean, self.spread) @ np.append(self.weights, self.intercept)
        return scores


def _design(values: Numbers, mean: Numbers, spread: Numbers) -> Numbers:
    away = np.clip((values - mean) / spread, -MOST_SPREADS, MOST_SPREADS)
    return np.column_stack([away, np.ones(len(values))])
