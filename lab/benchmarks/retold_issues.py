"""How often a real report is held, and how often rightly: `python -m lab.benchmarks.retold_issues`.

`lab/data/issues_retold.jsonl` has reports of public projects, retold in other words. They were labelled from their
threads before Bouncer read them: 1 where the maintainer has to ask the reporter first, 0 where the report is clear
enough to act on, x where it is either. Nobody is exempt here, and the project's own templates are not at hand.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.commands.judge import issue_verdict, policy_with
from bot.judges.offline.rules import RulesJudge
from bot.live.precision import wilson
from bot.policy_choices import Strictness
from bot.reports import IssueText
from bot.verdicts import Decision

REPORTS = Path(__file__).parents[1] / "data" / "issues_retold.jsonl"
CLASSES = {"0": "clear", "1": "to ask about", "x": "either"}


def decide_all(rows: Sequence[dict[str, Any]], strictness: Strictness) -> list[bool]:
    """Whether the default policy, with this strictness, holds each of them."""
    judge, policy = RulesJudge(), policy_with(None, strictness, strictness)
    texts = (IssueText(row["title"], row["body"]) for row in rows)
    return [issue_verdict(text, judge, policy).decision is Decision.BOUNCE for text in texts]


def main() -> None:
    rows = [json.loads(line) for line in REPORTS.read_text(encoding="utf-8").splitlines()]
    print(f"{'strictness':11} {'reports':24} {'held':>10} {'95% by Wilson':>16}")
    for strictness in Strictness:
        found = list(zip(rows, decide_all(rows, strictness), strict=True))
        for label, name in CLASSES.items():
            for whose, teams in (("", (False, True)), (", not the team's", (False,))):
                holds = [hold for row, hold in found if row["label"] == label and row["team"] in teams]
                low, high = wilson(sum(holds), len(holds))
                share = f"{100 * low:.1f} to {100 * high:.1f}%"
                print(f"{strictness:11} {name + whose:24} {sum(holds):3} of {len(holds):3} {share:>16}")


if __name__ == "__main__":
    main()
