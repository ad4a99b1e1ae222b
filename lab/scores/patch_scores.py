"""How good decisions to bounce patches are, beside whether the hidden tests pass: BouncerBench (section II-B)."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.data.patches import RecordedPatch
from lab.scores.counts import Counts, graded


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
    low, high = (sum(weighed(patch, held, share) for patch, held in pairs) / counts.total for share in (0.0, 1.0))
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
        graded(grades if grades is not None else [float(held) for held in bounces], [float(each) for each in wrong]),
    )


def weighed(patch: RecordedPatch, held: bool, best: float) -> float:
    """What one decision adds; best: 1 where what is not known is taken as well as it could be, 0 as badly."""
    if not patch.wrong:
        return -1.0 if held else 1.0
    passed = patch.passed
    if passed is None:
        passed = best if held else 1 - best
    return passed if held else -passed
