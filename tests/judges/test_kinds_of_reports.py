"""Reports of all kinds in our own words, labelled before any judge saw them; the rules were mended on them."""

import json
from pathlib import Path
from typing import Any

from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.judges.offline.rules import RulesJudge
from bot.policy import Policy
from bot.reports import GitHubFields, IssueText
from bot.verdicts import Decision, IssueKind

DATA = Path(__file__).parents[1] / "data"


def judged(name: str) -> tuple[list[dict[str, Any]], dict[str, bool]]:
    """The rows of a file, and by their ids whether each is held."""
    rows = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    held = {}
    for row in rows:
        report = parse(IssueText(row["title"], row["body"], told=GitHubFields(tuple(row["labels"]), "", row["by_bot"])))
        facts = IssueFacts(report, RulesJudge().judge(report), "ana", "none", False, (), "open", False)
        held[row["id"]] = decide_issue(facts, Policy()).decision is Decision.BOUNCE
    return rows, held


def test_reports_of_all_kinds_are_judged_as_a_maintainer_labelled_them() -> None:
    rows, held = judged("kinds_of_reports.jsonl")
    assert {row["kind"] for row in rows} == {kind.value for kind in IssueKind}
    assert [row["id"] for row in rows if held[row["id"]] and not row["label"]] == []
    assert sum(held[row["id"]] == bool(row["label"]) for row in rows) >= 0.97 * len(rows)


def test_a_sentence_in_another_language_is_not_held_for_being_short() -> None:
    """45 that say something and 45 that do not, in 15 languages."""
    rows, held = judged("one_sentence_reports.jsonl")
    assert len({row["language"] for row in rows}) == 15
    fine = [row["id"] for row in rows if not row["label"]]
    assert sum(held[name] for name in fine) <= 1, [name for name in fine if held[name]]
    assert sum(held[row["id"]] for row in rows if row["label"]) >= 36
