"""How good decisions to bounce patches are, beside whether the hidden tests pass: BouncerBench (section II-B)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.data.patches import RecordedPatch
from lab.scores.counts import Counts, grade_rho


@dataclass(frozen=True, slots=True)
class PatchScore:
    """macro_f, recall_bounce, false_bounce, kappa: as of issues. rho: Spearman's, of the judge's grade and being wrong.

    o_score: BouncerBench's, -1 to 1: each decision counts by the share of the tests that the patch passes. Bouncing a
    wrong patch so counts more the more tests it passes. o_score_failed: the same, but a wrong patch counts by the
    share of tests it fails, a right one in full. Both are `None` where a wrong patch's share is not known; o_score then
    lies between o_score_low and o_score_high, whatever these shares are.
    """

    patches: float
    bounced: float
    macro_f: float | None
    o_score: float | None
    o_score_low: float
    o_score_high: float
    o_score_failed: float | None
    recall_bounce: float | None
    false_bounce: float | None
    kappa: float | None
    rho: float | None


def patch_score(
    patches: Sequence[RecordedPatch], bounces: Sequence[bool], grades: Sequence[float | None] | None = None
) -> PatchScore:
    """Raises `ValueError` for no patch, or numbers that do not fit."""
    wrong = [patch.wrong for patch in patches]
    counts = Counts.of(wrong, bounces)
    known = all(patch.passed is not None for patch in patches if patch.wrong)
    pairs = list(zip(patches, bounces, strict=True))
    low, high = (sum(weigh(patch, held, share) for patch, held in pairs) / counts.total for share in (0.0, 1.0))
    failed = sum((1 if held else -1) * (1 - (patch.passed or 0.0)) for patch, held in pairs if patch.wrong)
    right = sum(-1 if held else 1 for patch, held in pairs if not patch.wrong)
    return PatchScore(
        counts.total,
        counts.caught + counts.false,
        counts.macro_f,
        low if known else None,
        low,
        high,
        (right + failed) / counts.total if known else None,
        counts.recall_bounce,
        counts.false_bounce,
        counts.kappa,
        grade_rho(grades if grades is not None else [float(held) for held in bounces], [float(each) for each in wrong]),
    )


def weigh(patch: RecordedPatch, held: bool, best: float) -> float:
    """What one decision adds; best: 1 where what is not known is taken as well as it could be, 0 as badly."""
    if not patch.wrong:
        return -1.0 if held else 1.0
    passed = patch.passed
    if passed is None:
        passed = best if held else 1 - best
    return passed if held else -passed


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
        np.array([weigh(patch, bounce, best) for patch, bounce in zip(patches, held, strict=True)])[picks].sum(1) / size
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
