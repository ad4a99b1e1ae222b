"""Fit the offline judge's weights, and say how well they do: `python -m lab.training.offline_issues [--write]`.

Fitted on `lab/data/issues_retold.jsonl` (real reports in our own words, labelled from their threads) and, at a fifth of
their weight, the project's own (`OWN_REPORTS`). `--write` writes `bot/judges/offline/issue_weights.json`. Run it again
whenever `bot/issues` reads reports differently.

A ridge logistic regression on the logarithms of counts. A fact that helps a reader (`HELPS`) never counts against a
report, and what is missing (`LACKS`) never for it: a weight of the wrong sign is left out, and the others are fitted
again. So more facts do not make a report worse, and 30 weights do not learn 231 rows by heart. The cuts come from
repeated cross-validation, of the fine reports that are not the team's, whom the policy exempts: they keep their
promise by Wilson's one-sided bound.

Tried beside them: static embeddings of the whole text (wordllama 0.4, 256 numbers, the same folds). Alone their area is
0.64, and weighed with the facts' it is 0.70 where the facts' is 0.70: 33 MB for nothing.
"""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bot.issues.parse import parse
from bot.judges.offline.issues import NOT_HELD, IssueWeights, OfflineJudge, facts_of, packaged
from bot.policy_choices import PROMISES, Strictness
from bot.reports import GitHubFields, IssueText, Report
from bot.verdicts import IssueKind
from lab.benchmarks.processes import scratch
from lab.fitting.labels import cut_within, upper_bound
from lab.fitting.logistic import Flags, Numbers, logistic

ROOT = Path(__file__).resolve().parents[2]
RETOLD, OURS = ROOT / "lab" / "data" / "issues_retold.jsonl", ROOT / "tests" / "data"
OWN_REPORTS = ("short_reports", "kinds_of_reports", "one_sentence_reports")
WEIGHTS = ROOT / "bot" / "judges" / "offline" / "issue_weights.json"
HELPS = (
    *("trace", "error", "runnable", "command", "code_blocks", "code_lines", "concrete", "specific_words", "body_words"),
    *("opening_words", "filled_sections", "numbered", "steps", "expected", "observed", "version", "links"),
    *("attachments", "source_files", "title_words", "images"),
)
LACKS = ("missing", "fails_unshown", "fails_alone")
EITHER = ("breaks", "ends", "asks", *(f"kind_{kind}" for kind in IssueKind if kind is not IssueKind.BUG))
NAMES = (*HELPS, *LACKS, *EITHER)
SIGNS = np.array([-1] * len(HELPS) + [1] * len(LACKS) + [0] * len(EITHER))
RIDGE = 40.0  # in reports
OWN = 0.2  # what one of the project's own reports weighs
FOLDS, REPEATS = 10, 5


@dataclass(frozen=True)
class Row:
    """id: of a retold one. label: 1 where a maintainer had to ask, 0 where not, x where either is right. acts: told by
    what people did, else by our reading. own: one of the project's own, which nothing is measured on."""

    report: Report
    label: str
    acts: bool = False
    team: bool = False
    own: bool = False
    id: str = ""


