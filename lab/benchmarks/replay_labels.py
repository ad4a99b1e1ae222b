"""Prints what becomes of recorded labels in the decision itself.

    python -m lab.benchmarks.replay_labels

Reads ../shared/data/issue_labels_by_model.csv and the issues there that have a text. Each label goes through
`decide_issue` like a live answer. Recorded answers bring neither questions nor reasoning, so more of them end
`UNAVAILABLE` than of live ones.
"""

import csv
from collections import Counter

from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.judges.calibration import model_calibration
from bot.judges.calibration.calibration import bounces
from bot.judges.protocol import Judgement
from bot.policy import Issues, Policy
from bot.policy_choices import Strictness
from bot.reports import Report
from bot.verdicts import Decision, SpecificationLabel
from lab.benchmarks.calibrate_models import MODELS, RECORDED
from lab.data.files import DATA, issue_text
from lab.data.patches import issue_rows

LABELS = {label.value: label for label in SpecificationLabel}
# Column of the data -> a name that an endpoint gives it.
NAMES = dict(zip(MODELS, ("claude-3.7-sonnet", "gemma3:27b", "gpt-4.1", "o4-mini", "qwen3:32b"), strict=True))


def replay(report: Report, label: SpecificationLabel, model: str, strictness: Strictness) -> tuple[bool, Decision]:
    """Whether the label alone would hold the report, and what is decided."""
    judge = f"{model} with a recorded answer"
    judgement = Judgement(label, model_calibration.probability(model, label), report.kind, judge, {})
    facts = IssueFacts(report, judgement, "", "", False, (), "open", False)
    decided = decide_issue(facts, Policy(issues=Issues(strictness=strictness)))
    return bounces(judgement, strictness), decided.decision


def table() -> str:
    known = {name: parse(issue_text(row["problem_statement"])) for name, row in issue_rows(DATA).items()}
    with RECORDED.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["instance_id"] in known]
    shown = [
        "| model | strictness | issues | its label holds | held | not judged | accepted |",
        "|---|---|---|---|---|---|---|",
    ]
    for column, model in NAMES.items():
        answers = [(known[row["instance_id"]], LABELS[row[column]]) for row in rows if row[column] in LABELS]
        name = column
        for strictness in Strictness:
            ended = Counter(replay(report, label, model, strictness) for report, label in answers)
            assert not ended[False, Decision.BOUNCE], "held against its label"
            held, open_, kind = (ended[True, each] for each in (Decision.BOUNCE, Decision.UNAVAILABLE, Decision.ACCEPT))
            shown.append(
                f"| {name} | {strictness} | {len(answers)} | {held + open_ + kind} | {held} | {open_} | {kind} |"
            )
            name = ""
    return "\n".join(shown)


if __name__ == "__main__":
    print(table())
