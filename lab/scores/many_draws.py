"""The mean score of many draws of patches, as arrays: 500 draws one by one would take ten times as long."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.data.patches import RecordedPatch
from lab.scores.patch_scores import PatchScore, weighed

Numbers = NDArray[np.float64]
_GRADES = 4


def mean_of_draws(
    patches: Sequence[RecordedPatch], held: Sequence[bool], grades: Sequence[int | None], picks: NDArray[np.int64]
) -> PatchScore:
    """What `patch_score` gives for each draw, averaged; `None` where a figure is missing in any.

    picks: one row of places for each draw.
    """
    wrong = np.array([patch.wrong for patch in patches])[picks]
    bounced = np.array(held)[picks]
    size = picks.shape[1]
    caught, missed = (wrong & bounced).sum(1), (wrong & ~bounced).sum(1)
    false, kept = (~wrong & bounced).sum(1), (~wrong & ~bounced).sum(1)
    low, high = (
        np.array([weighed(patch, bounce, best) for patch, bounce in zip(patches, held, strict=True)])[picks].sum(1)
        / size
        for best in (0.0, 1.0)
    )
    known = all(patches[at].passed is not None for at in np.unique(picks) if patches[at].wrong)
    passed = np.array([patch.passed or 0.0 for patch in patches])[picks]
    weights = np.where(wrong, np.where(bounced, 1, -1) * (1 - passed), np.where(bounced, -1, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        macro = _f(caught, false, missed) / 2 + _f(kept, missed, false) / 2
        macro[(caught + missed == 0) | (false + kept == 0)] = np.nan
        chance = ((caught + false) * (caught + missed) + (missed + kept) * (false + kept)) / size**2
        kappa = np.where(chance < 1, ((caught + kept) / size - chance) / (1 - chance), np.nan)
        recall, rate = caught / (caught + missed), false / (false + kept)
        rho = _rho(grades, wrong, picks)
    return PatchScore(
        float(size),
        float((caught + false).mean()),
        _mean(macro),
        _mean(low) if known else None,
        float(low.mean()),
        float(high.mean()),
        _mean(weights.sum(1) / size) if known else None,
        _mean(recall),
        _mean(rate),
        _mean(kappa),
        _mean(rho),
    )


def _f(right: Numbers, wrong: Numbers, missed: Numbers) -> Numbers:
    found: Numbers = np.where(right > 0, 2 * right / (2 * right + wrong + missed), 0.0)
    return found


def _rho(grades: Sequence[int | None], wrong: NDArray[np.bool_], picks: NDArray[np.int64]) -> Numbers:
    """Spearman's of few grades and two outcomes, from how often each pair comes."""
    level = np.array([-1 if grade is None else grade for grade in grades])[picks]
    counts = np.stack([(level == grade).sum(1) for grade in range(_GRADES)], axis=1).astype(float)
    bad = np.stack([((level == grade) & wrong).sum(1) for grade in range(_GRADES)], axis=1).astype(float)
    total, worse = counts.sum(1, keepdims=True), bad.sum(1, keepdims=True)
    better, middle = total - worse, (total + 1) / 2
    ranks = np.cumsum(counts, axis=1) - counts + (counts + 1) / 2 - middle
    low, high = (better + 1) / 2 - middle, better + (worse + 1) / 2 - middle
    products = (ranks * (bad * high + (counts - bad) * low)).sum(1)
    spread = (counts * ranks**2).sum(1) * (better * low**2 + worse * high**2)[:, 0]
    found: Numbers = np.where(spread > 0, products / np.sqrt(np.where(spread > 0, spread, 1)), np.nan)
    return found


def _mean(values: Numbers) -> float | None:
    return None if np.isnan(values).any() else float(values.mean())
