"""Fit the offline judge: from annotated reports to the weights that `bot/judges/offline/issues.py` reads.

    python -m lab.training.offline_issues

Run it again whenever `bot/issues` reads reports differently; `lab/benchmarks/judge_issues.py` measures what it gives.

The score is a ridge regression on tf-idf of words that occur in at least half of the training repositories, so that it
learns how people describe things and not what their projects are called. Human labels alone are few and noisy; the
regression's target is the mean label five models gave the same issue (recorded, public), and the human labels calibrate
it: all cuts come from predictions for repositories the regression did not see, and keep their promise by Wilson's
bound.
"""

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bot.issues.parse import parse
from bot.judges.offline.issues import IssueWeights
from bot.policy_choices import PROMISES
from bot.reports import IssueText, Report
from lab.data.files import DATA, TO_BE_BOUNCED, issue_text, read_rows
from lab.data.recorded_labels import read_labels
from lab.fitting.labels import cut_within
from lab.fitting.logistic import logistic

RIDGE = 2.0
FEWEST_ISSUES = 20


@dataclass(frozen=True)
class Row:
    """One annotated issue. bounce: the human label is 2 or 3. opinion: mean label of the models, 0 (well) to 3."""

    id: str
    repository: str
    text: IssueText
    report: Report
    bounce: bool
    unbiased: bool
    opinion: float


def model_grades() -> dict[str, dict[str, int]]:
    """Issue id -> model -> grade of its recorded label, 0 (well) to 3."""
    return {issue.id: issue.grades for issue in read_labels(DATA / "issue_labels_by_model.csv").issues}


def load() -> list[Row]:
    """Every annotated issue, parsed."""
    grades = model_grades()
    rows = []
    for _, raw in read_rows(DATA / "issues_annotated.jsonl", ""):
        text, opinions = issue_text(raw["problem_statement"]), list(grades.get(raw["instance_id"], {}).values())
        rows.append(
            Row(
                id=raw["instance_id"],
                repository=raw["instance_id"].rpartition("-")[0],
                text=text,
                report=parse(text),
                bounce=raw["underspecified"] >= TO_BE_BOUNCED,
                unbiased=bool(raw["in_devin570"]),
                opinion=float(np.mean(opinions)) if opinions else float("nan"),
            )
        )
    return rows


def fit(rows: list[Row]) -> dict[str, Any]:
    """Weights from these rows only, cuts and calibration included."""
    rows = [row for row in rows if not np.isnan(row.opinion)]
    scores = np.zeros(len(rows))
    for held_out in sorted({row.repository for row in rows}):
        inside = np.array([row.repository == held_out for row in rows])
        regression = _regress([row for row in rows if row.repository != held_out])
        scores[inside] = [regression.score(row.report.words) for row in rows if row.repository == held_out]
    bounce = np.array([row.bounce for row in rows])
    unbiased = np.array([row.unbiased for row in rows])
    design = np.column_stack([scores, np.ones_like(scores)])
    slope, offset = logistic(design[unbiased], bounce[unbiased], np.full(2, 1e-9)).tolist()
    probabilities = (1 / (1 + np.exp(-(slope * scores + offset)))).tolist()
    final = _regress(rows)
    return {
        "made_by": "lab/training/offline_issues.py",
        "issues": len(rows),
        "slope": round(slope, 4),
        "offset": round(offset, 4),
        "thresholds": cuts(probabilities, bounce.tolist()),
        "typical": round(final.typical, 5),
        "intercept": round(final.intercept, 5),
        "words": {word: [round(idf, 4), round(weight, 5)] for word, (idf, weight) in final.words.items()},
    }


def cuts(probabilities: list[float], bounce: list[bool]) -> dict[str, float]:
    """For each strictness the lowest probability that keeps its promise; above every probability where none does. To
    four places, never rounded down, so that the promise stays kept."""
    exact = {strictness: cut_within(probabilities, bounce, promise) for strictness, promise in PROMISES.items()}
    return {strictness.value: math.ceil(min(cut, 1.0001) * 10_000) / 10_000 for strictness, cut in exact.items()}


def _regress(rows: list[Row]) -> IssueWeights:
    """Ridge regression of the models' mean label on tf-idf; not calibrated yet."""
    repositories: dict[str, set[str]] = {}
    issues: dict[str, int] = {}
    for row in rows:
        for word in row.report.words:
            repositories.setdefault(word, set()).add(row.repository)
            issues[word] = issues.get(word, 0) + 1
    half = len({row.repository for row in rows}) / 2
    words = sorted(word for word in issues if issues[word] >= FEWEST_ISSUES and len(repositories[word]) >= half)
    idf = np.array([np.log((1 + len(rows)) / (1 + issues[word])) + 1 for word in words])
    column = {word: at for at, word in enumerate(words)}
    counts = np.zeros((len(rows), len(words)))
    for at, row in enumerate(rows):
        for word, count in row.report.words.items():
            if word in column:
                counts[at, column[word]] = count
    matrix = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) * idf
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    target = np.array([row.opinion for row in rows])
    mean, centre = matrix.mean(axis=0), target.mean()
    centred = matrix - mean
    weights = np.linalg.solve(centred.T @ centred + RIDGE * np.eye(len(words)), centred.T @ (target - centre))
    return IssueWeights(
        typical=float(centre),
        intercept=float(centre - mean @ weights),
        slope=1.0,
        offset=0.0,
        words={word: (float(idf[at]), float(weights[at])) for at, word in enumerate(words)},
        thresholds={},
    )


WEIGHTS = Path(__file__).resolve().parents[2] / "bot" / "judges" / "offline" / "issue_weights.json"


def main() -> None:
    if not (DATA / "issues_annotated.jsonl").is_file():
        sys.exit(f"There are no annotated issues in {DATA}: nothing was trained.")
    weights = fit(load())
    lines = json.dumps(weights, indent=1, ensure_ascii=False)
    WEIGHTS.write_text(lines + "\n", encoding="utf-8")
    print(f"{weights['issues']} issues, {len(weights['words'])} words -> {WEIGHTS.name}")


if __name__ == "__main__":
    main()
