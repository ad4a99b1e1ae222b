"""How right the offline patch judge is, on recorded patches that models wrote for real issues.

    python -m benchmarks.judge_patches

Every patch is judged by weights fitted, cuts included, without any patch of its repository. A patch is wrong when the
tests hidden from its author fail. Intervals come from drawing tasks again. Beside it stands BouncerBench's Table III,
whose judges read one patch of each task; its O-Score needs the share of passed tests, which is not recorded here.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.machine import machine
from benchmarks.offline_patch_model import DATA, FILES, Patch, best_cut, load, macro_f, weights_of
from bot.judges.offline.patches import NAME, OfflinePatchJudge
from bot.judges.patches import PatchJudgement
from bot.policy_choices import Strictness

RESAMPLES = 10_000
DRAWS = 500  # of one patch for each task
EVEN = f"{NAME}, even (the default)"
SIZE = "size cut, fitted in the same folds"

# BouncerBench, Table III: macro-F, recall on wrong patches, false bounces of right ones (percent).
TABLE_III = {
    "claude-3.7-sonnet": (0.347, 7.9, 2.5),
    "gpt-4.1": (0.356, 8.6, 1.7),
    "gemma3_27b-it-q8_0": (0.301, 3.2, 1.7),
    "o4-mini": (0.612, 46.2, 13.1),
    "qwen3_32b-q8_0": (0.405, 15.3, 6.3),
    "codex": (0.690, 61.0, 16.9),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        print(f"Machine: {machine(Path(directory))}\n")
    missing = [name for name in FILES if not (DATA / name).is_file()]
    if missing:
        sys.exit(f"THE RECORDED PATCHES ARE ABSENT: {DATA} lacks {', '.join(missing)}. Nothing was measured.")
    patches = load()
    predicted = cross_validated(patches)
    for title, chosen in (
        ("All patches", lambda patch: True),
        ("All, each patch of a task once", lambda patch: not patch.repeated),
        ("The tasks BouncerBench would have kept", lambda patch: patch.kept),
        ("The same, each patch of a task once", lambda patch: patch.kept and not patch.repeated),
    ):
        table(title, patches, predicted, chosen)
    print("BouncerBench, Table III (642 patches, one a task, 63.1% wrong)")
    for name, (score, caught, false) in TABLE_III.items():
        print(f"{name:38}{score:8.3f} {'':16} {caught:6.1f}% {false:6.1f}%")
    timing(patches)


def cross_validated(patches: Sequence[Patch]) -> dict[str, np.ndarray]:
    """Name of a judge -> for each patch whether it bounces it. What could not be judged is not bounced."""
    names = [EVEN, *(f"{NAME}, {strictness}" for strictness in reversed(Strictness)), SIZE]
    bounces = {name: np.zeros(len(patches), dtype=bool) for name in names}
    unjudged = 0
    for repository in sorted({patch.repository for patch in patches}):
        others = [patch for patch in patches if patch.repository != repository]
        weights = weights_of(others)
        judge = OfflinePatchJudge(weights)
        longest = best_cut(np.array([float(patch.length) for patch in others]), np.array([p.wrong for p in others]))
        for at, patch in enumerate(patches):
            if patch.repository != repository:
                continue
            answer = judge.judge(patch.subject)
            unjudged += not isinstance(answer, PatchJudgement)
            probability = answer.probability if isinstance(answer, PatchJudgement) else 0.0
            bounces[EVEN][at] = probability >= weights.even
            for strictness in Strictness:
                bounces[f"{NAME}, {strictness}"][at] = probability >= weights.thresholds[strictness]
            bounces[SIZE][at] = patch.length >= longest
    print(f"{unjudged} of {len(patches)} patches could not be read whole: UNAVAILABLE, counted as not bounced.\n")
    return bounces | {
        "bounce everything": ~np.zeros(len(patches), bool),
        "accept everything": np.zeros(len(patches), bool),
    }


def table(
    title: str, patches: Sequence[Patch], predicted: dict[str, np.ndarray], chosen: Callable[[Patch], bool]
) -> None:
    """One line for each judge, on the chosen patches."""
    inside = np.array([chosen(patch) for patch in patches])
    truth = np.array([patch.wrong for patch in patches])[inside]
    tasks = np.unique([patch.task for patch in patches if chosen(patch)], return_inverse=True)[1]
    print(f"{title}: {len(truth)} of {tasks.max() + 1} tasks, {100 * truth.mean():.1f}% wrong")
    print(f"{'':38}{'macro-F':>8} {'95%':>16} {'caught':>7} {'false':>7}   one patch a task")
    for name, bounced in predicted.items():
        found = bounced[inside]
        low, high = np.quantile(resampled(truth, found, tasks), [0.025, 0.975])
        print(
            f"{name:38}{macro_f(truth, found):8.3f} ({low:.3f} to {high:.3f}) {100 * found[truth].mean():6.1f}%"
            f" {100 * found[~truth].mean():6.1f}%   {one_each(truth, found, tasks):.3f}"
        )
    gains = resampled(truth, predicted[EVEN][inside], tasks) - resampled(truth, predicted[SIZE][inside], tasks)
    low, high = np.quantile(gains, [0.025, 0.975])
    print(f"Against the size cut on the same draws: {gains.mean():+.3f} ({low:+.3f} to {high:+.3f}).\n")


def resampled(truth: np.ndarray, bounced: np.ndarray, tasks: np.ndarray) -> np.ndarray:
    """Macro-F on tasks drawn again, with all their patches."""
    cells = np.column_stack([truth & bounced, truth & ~bounced, ~truth & bounced, ~truth & ~bounced])
    size = tasks.max() + 1
    of_task = np.zeros((size, 4))
    np.add.at(of_task, tasks, cells)
    draws = np.random.default_rng(7).multinomial(size, np.full(size, 1 / size), RESAMPLES)
    caught, missed, false, kept = (draws @ of_task).T
    scores: np.ndarray = caught / (2 * caught + missed + false) + kept / (2 * kept + missed + false)
    return scores


def one_each(truth: np.ndarray, bounced: np.ndarray, tasks: np.ndarray) -> float:
    """Mean macro-F when one patch of each task is drawn, as BouncerBench did once."""
    order = np.argsort(tasks, kind="stable")
    sizes = np.bincount(tasks)
    starts = np.cumsum(sizes) - sizes
    random = np.random.default_rng(7)
    picks = [order[starts + random.integers(0, sizes)] for _ in range(DRAWS)]
    return float(np.mean([macro_f(truth[pick], bounced[pick]) for pick in picks]))


def timing(patches: Sequence[Patch]) -> None:
    """Milliseconds for judging one patch that is read already."""
    judge = OfflinePatchJudge()
    times = []
    for patch in patches:
        started = time.perf_counter()
        judge.judge(patch.subject)
        times.append(1000 * (time.perf_counter() - started))
    middle, high = np.quantile(times, [0.5, 0.99])
    print(f"\nJudging: mean {np.mean(times):.2f} ms a patch, median {middle:.2f}, p99 {high:.2f}.")


if __name__ == "__main__":
    main()
