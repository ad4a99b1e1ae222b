"""Odd reports end in an ordinary verdict; how long each takes is the benchmark's business."""

import pytest

from bot.issues.templates import read_templates
from bot.rendering.issue_reasons import issue_reasons
from bot.reports import IssueText
from bot.verdicts import Decision
from lab.benchmarks.odd_issues import reports, verdict


@pytest.mark.parametrize(("name", "text", "files"), list(reports()), ids=[name for name, _, _ in reports()])
def test_each_has_a_verdict_with_its_reason(name: str, text: IssueText, files: dict[str, str]) -> None:
    found = verdict(text, read_templates(files))
    assert issue_reasons(found) and found.decision is not Decision.UNAVAILABLE
    if found.decision is Decision.BOUNCE:
        assert found.questions and found.missing
