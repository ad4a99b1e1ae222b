"""How right the offline judge is, on annotated issues and on short real-life style reports.

    python -m lab.benchmarks.judge_issues

The weights have seen none of the annotated issues. The nearly unbiased sample (`in_devin570`) is judged at the shipped
cuts, which were chosen on other reports, and at cuts chosen on the other repositories, as `bouncer calibrate` chooses
them. Bouncing is the human label 2 or 3.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge, packaged
from bot.policy_choices import PROMISES, Strictness
from bot.reports import IssueText
from lab.benchmarks.processes import scratch
from lab.commands.bench_table import percent
from lab.data.files import DATA, TO_BE_BOUNCED, issue_text, read_rows
from lab.fitting.labels import best_cut, cut_within
from lab.fitting.logistic import Flags, Numbers, macro_f
from lab.scores.counts import Counts

SHORT = Path(__file__).resolve().parents[2] / "tests" / "data" / "short_reports.jsonl"
RESAMPLES = 2_000
Cut = Callable[[Sequence[float], Sequence[bool]], float]


@dataclass(frozen=True)
class Row:
    """One annotated issue."""

    repository: str
    text: IssueText
    bounce: bool
    unbiased: bool


def load() -> list[Row]:
    """Every annotated issue."""
    return [
        Row(
            repository=raw["instance_id"].rpartition("-")[0],
            text=issue_text(raw["problem_statement"]),
            bounce=raw["underspecified"] >= TO_BE_BOUNCED,
            unbiased=bool(raw["in_devin570"]),
        )
        for _, raw in read_rows(DATA / "issues_annotated.jsonl", "")
    ]


def main() -> None:
    with scratch():
        if (DATA / "issues_annotated.jsonl").is_file():
            print_annotated(load())
        else:
            print(f"THE ANNOTATED ISSUES ARE ABSENT: {DATA}/issues_annotated.jsonl. Only short reports are measured.\n")
        short_reports()


def print_annotated(rows: list[Row]) -> None:
    """The figures, those of a cut by length, and the time an issue takes."""
    sample = [row for row in rows if row.unbiased]
    truth = np.array([row.bounce for row in sample])
    scores, times = scored(sample)
    print(f"{len(sample)} issues of {len({row.repository for row in sample})} repositories, {truth.sum()} to bounce.\n")
    print(f"{'':34}{'macro-F':>8} {'95% CI':>14}   caught   false")
    for strictness in Strictness:
        figures(f"{strictness}, shipped cut", truth, scores >= packaged().thresholds[strictness])
    for strictness in Strictness:
        cut = partial(cut_within, promise=PROMISES[strictness], share=lambda hits, total: hits / total)
        figures(f"{strictness}, cut of the others", truth, by_turns(sample, scores, cut))
    figures("best macro-F of the others", truth, by_turns(sample, scores, best_cut))
    shortness = np.array([-float(len(row.text.title) + len(row.text.body)) for row in sample])
    figures("cut by length, of the others", truth, by_turns(sample, shortness, best_cut))
    middle, high = np.quantile(times, [0.5, 0.99])
    print(f"Parsing and judging: mean {np.mean(times):.2f} ms an issue, median {middle:.2f}, p99 {high:.2f}.\n")


def scored(rows: Sequence[Row]) -> tuple[Numbers, list[float]]:
    """Each issue's probability, and how many milliseconds it took."""
    judge, found, times = OfflineJudge(), [], []
    for row in rows:
        started = time.perf_counter()
        found.append(judge.judge(parse(row.text)).probability or 0.0)
        times.append(1000 * (time.perf_counter() - started))
    return np.array(found), times


def by_turns(rows: Sequence[Row], scores: Numbers, choose: Cut) -> Flags:
    """What a cut holds that was chosen on the other repositories."""
    repositories, truth = np.array([row.repository for row in rows]), np.array([row.bounce for row in rows])
    held = np.zeros(len(rows), dtype=bool)
    for repository in sorted(set(repositories)):
        inside = repositories == repository
        held[inside] = scores[inside] >= choose(scores[~inside].tolist(), truth[~inside].tolist())
    return held


def figures(name: str, truth: Flags, predicted: Flags) -> None:
    """One line of the table."""
    picks = np.random.default_rng(7).integers(0, len(truth), (RESAMPLES, len(truth)))
    low, high = np.quantile([macro_f(truth[pick], predicted[pick]) for pick in picks], [0.025, 0.975])
    counts = Counts.of(truth.tolist(), predicted.tolist())
    shares = f"{percent(counts.recall_bounce):>7} {percent(counts.false_bounce):>7}"
    print(f"{name:34}{macro_f(truth, predicted):8.3f} [{low:.3f}, {high:.3f}] {shares}")


def short_reports() -> None:
    """What is held of the project's own short reports."""
    reports = [json.loads(line) for line in SHORT.read_text(encoding="utf-8").splitlines()]
    scores, _ = scored([Row("", IssueText(each["title"], each["body"]), each["bounce"], False) for each in reports])
    bounce = np.array([each["bounce"] for each in reports])
    for strictness in Strictness:
        held = scores >= packaged().thresholds[strictness]
        told = (
            f"{held[~bounce].sum()} of {(~bounce).sum()} fine ones held, {held[bounce].sum()} of {bounce.sum()} vague"
        )
        print(f"{strictness:9} our own short reports: {told}")


if __name__ == "__main__":
    main()
