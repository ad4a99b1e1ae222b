"""Writes bot/judges/calibration/model_calibration.json from recorded answers of five models beside human labels.

    python -m lab.benchmarks.calibrate_models [--check | --table | --votes]

Reads ../shared/data/issue_labels_by_model.csv. For every model and label: the probability that a human would bounce
the issue (label 2 or 3), shrunk towards the pooled one where answers are few and made to rise with the label. For every
promise of `strictness`: the mildest label to bounce from whose false bounces stay below it (Wilson's one-sided 95%
bound, so that the promise holds for issues not seen here). `--check` writes nothing and fails when the committed file
differs; `--table` prints the table of docs/internals/judges.md from the committed file, `--votes` that of two models.
"""

import csv
import itertools
import json
import sys
from pathlib import Path
from typing import Any

from bot.judges.openai.issues import majority_label
from bot.policy_choices import PROMISES
from bot.verdicts import SpecificationLabel
from lab.data.files import DATA
from lab.data.recorded_labels import GRADES
from lab.fitting.from_labels import pool_violators
from lab.fitting.labels import upper_bound
from lab.scores.counts import Counts

ROOT = Path(__file__).resolve().parents[2]
RECORDED = DATA / "issue_labels_by_model.csv"
OUT = ROOT / "bot" / "judges" / "calibration" / "model_calibration.json"

LABELS = tuple(GRADES)
# Column of the data -> what such a model is called by endpoints, as a regular expression over the whole name.
MODELS = {
    "claude-3.7-sonnet": r"claude-3[.-]7-sonnet(-(latest|\d+))?",
    "gemma3_27b-it-q8_0": r"gemma-?3[:_-]27b(-it)?([:_-].*)?",
    "gpt-4.1": r"gpt-4\.1(-\d{4}-\d{2}-\d{2})?",
    "o4-mini": r"o4-mini(-\d{4}-\d{2}-\d{2})?",
    "qwen3_32b-q8_0": r"qwen-?3[:_-]32b([:_-].*)?",
}
SHRINK = 10  # a label counts as if seen ten more times at the pooled rate

# Every group of them that may vote, by name in the order of the alphabet.
GROUPS = [group for size in range(2, len(MODELS) + 1) for group in itertools.combinations(sorted(MODELS), size)]

Answers = list[tuple[str, bool]]  # (label, bounced by humans)


def probabilities(answers: Answers, pooled: dict[str, float] | None) -> dict[str, float]:
    """For each label, rising with it (pool adjacent violators)."""
    counts = []
    for label in LABELS:
        hits = [bounced for given, bounced in answers if given == label]
        extra = SHRINK * pooled[label] if pooled else 0.0
        counts.append((sum(hits) + extra, len(hits) + (SHRINK if pooled else 0)))
    return {label: round(share, 4) for label, share in zip(LABELS, pool_violators(counts), strict=True)}


def votes(rows: list[dict[str, str]], group: tuple[str, ...]) -> Answers:
    """What the models of a group say together, where all of them answered."""
    answered = [row for row in rows if all(row[model] in LABELS for model in group)]
    majorities = [majority_label([SpecificationLabel(row[model]) for model in group]) for row in answered]
    return [(label.value, row["human_underspecified"] in "23") for label, row in zip(majorities, answered, strict=True)]


def cut(answers: Answers, start: str) -> tuple[float, float, float, float]:
    """Bouncing from this label on: share of false bounces, its upper bound, share of the unclear caught, macro-F."""
    counts = Counts.of(
        [bad for _, bad in answers], [LABELS.index(label) >= LABELS.index(start) for label, _ in answers]
    )
    fine = counts.false + counts.kept
    bound = upper_bound(counts.false, fine)
    return counts.false / fine, bound, counts.caught / (counts.caught + counts.missed), counts.macro_f or 0.0


def describe(answers: Answers, pooled: dict[str, float] | None, promised: list[Answers]) -> dict[str, object]:
    """One entry of the table. `promised`: each of these answer sets must keep the promises."""
    cuts = {}
    for name, promise in PROMISES.items():
        kept = [label for label in LABELS if all(cut(each, label)[1] <= promise for each in promised)]
        start = kept[0] if kept else LABELS[-1]
        false, bound, caught, macro = cut(answers, start)
        cuts[name] = {
            "from": start,
            "false_bounces": round(false, 4),
            "at_most": round(bound, 4),
            "caught": round(caught, 4),
            "macro_f": round(macro, 4),
        }
    return {"answers": len(answers), "probability": probabilities(answers, pooled), "bounce": cuts}


def markdown(table: dict[str, Any]) -> str:
    """The committed figures as docs/internals/judges.md shows them."""
    lines = [
        "| model | promise | holds from | false bounces | caught | macro-F |",
        "|---|---|---|---|---|---|",
    ]
    for name, entry in [*table["models"].items(), ("other models", table["other"])]:
        for promise, found in entry["bounce"].items():
            limit = f"{promise} ({PROMISES[promise]:.0%})"
            rates = f"{found['false_bounces']:.1%} | {found['caught']:.1%} | {found['macro_f']:.3f}"
            lines.append(f"| {name} | {limit} | `{found['from']}` | {rates} |")
            name = ""
    return "\n".join(lines)


def votes_markdown(table: dict[str, Any]) -> str:
    """The committed figures of two models that vote."""
    lines = ["| two models | balanced (10%) | false bounces | caught | strict (25%) | false bounces | caught |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, entry in table["together"].items():
        if name.count(" + ") == 1:
            cuts = [entry["bounce"][promise] for promise in ("balanced", "strict")]
            cells = [f"`{cut['from']}` | {cut['false_bounces']:.1%} | {cut['caught']:.1%}" for cut in cuts]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def calibration_table(rows: list[dict[str, str]]) -> dict[str, Any]:
    """The whole table. rows: of the data, by the names of its columns."""
    answers = {m: [(row[m], row["human_underspecified"] in "23") for row in rows if row[m] in LABELS] for m in MODELS}
    together = [answer for each in answers.values() for answer in each]
    pooled = probabilities(together, None)
    return {
        "made_by": "lab/benchmarks/calibrate_models.py",
        "share": round(sum(row["human_underspecified"] in "23" for row in rows) / len(rows), 4),
        "models": {m: {"pattern": MODELS[m], **describe(answers[m], pooled, [answers[m]])} for m in MODELS},
        "together": {" + ".join(group): describe(votes(rows, group), pooled, [votes(rows, group)]) for group in GROUPS},
        "other": describe(together, None, list(answers.values())),
    }


def main() -> None:
    if "--votes" in sys.argv[1:]:
        print(votes_markdown(json.loads(OUT.read_text(encoding="utf-8"))))
        return
    if "--table" in sys.argv[1:]:
        print(markdown(json.loads(OUT.read_text(encoding="utf-8"))))
        return
    if not RECORDED.exists():
        sys.exit(f"{RECORDED} is absent: there is nothing to calibrate from")
    with RECORDED.open(encoding="utf-8", newline="") as lines:
        table = calibration_table(list(csv.DictReader(lines)))
    text = json.dumps(table, indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if OUT.read_text(encoding="utf-8") == text else f"{OUT} is out of date")
    OUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
