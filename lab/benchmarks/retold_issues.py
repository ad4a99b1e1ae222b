"""How often a real report is held, and how often rightly: `python -m lab.benchmarks.retold_issues`.

`lab/data/issues_retold.jsonl` has reports of public projects, retold in other words. They were labelled from their
threads before Bouncer read them: 1 where the maintainer has to ask the reporter first, 0 where the report is clear
enough to act on, x where it is either. Nobody is exempt here, and the project's own templates are not at hand. Each is
judged by weights that were fitted without it and nine tenths of the others; the cuts are the shipped ones, which all of
them chose.

`issues_retold_read.jsonl` says what a question could still learn, of each report that was held or asked about: what is
`answered` by the report, or denied; what is `needless`, since nobody has to say it (what a crash should do instead, how
to start what does not start, anything of a chore); what is `open`. One of us read each report once and marked all that
a bug report is asked for, with the questions of that day at hand, so it is no blind reading. A question about what
nobody has read counts as `unread`: read that report, then.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.judges.offline.issues import IssueWeights, OfflineJudge, packaged
from bot.live.precision import wilson
from bot.policy import Issues, Policy
from bot.policy_choices import Ask, Strictness
from bot.verdicts import Decision, Item, Verdict
from lab.benchmarks.processes import scratch
from lab.training.offline_issues import RETOLD, Row, load, unseen

READ = RETOLD.with_name("issues_retold_read.jsonl")
READINGS = ("answered", "needless", "open")
CLASSES = {"0": "clear", "1": "to ask about", "x": "either"}


def decide_all(
    rows: Sequence[Row], weights: Sequence[IssueWeights], strictness: Strictness, ask: Ask = Ask.OFF
) -> list[Verdict]:
    """The default policy's verdicts, with this strictness and asking."""
    policy, cuts = Policy(issues=Issues(strictness=strictness, ask=ask)), packaged().thresholds
    judges = (OfflineJudge(replace(each, thresholds=cuts)) for each in weights)
    return [
        decide_issue(IssueFacts(row.report, judge.judge(row.report)), policy)
        for row, judge in zip(rows, judges, strict=True)
    ]


def readings() -> dict[tuple[str, Item], str]:
    """What a question about an item could learn from whoever wrote a report, by the report's id."""
    rows = [json.loads(line) for line in READ.read_text(encoding="utf-8").splitlines()]
    return {(row["id"], Item(item)): reading for row in rows for reading in READINGS for item in row[reading]}


def count_questions(
    found: Iterable[tuple[Row, Verdict]], read: Mapping[tuple[str, Item], str]
) -> dict[Decision, Counter[str]]:
    """How many questions could learn what: of held reports, and of those that are asked without a hold."""
    counted = {Decision.BOUNCE: Counter[str](), Decision.ACCEPT: Counter[str]()}
    for row, verdict in found:
        for question in verdict.questions:
            counted[verdict.decision][read.get((row.id, question.item), "unread")] += 1
    return counted


def print_questions(found: Sequence[tuple[Row, Verdict]]) -> None:
    """Who is asked without a hold, and what questions could learn."""
    asked = [row for row, verdict in found if verdict.asks]
    for name, part in (("", asked), (", told by acts", [row for row in asked if row.acts])):
        labels = Counter(CLASSES[row.label] for row in part)
        print(f"asked{name}: {len(part)}; {', '.join(f'{count} {label}' for label, count in labels.items())}")
    outsiders = [(row, verdict) for row, verdict in found if not row.team]
    for whose, pairs in (("", found), (", not the team's", outsiders)):
        for decision, counts in count_questions(pairs, readings()).items():
            name = ("held" if decision is Decision.BOUNCE else "asked") + whose
            low, high = wilson(counts["answered"], counts.total() or 1)
            share = f"{100 * low:.1f} to {100 * high:.1f}%"
            told = ", ".join(f"{counts[reading]} {reading}" for reading in (*READINGS, "unread"))
            print(f"questions, {name}: {counts.total()}; {told}; answered already {share}")


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
    verdicts = decide_all(rows, weights, Strictness.BALANCED, Ask.ALWAYS)
    print_questions(list(zip(rows, verdicts, strict=True)))


if __name__ == "__main__":
    main()
