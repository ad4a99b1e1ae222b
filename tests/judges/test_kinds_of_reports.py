"""200 reports of all kinds in our own words, labelled before any judge saw them; the rules were mended on them."""

import json
from pathlib import Path

from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.judges.rules import RulesJudge
from bot.policy import Policy
from bot.reports import IssueText, Told
from bot.verdicts import Decision, IssueKind

ROWS = Path(__file__).parents[1] / "data" / "kinds_of_reports.jsonl"


def test_reports_of_all_kinds_are_judged_as_a_maintainer_labelled_them() -> None:
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    held = {}
    for row in rows:
        report = parse(IssueText(row["title"], row["body"], told=Told(tuple(row["labels"]), "", row["by_bot"])))
        facts = IssueFacts(report, RulesJudge().judge(report), "ana", "none", False, (), "open", False)
        held[row["id"]] = decide_issue(facts, Policy()).decision is Decision.BOUNCE
    assert {row["kind"] for row in rows} == {kind.value for kind in IssueKind}
    assert [row["id"] for row in rows if held[row["id"]] and not row["label"]] == []
    assert sum(held[row["id"]] == bool(row["label"]) for row in rows) >= 0.97 * len(rows)
