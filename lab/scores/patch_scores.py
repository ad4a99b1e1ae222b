"""How good decisions to bounce patches are, beside whether the hidden tests pass: BouncerBench (section II-B); and the
rows of `bouncer bench output`."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.data.answers import Answer, bounces_by_kind
from lab.data.files import DataError
from lab.data.patches import RecordedPatch, by_task, to_draw_from
from lab.scores.counts import Counts, Rate, grade_rho, rate, thirds

SAMPLE, DRAWS, ALL = "one a task", "500 such draws", "all"
_DRAWS, _RESAMPLES, _SEED = 500, 2_000, 7
# name: macro-F, O-Score, recall on wrong patches, false bounces (Table III)
PUBLISHED = {
    "claude-3.7-sonnet": (0.347, -0.100, 0.079, 0.025),
    "gpt-4.1": (0.356, -0.076, 0.086, 0.017),
    "gemma3_27b-it-q8_0": (0.301, -0.119, 0.032, 0.017),
    "o4-mini": (0.612, 0.203, 0.462, 0.131),
    "qwen3_32b-q8_0": (0.405, -0.033, 0.153, 0.063),
    "codex": (0.690, 0.320, 0.610, 0.169),
}


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


@dataclass(frozen=True, slots=True)
class OutputRow:
    """kind: `raw` (its label alone), `decision` or `reference`. part: of which patches. interval: of macro-F, 95%, with
    tasks drawn again; `None` where it was not estimated."""

    judge: str
    kind: str
    part: str
    score: PatchScore
    interval: tuple[float, float] | None = None


def one_a_task(patches: Sequence[RecordedPatch], seed: int) -> list[int]:
    """The places of one patch of each task, as BouncerBench draws them (section II-A2). Raises `DataError` for none."""
    chance = Random(seed)
    drawn = [chance.choice(places) for places in to_draw_from(patches)]
    if not drawn:
        raise DataError(
            "BouncerBench would draw none of these patches. It "
            "leaves tasks out whose tests are no good (false_negative 2 or 3), and right patches of vague issues."
        )
    return drawn


def output_rows(
    judge: str,
    patches: Sequence[RecordedPatch],
    answers: Sequence[Answer],
    sampled: Sequence[int],
    beside: Mapping[str, Sequence[bool]],
) -> list[OutputRow]:
    """References and the bouncer on one patch a task, and where there are more on all, and by their length.

    sampled: the places that were drawn. beside: further references by name."""
    wrong = [patch.wrong for patch in patches]
    rules = {"accept all": [False] * len(wrong), "bounce all": [True] * len(wrong), "perfect": wrong, **beside}
    parts = {SAMPLE: list(sampled)}
    if len(patches) > len(sampled):
        parts[ALL] = list(range(len(patches)))
    rows = [
        OutputRow(name, "reference", part, _score(patches, held, places), _interval(patches, held, places))
        for name, held in rules.items()
        for part, places in parts.items()
    ]
    grades = [answer.grade for answer in answers]
    for kind, held in bounces_by_kind(answers).items():
        for part, places in parts.items():
            score, interval = _score(patches, held, places, grades), _interval(patches, held, places)
            rows.append(OutputRow(judge, kind, part, score, interval))
            if part == SAMPLE and len(parts) > 1:
                rows.append(OutputRow(judge, kind, DRAWS, _drawn_again(patches, held, grades)))
        for part, places in thirds([len(patch.patch) for patch in patches]).items():
            rows.append(OutputRow(judge, kind, part, _score(patches, held, places, grades)))
    return rows


# submission: shares of right patches before and after both doors, mean length in thousands of characters, share of the
# right ones that is lost (Table IV)
PUBLISHED_SUBMISSIONS = {
    "SWE-agent": (0.559, 0.638, 12.0, 0.166),
    "Amazon Q": (0.507, 0.613, 1.7, 0.113),
    "OpenHands": (0.505, 0.607, 54.1, 0.304),
    "r_sample_all": (0.369, 0.574, 3.8, 0.194),
}


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """One agent's patches. before, after: the share that is right, of all and of those that are let through. length:
    mean characters. lost: of the right ones, those that are bounced."""

    submission: str
    before: Rate
    after: Rate
    length: float
    lost: Rate


def submission_rows(
    every: Sequence[RecordedPatch], judged: Sequence[RecordedPatch], bounces: Sequence[bool]
) -> list[SubmissionRow]:
    """What bouncing makes of each submission, the best before it first (BouncerBench, Table IV): of tasks whose hidden
    tests nobody calls bad. every: with those that repeat one that was judged."""
    held = {(patch.task, patch.patch): bounce for patch, bounce in zip(judged, bounces, strict=True)}
    found: dict[str, list[RecordedPatch]] = {}
    for patch in every:
        if patch.submission and patch.tested is not False and (patch.task, patch.patch) in held:
            found.setdefault(patch.submission, []).append(patch)
    rows = []
    for name, mine in found.items():
        right = [patch for patch in mine if not patch.wrong]
        passed = [patch for patch in mine if not held[patch.task, patch.patch]]
        kept = sum(not patch.wrong for patch in passed)
        lost, length = rate(len(right) - kept, len(right)), fmean(len(patch.patch) for patch in mine)
        rows.append(SubmissionRow(name, rate(len(right), len(mine)), rate(kept, len(passed)), length, lost))
    return sorted(rows, key=lambda row: -(row.before.share or 0.0))


def _score(
    patches: Sequence[RecordedPatch],
    held: Sequence[bool],
    places: Sequence[int],
    grades: Sequence[int | None] | None = None,
) -> PatchScore:
    some = [grades[at] for at in places] if grades else None
    return patch_score([patches[at] for at in places], [held[at] for at in places], some)


def _drawn_again(patches: Sequence[RecordedPatch], held: Sequence[bool], grades: Sequence[int | None]) -> PatchScore:
    """The mean of many draws of one patch a task: less by chance than a single one."""
    chance, tasks = np.random.default_rng(_SEED), to_draw_from(patches)
    picks = np.stack([np.array(places)[chance.integers(0, len(places), _DRAWS)] for places in tasks], axis=1)
    return mean_of_draws(patches, held, grades, picks.tolist())


def mean_of_draws(
    patches: Sequence[RecordedPatch],
    held: Sequence[bool],
    grades: Sequence[int | None],
    picks: Sequence[Sequence[int]],
) -> PatchScore:
    """The mean of each figure; `None` where it is missing in any draw. picks: the places of each draw."""
    figures = zip(*(astuple(_score(patches, held, places, grades)) for places in picks), strict=True)
    means: list[Any] = [None if None in values else fmean(values) for values in figures]
    return PatchScore(*means)


def _interval(
    patches: Sequence[RecordedPatch], held: Sequence[bool], places: Sequence[int]
) -> tuple[float, float] | None:
    """Of macro-F, when tasks are drawn again with all their patches; `None` for patches of one class."""
    if len({patches[at].wrong for at in places}) < 2:
        return None
    some, bounces = [patches[at] for at in places], [held[at] for at in places]
    cells = []
    for mine in by_task(some).values():
        counts = Counts.of([some[at].wrong for at in mine], [bounces[at] for at in mine])
        cells.append((counts.caught, counts.missed, counts.false, counts.kept))
    caught, missed, false, kept = (_resamples(len(cells)) @ np.array(cells, dtype=float)).T
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.nan_to_num(caught / (2 * caught + missed + false)) + np.nan_to_num(
            kept / (2 * kept + missed + false)
        )
    low, high = np.quantile(scores, [0.025, 0.975])
    return float(low), float(high)


@lru_cache(maxsize=2)  # of each part, for all rows
def _resamples(size: int) -> NDArray[np.float64]:
    """How often each of so many tasks comes when as many are drawn again; a row for each resample."""
    draws = np.random.default_rng(_SEED).multinomial(size, np.full(size, 1 / size), _RESAMPLES)
    return draws.astype(np.float64)
