"""The README's figures are those that were measured, and its picture shows the demo."""

import json
import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.text import Text

from bot.demo.play import HEADINGS, SHORT
from bot.demo.scenario import STORIES
from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge
from bot.policy import Policy
from bot.rendering import words
from bot.reports import IssueText
from tests.docs.moving_picture import THEMES, draw
from tests.docs.pages import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURES, RESULTS = ROOT / "docs/pictures", ROOT / "lab/results"
(STORY,) = (story for story in STORIES if story.key == "clarified")
MEASURED = {
    "clear reports: held": ("retold_issues", "clear reports held"),
    "reports that a maintainer had to ask about: held, with questions": (
        "retold_issues",
        "reports held that a maintainer asks about",
    ),
    "known tricks to merge what breaks a test: merged": ("hostile", "tricks that merge"),
    "real fixes: passed": ("real_pulls_held", "real fixes that pass"),
    "real fixes: bounced": ("real_pulls_held", "real fixes that are bounced"),
    "damaged fixes: passed": ("real_pulls_held", "damaged fixes that pass"),
    "ordinary changes: wait for a person": ("real_pulls_held", "ordinary changes that wait for a person"),
}
ATTACK = (
    ", **but {hits} of {of} newer ones**, found by reading Bouncer's source, would be merged today; they are being"
    " mended"
)


def test_each_figure_is_the_measured_one() -> None:
    row = re.compile(
        r"^\| ([^|]+: [^|]+) \| \[(\d+) of (\d+)\]\(BENCHMARKS\.md#[\w-]+\)([^|]*) \| ([^|]*?) ?\|$", re.MULTILINE
    )
    rows = row.findall(README)
    assert [subject for subject, *_ in rows] == list(MEASURED)
    for (subject, hits, total, more, share), (name, said) in zip(rows, MEASURED.values(), strict=True):
        figure = result(name, said)
        assert (int(hits), int(total)) == (figure["hits"], figure["of"]), subject
        if "low" in figure:
            low, high = (int(figure[end] + 0.5) for end in ("low", "high"))
            assert share == f"{round(100 * int(hits) / int(total))} ({low}–{high})" and not more, subject
        else:
            assert not share and more == ATTACK.format(**result("newer_tricks", "newer tricks that merge")), subject


def test_the_earlier_and_larger_run_is_told() -> None:
    runs = [result("real_pulls", said)["halves"] for said in ("real fixes that are bounced", "damaged fixes that pass")]
    (bounced, fixes), (passed, damaged) = (map(sum, zip(*halves, strict=True)) for halves in runs)
    told = f"{bounced} of {fixes} real fixes was bounced, and {passed} of {damaged} damaged ones passed"
    assert told in " ".join(README.split())


def result(name: str, said: str) -> dict[str, Any]:
    figures = json.loads((RESULTS / f"{name}.json").read_text())["figures"]
    (figure,) = [each for each in figures if each["figure"] == said]
    return dict(figure)


@pytest.mark.parametrize("theme", THEMES)
def test_the_picture_shows_the_demo_and_loads_nothing(theme: str) -> None:
    text = (PICTURES / f"demo-{theme}.svg").read_text(encoding="utf-8")
    shown = "\n".join(ElementTree.fromstring(text).itertext())
    assert [HEADINGS[story] for story in SHORT if HEADINGS[story] not in shown] == []
    report = parse(IssueText(STORY.title, STORY.body))
    facts = IssueFacts(report, OfflineJudge().judge(report), "reporter", "none", False, (), "open", False)
    checklist = [words.item_words(line) for line in decide_issue(facts, Policy()).checklist]
    assert checklist and [line for line in checklist if line not in shown] == [], "run: make pictures"
    assert "Bouncer writes:" in shown and "<script" not in text and "url(" not in text and "href" not in text
    assert f"docs/pictures/demo-{theme}.svg" in README


def test_lines_come_one_after_the_other_and_the_last_ones_stay() -> None:
    printed = [(Text.assemble((f"line {number}", "bold green")), Text()) for number in range(20)]
    text = draw(printed, "light")
    starts = [float(at) for at in re.findall(r"@keyframes k\d+\{0%\{opacity:[01]\}([\d.]+)%", text)]
    assert len(starts) == 20 and all(before < after for before, after in pairwise(starts))
    rows = [float(row) for row in re.findall(r'y="([\d.]+)" textLength', text)]
    (end,) = re.findall(r"\.all\{transform:translateY\((-\d+)px\)", text)
    assert 0 < rows[-1] + int(end) < 26 * 17 and rows[0] + int(end) < 0
    assert 'class="green bold">line 3<' in text and "prefers-reduced-motion" in text
