"""How right the offline judges are, on annotated issues and on short real-life style reports.

    python -m lab.benchmarks.judge_issues

The rules first, on all annotated issues. Then the fitted judge: every issue is judged by weights fitted, cuts included,
without any issue of its repository, on the nearly unbiased sample (`in_devin570`). Bouncing is the human label 2 or 3.
"""

import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bot.issues.parse import parse
from bot.judges.offline.issues import WEIGHTS, OfflineJudge
from bot.judges.offline.rules import RulesJudge, rule_holds
from bot.judges.protocol import Judgement
from bot.policy_choices import Strictness
from bot.reports import IssueText, Report
from lab.benchmarks.processes import scratch
from lab.commands.bench_table import percent
from lab.data.files import DATA
from lab.fitting.logistic import macro_f
from lab.scores.counts import Counts
from lab.training.offline_issues import Row, fit, load

SHORT = Path(__file__).resolve().parents[2] / "tests" / "data" / "short_reports.jsonl"
RESAMPLES = 2_000


def main() -> None:
    with scratch():
        if (DATA / "issues_annotated.jsonl").is_file():
            rows = load()
            by_rules("annotated issues", [(row.report, bool(row.bounce)) for row in rows])
            print_annotated(rows)
        else:
            print(f"THE ANNOTATED ISSUES ARE ABSENT: {DATA}/issues_annotated.jsonl. Only short reports are measured.\n")
        short_reports()


def by_rules(name: str, reports: Sequence[tuple[Report, bool]]) -> None:
    """What the rules hold, of the fine reports and of those to be bounced."""
    judge = RulesJudge()
    answers = [(judge.judge(report).rule, bounce) for report, bounce in reports]
    fine, vague = ([rule for rule, bounce in answers if bounce is want] for want in (False, True))
    for strictness in Strictness:
        held = [sum(rule_holds(rule, strictness) for rule in rules) for rules in (fine, vague)]
        told = f"{held[0]} of {len(fine)} fine ones held, {held[1]} of {len(vague)} vague"
        print(f"offline/2, {strictness:9} {name}: {told}")
    print()


def print_annotated(rows: list[Row]) -> None:
    """Cross-validated figures, the length cut, and the time an issue takes."""
    sample = [row for row in rows if row.unbiased]
    truth = np.array([row.bounce for row in sample])
    length, promised = cross_validated(rows, sample)
    print(
        f"{len(sample)} issues of {len({row.repository for row in sample})} repositories, {truth.sum()} to be bounced;"
    )
    print("each repository judged by weights and cuts fitted on the others.\n")
    print(f"{'':34}{'macro-F':>8} {'95% CI':>14}   caught   false")
    for strictness, predicted in promised.items():
        figures(f"offline/1, {strictness}", truth, predicted)
    figures("length cut", truth, length)
    print_times(rows)


def cross_validated(rows: list[Row], sample: list[Row]) -> tuple[np.ndarray, dict[Strictness, np.ndarray]]:
    """For each issue of the sample: the length cut's decision and the judge's at each strictness."""
    length = np.zeros(len(sample), dtype=bool)
    promised = {strictness: np.zeros(len(sample), dtype=bool) for strictness in Strictness}
    for repository in sorted({row.repository for row in sample}):
        others = [row for row in rows if row.repository != repository]
        weights = WEIGHTS.validate_python(fit(others))
        judge = OfflineJudge(weights)
        longest = best_length(others)
        for at, row in enumerate(sample):
            if row.repository != repository:
                continue
            answer = judge.judge(row.report)
            probability = (isinstance(answer, Judgement) and answer.probability) or 0.0
            length[at] = characters(row) < longest
            for strictness, predicted in promised.items():
                predicted[at] = probability >= weights.thresholds[strictness]
    return length, promised


def best_length(rows: list[Row]) -> int:
    """The length below which bouncing gives the best macro-F on these rows' unbiased sample."""
    sample = [row for row in rows if row.unbiased]
    truth = np.array([row.bounce for row in sample])
    lengths = np.array([characters(row) for row in sample])
    return int(max(np.unique(lengths), key=lambda cut: macro_f(truth, lengths < cut)))


def characters(row: Row) -> int:
    return len(row.text.title) + len(row.text.body)


def figures(name: str, truth: np.ndarray, predicted: np.ndarray) -> None:
    """One line of the table."""
    picks = np.random.default_rng(7).integers(0, len(truth), (RESAMPLES, len(truth)))
    low, high = np.quantile([macro_f(truth[pick], predicted[pick]) for pick in picks], [0.025, 0.975])
    counts = Counts.of(truth.tolist(), predicted.tolist())
    shares = f"{percent(counts.recall_bounce):>7} {percent(counts.false_bounce):>7}"
    print(f"{name:34}{macro_f(truth, predicted):8.3f} [{low:.3f}, {high:.3f}] {shares}")


def print_times(rows: Sequence[Row]) -> None:
    """Milliseconds for parsing and judging one issue."""
    judge = OfflineJudge()
    times = []
    for row in rows:
        started = time.perf_counter()
        judge.judge(parse(row.text))
        times.append(1000 * (time.perf_counter() - started))
    middle, high = np.quantile(times, [0.5, 0.99])
    print(f"Parsing and judging: mean {np.mean(times):.2f} ms an issue, median {middle:.2f}, p99 {high:.2f}.\n")


def short_reports() -> None:
    """The project's own short reports."""
    reports = [json.loads(line) for line in SHORT.read_text(encoding="utf-8").splitlines()]
    by_rules("short reports", [(parse(IssueText(each["title"], each["body"])), each["bounce"]) for each in reports])


if __name__ == "__main__":
    main()