def load() -> list[Row]:
    """The retold reports, parsed, then the project's own."""
    retold = [json.loads(line) for line in RETOLD.read_text(encoding="utf-8").splitlines()]
    own = [
        json.loads(line) for name in OWN_REPORTS for line in (OURS / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    return [
        *(Row(_parsed(row), row["label"], row["basis"] == "acts", row["team"], id=row["id"]) for row in retold),
        *(Row(_parsed(row), str(int(row.get("bounce", row.get("label")))), own=True) for row in own),
    ]


def _parsed(row: dict[str, Any]) -> Report:
    told = GitHubFields(tuple(row.get("labels", ())), "", row.get("by_bot", False))
    return parse(IssueText(row["title"], row["body"], told=told))


def fit(rows: Sequence[Row]) -> IssueWeights:
    """Weights from the rows that are not labelled x; no cuts yet."""
    rows = [row for row in rows if row.label != "x"]
    table = np.array([[math.log1p(facts_of(row.report).get(name, 0.0)) for name in NAMES] for row in rows])
    asked = np.array([row.label == "1" for row in rows])
    weight = np.array([OWN if row.own else 1.0 for row in rows])
    kept = np.arange(len(NAMES))
    while True:
        mean, spread, solution = _regress(table[:, kept], asked, weight)
        right = SIGNS[kept] * solution[:-1] >= 0
        if right.all():
            break
        kept = kept[right]
    weights = solution[:-1] / spread
    facts = {NAMES[at]: float(each) for at, each in zip(kept, weights, strict=True)}
    return IssueWeights(float(solution[-1] - mean @ weights), facts, dict.fromkeys(Strictness, 1.01))


def _regress(table: Numbers, asked: Flags, weight: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Mean, spread and coefficients of the columns, the intercept last."""
    mean = np.average(table, axis=0, weights=weight)
    spread = np.maximum(np.sqrt(np.average((table - mean) ** 2, axis=0, weights=weight)), 0.1)
    design = np.hstack([(table - mean) / spread, np.ones((len(table), 1))])
    ridge = np.array([RIDGE] * table.shape[1] + [1e-6])
    return mean, spread, logistic(design, asked, ridge, weight)


def unseen(rows: Sequence[Row], repeats: int = REPEATS) -> list[list[IssueWeights]]:
    """For each repeat and each retold row, weights that were fitted without the row's tenth."""
    retold, own = [row for row in rows if not row.own], [row for row in rows if row.own]
    found = []
    for seed in range(repeats):
        fold = np.random.default_rng(seed).permutation(len(retold)) % FOLDS
        fits = [fit([row for row, at in zip(retold, fold, strict=True) if at != out] + own) for out in range(FOLDS)]
        found.append([fits[at] for at in fold])
    return found


def probabilities(rows: Sequence[Row], weights: Sequence[IssueWeights]) -> Numbers:
    """As the judge says them."""
    pairs = zip(rows, weights, strict=True)
    return np.array([OfflineJudge(each).judge(row.report).probability for row, each in pairs])


def cuts(rows: Sequence[Row], scores: Numbers) -> dict[Strictness, float]:
    """For each strictness the lowest probability that keeps its promise on fine reports of others than the team."""
    counted = [at for at, row in enumerate(rows) if row.label != "x" and not (row.team and row.label == "0")]
    told = [rows[at].label == "1" for at in counted]
    found = {each: cut_within(scores[counted].tolist(), told, PROMISES[each]) for each in Strictness}
    return {each: math.ceil(min(max(cut, NOT_HELD + 0.0001), 1.0001) * 10_000) / 10_000 for each, cut in found.items()}


def area(scores: Numbers, asked: Flags) -> float:
    """Under the curve: how often an unclear report stands before a fine one; ties count half."""
    above, below = scores[asked], scores[~asked]
    wins = (above[:, None] > below[None, :]).sum() + 0.5 * (above[:, None] == below[None, :]).sum()
    return float(wins / (len(above) * len(below)))


def trained(rows: Sequence[Row]) -> tuple[IssueWeights, list[Numbers]]:
    """The weights from all rows with their cuts, and each repeat's probabilities of the retold ones, unseen."""
    retold = [row for row in rows if not row.own]
    uncut = [probabilities(retold, weights) for weights in unseen(rows)]
    chosen = cuts(retold, np.mean(uncut, axis=0))
    labelled = sum(row.label != "x" for row in retold)
    return replace(fit(rows), thresholds=chosen, issues=labelled), uncut


def report(rows: Sequence[Row], weights: IssueWeights, scores: Sequence[Numbers]) -> None:
    """Prints areas and, for each strictness, what is held; the mean of the repeats and how far they go."""
    clear = np.array([row.label == "0" for row in rows])
    asked, acts = (np.array([getattr(row, name) for row in rows]) for name in ("team", "acts"))
    team, unclear = asked, np.array([row.label == "1" for row in rows])
    for name, part in (("all", clear | unclear), ("people asked, or all fine", clear | (unclear & acts))):
        areas = [area(each[part], unclear[part]) for each in scores]
        print(f"area, {name}: {np.mean(areas):.3f} ({min(areas):.3f} to {max(areas):.3f})")
    print(f"\n{'strictness':10} {'from':>6}  {'fine, not team':>22}  {'unclear':>14}  {'people asked':>14}")
    for strictness, cut in weights.thresholds.items():
        shares = []
        for part in (clear & ~team, unclear, unclear & acts):
            held = [int((each[part] >= cut).sum()) for each in scores]
            shares.append((np.mean(held), int(part.sum())))
        (fine, many), *others = shares
        told = "  ".join(f"{hits:4.1f} of {of:2} {hits / of:4.0%}" for hits, of in others)
        bound = upper_bound(float(fine), many)
        print(f"{strictness:10} {cut:6.3f}  {fine:4.1f} of {many} {fine / many:4.1%} ≤{bound:5.1%}  {told}")


def main() -> None:
    with scratch():
        rows = load()
    weights, scores = trained(rows)
    retold = [row for row in rows if not row.own]
    report(retold, weights, scores)
    told = {name: round(weight, 4) for name, weight in sorted(weights.facts.items()) if round(weight, 4)}
    print(f"\n{len(told)} of {len(NAMES)} facts have a weight.")
    if "--write" in sys.argv[1:]:
        stored = {
            "made_by": "lab/training/offline_issues.py",
            "issues": weights.issues,
            "intercept": round(weights.intercept, 4),
            "thresholds": {strictness.value: cut for strictness, cut in weights.thresholds.items()},
            "facts": told,
        }
        WEIGHTS.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        packaged.cache_clear()


if __name__ == "__main__":
    main()
