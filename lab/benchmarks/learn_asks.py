"""What `bouncer learn` is worth: learnt from older threads of a project, tried on later ones of the same project.

    python -m lab.benchmarks.learn_asks DIR [--issues N] [--past SHARE]

DIR holds a folder for each project with an export of it (docs/backtest.md). Counts alone are printed. For each project:
the later reports about which maintainers asked and did not, and how many of both are held by the built-in judge's
default strictness alone, with what `learn` proposes, and with the best entries that kept 5% on the older threads,
however little they were worth there. Last, what `issues.ask: always` would have asked about, beside what is held.
"""

import argparse
import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.backtest.endings import Signal
from bot.backtest.export import ISSUES, read_export
from bot.backtest.judging import judge_past
from bot.backtest.learning import count_facts, figures, learn, split, with_learnt
from bot.backtest.threads import threads_of
from bot.judges.offline.issues import OfflineJudge
from bot.policy import Policy
from bot.verdicts import Decision


def measured(folder: Path, most: int, share: float) -> dict[str, Any]:
    """The counts of one project."""
    policy = Policy()
    older, later = split(read_export(folder, folder.name, most), share)
    threads = tuple(threads_of(older, policy, _no_templates))
    sure, loose = learn(threads), learn(threads, surer=False)
    alone = list(judge_past(later, OfflineJudge(), policy, _no_templates))
    row: dict[str, Any] = {
        "project": folder.name,
        "older": len(threads),
        "asked_older": sum(thread.signal is Signal.UNCLEAR for thread in threads),
        "facts": {count.fact: count.asked for count in count_facts(threads)},
        "alone": asdict(figures(alone, policy)),
    }
    for name, learnt in (("learnt", sure), ("loose", loose)):
        with_facts = with_learnt(policy, learnt)
        found = figures(judge_past(later, OfflineJudge(), with_facts, _no_templates), with_facts)
        row[name] = {"entries": len(learnt), **asdict(found)}
    asked = [
        each.outcome.signal
        for each in alone
        if each.verdicts
        and each.issue.text_known
        and (verdict := each.verdicts[policy.issues.strictness]).decision is Decision.ACCEPT
        and verdict.questions
    ]
    row["ask"] = {signal.name.lower(): Counter(asked)[signal] for signal in Signal}
    return row


def _no_templates(_: object) -> tuple[()]:
    return ()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--issues", type=int, default=2_500)
    parser.add_argument("--past", type=float, default=0.6)
    given = parser.parse_args()
    rows = []
    for folder in sorted(path.parent for path in given.directory.glob(f"*/{ISSUES}")):
        rows.append(measured(folder, given.issues, given.past))
        print(json.dumps(rows[-1]), flush=True)
    for which in ("alone", "learnt", "loose"):
        total = Counter[str]()
        for row in rows:
            total.update({key: value for key, value in row[which].items() if key != "entries"})
        print(which, dict(total))
    print("ask", dict(sum((Counter(row["ask"]) for row in rows), Counter[str]())))


if __name__ == "__main__":
    main()
