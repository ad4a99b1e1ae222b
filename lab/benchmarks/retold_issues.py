"""How often a real report is held, and how often rightly: `python -m lab.benchmarks.retold_issues`.

`lab/data/issues_retold.jsonl` has reports of public projects, retold in other words. They were labelled from their
threads before Bouncer read them: 1 where the maintainer has to ask the reporter first, 0 where the report is clear
enough to act on, x where it is either. Nobody is exempt here, and the project's own templates are not at hand. Each is
judged by weights that were fitted without it and nine tenths of the others; the cuts are the shipped ones, which all of
them chose.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.judges.offline.issues import IssueWeights, OfflineJudge, packaged
from bot.live.precision import wilson
from bot.policy import Issues, Policy
from bot.policy_choices import Strictness
from bot.verdicts import Decision, Verdict
from lab.benchmarks.processes import scratch
from lab.training.offline_issues import Row, load, unseen

CLASSES = {"0": "clear", "1": "to ask about", "x": "either"}


def decide_all(rows: Sequence[Row], weights: Sequence[IssueWeights], strictness: Strictness) -> list[Verdict]:
    """The default policy's verdicts, with this strictness."""
    policy, cuts = Policy(issues=Issues(strictness=strictness)), packaged().thresholds
    judges = (OfflineJudge(replace(each, thresholds=cuts)) for each in weights)
    return [
        decide_issue(IssueFacts(row.report, judge.judge(row.report)), policy)
        for row, judge in zip(rows, judges, strict=True)
    ]


def main() -> None:
    with scratch():
        everything = load()
    rows = [row for row in everything if not row.own]
    (weights,) = unseen(everything, repeats=1)
    print(f"{'strictness':11} {'reports':28} {'held':>10} {'95% by Wilson':>16}")
    for strictness in Strictness:
        found = list(zip(rows, decide_all(rows, weights, strictness), strict=True))
        for label, name in CLASSES.items():
            parts: dict[str, list[bool]] = {"": [], ", not the team's": [], ", told by acts": []}
            for row, verdict in found:
                if row.label == label:
                    held = verdict.decision is Decision.BOUNCE
                    parts[""].append(held)
                    parts[", not the team's"] += [] if row.team else [held]
                    parts[", told by acts"] += [held] if row.acts else []
            for whose, holds in parts.items():
                low, high = wilson(sum(holds), len(holds))
                share = f"{100 * low:.1f} to {100 * high:.1f}%"
                print(f"{strictness:11} {name + whose:28} {sum(holds):3} of {len(holds):3} {share:>16}")
        decisions = Counter(str(verdict.decision) for _, verdict in found)
        print(f"{strictness:11} {', '.join(f'{count} {name}' for name, count in decisions.items())}\n")


if __name__ == "__main__":
    main()
