"""Fits how far issues are within coding agents' reach, and says how well that works.

    python -m lab.training.reach [--write]

Reads ../shared/data: issues, 22 public agents' runs on them (`patch_triples.jsonl`), and recorded labels of a model
(`issue_labels_by_model.csv`). Each repository is predicted by weights from the others. `--write` writes
bot/issues/agent_reach_weights.json.
"""

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.issues.agent_reach import reach_features
from bot.issues.parse import parse
from bot.verdicts import SpecificationLabel
from lab.data.files import DATA, issue_text, read_rows
from lab.data.patches import PICKED_BY_ORACLE, issue_rows
from lab.data.recorded_labels import read_labels
from lab.fitting.logistic import Numbers, logistic

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "bot" / "issues" / "agent_reach_weights.json"
MODEL = "gpt-4.1"  # whose recorded labels stand for a model's
RIDGE = 50.0  # in issues
NAMES = ("prose", "code", "files", "label")


@dataclass(frozen=True, slots=True)
class TriedIssue:
    """counted: what the judge reads. attempts: by how many runs; resolved: how many of them. expected: how many such
    runs resolve of any issue."""

    repository: str
    counted: dict[str, float]
    attempts: int
    resolved: int
    expected: float


def load() -> list[TriedIssue]:
    """Runs whose patches were picked with the tests are left out."""
    texts = {name: row["problem_statement"] for name, row in issue_rows(DATA).items()}
    grades = {issue.id: issue.grades for issue in read_labels(DATA / "issue_labels_by_model.csv").issues}
    tried: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for _, row in read_rows(DATA / "patch_triples.jsonl", ""):
        if PICKED_BY_ORACLE not in row["submission"] and row["instance_id"] in texts:
            tried[row["instance_id"]].append((row["submission"], bool(row["resolved"])))
    runs: dict[str, list[bool]] = defaultdict(list)
    for attempts in tried.values():
        for run, resolved in attempts:
            runs[run].append(resolved)
    rate = {run: (sum(found) + 1) / (len(found) + 4) for run, found in runs.items()}
    return [
        TriedIssue(
            repository=name.rpartition("-")[0],
            counted=_counted(texts[name], grades.get(name, {}).get(MODEL)),
            attempts=len(attempts),
            resolved=sum(resolved for _, resolved in attempts),
            expected=sum(rate[run] for run, _ in attempts),
        )
        for name, attempts in tried.items()
    ]


def _counted(text: str, grade: int | None) -> dict[str, float]:
    label = None if grade is None else list(SpecificationLabel)[grade]
    return reach_features(parse(issue_text(text)).features, label)


def fit(issues: list[TriedIssue], names: tuple[str, ...]) -> dict[str, Any]:
    """Log odds that move the runs' own by the issue; an issue counts by the root of its attempts."""
    design = np.array([[issue.counted.get(name, np.nan) for name in names] for issue in issues])
    mean, spread = np.nanmean(design, axis=0), np.maximum(np.nanstd(design, axis=0), 1e-6)
    away = np.hstack([np.nan_to_num((design - mean) / spread), np.ones((len(issues), 1))])
    weight = np.sqrt([issue.attempts for issue in issues])
    share = np.array([issue.resolved / issue.attempts for issue in issues])
    offset = np.array([issue.expected / issue.attempts for issue in issues])
    offset = np.log(offset / (1 - offset))
    base = float(np.average(share, weights=weight))
    solution = logistic(away, share, np.array([RIDGE] * len(names) + [1e-6]), weight, offset)
    return {
        "intercept": round(float(np.log(base / (1 - base)) + solution[-1]), 4),
        "features": {
            name: [round(float(number), 4) for number in (mean[at], spread[at], solution[at])]
            for at, name in enumerate(names)
        },
    }


def score(weights: dict[str, Any], issue: TriedIssue) -> float:
    """Without the intercept, which is the same for all issues; of folds it would differ by who is left out."""
    total: float = sum(
        weight * (issue.counted[name] - mean) / spread
        for name, (mean, spread, weight) in weights["features"].items()
        if name in issue.counted
    )
    return total


def unseen(issues: list[TriedIssue], names: tuple[str, ...]) -> Numbers:
    """Each issue's score by weights from the other repositories."""
    found = np.zeros(len(issues))
    for repository in sorted({issue.repository for issue in issues}):
        weights = fit([issue for issue in issues if issue.repository != repository], names)
        for place, issue in enumerate(issues):
            if issue.repository == repository:
                found[place] = score(weights, issue)
    return found


def area(scores: Numbers, truth: NDArray[np.bool_]) -> float:
    """Under the curve: how often a resolved issue stands before another; ties count half."""
    above, below = scores[truth], scores[~truth]
    wins = (above[:, None] > below[None, :]).sum() + 0.5 * (above[:, None] == below[None, :]).sum()
    return float(wins / (len(above) * len(below)))


def report(name: str, scores: Numbers, issues: list[TriedIssue]) -> None:
    half = np.array([2 * issue.resolved >= issue.attempts for issue in issues])
    upper = scores >= np.quantile(scores, 2 / 3)
    shares = [
        sum(issue.resolved for issue, inside in zip(issues, part, strict=True) if inside)
        / sum(issue.attempts for issue, inside in zip(issues, part, strict=True) if inside)
        for part in (upper, ~upper)
    ]
    print(f"| {name} | {area(scores, half):.3f} | {shares[0]:.1%}, {shares[1]:.1%} |")


def main() -> None:
    if not (DATA / "patch_triples.jsonl").is_file():
        sys.exit(f"There are no recorded patches in {DATA}: nothing was measured.")
    issues = load()
    print(f"{len(issues)} issues\n")
    print("| judged by | area: half of the runs | resolved: upper third, rest |")
    print("|---|---|---|")
    report("the report", unseen(issues, NAMES[:3]), issues)
    report("the report and a model's label", unseen(issues, NAMES), issues)
    if "--write" in sys.argv[1:]:
        weights = fit(issues, NAMES)
        scores = [score(weights, issue) for issue in issues]
        weights = {"made_by": "lab/training/reach.py", "issues": len(issues), **weights}
        OUT.write_text(
            json.dumps(weights | {"cut": round(weights["intercept"] + float(np.quantile(scores, 2 / 3)), 4)}, indent=1)
            + "\n"
        )


if __name__ == "__main__":
    main()
