"""A repository's own templates: what they put into a report is no part of it."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.issues.asked_for import fact_lines
from bot.issues.clarify import questions
from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.issues.templates import LARGEST, read_templates, without_templates
from bot.judges.offline.issues import OfflineJudge
from bot.policy import Policy
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.words import question_sentence
from bot.reports import IssueText
from bot.verdicts import Decision, Item, Verdict
from tests.issues.builders import policy

SHORT = Path(__file__).parents[1] / "data" / "short_reports.jsonl"
MARKDOWN = """---
name: Fehler melden
about: Etwas geht nicht
labels: bug
---
<!-- Bitte erst die vorhandenen Meldungen durchsuchen. -->
Vielen Dank, dass du dir die Zeit nimmst, einen Fehler in unserer Küchenwaage zu melden!

- [ ] Ich habe die vorhandenen Meldungen durchsucht
- [ ] Ich nutze die neueste Fassung der Waage

## Was passiert?
Beschreibe so genau wie möglich, was die Waage anzeigt.

## Wie bringt man sie dazu?
1. Waage einschalten
2. ...

**Fassung:**

```
hier das Protokoll einfügen
```
"""
FORM = """
name: Bug
description: Something the scale does wrong
body:
  - type: markdown
    attributes: {value: "Thanks for weighing in!"}
  - type: textarea
    attributes:
      label: What the scale shows
      placeholder: Grams, and the unit it blinks
      value: "Tell us what the display shows, in grams."
    validations: {required: true}
  - type: textarea
    attributes: {label: Bowl}
  - type: checkboxes
    attributes:
      label: Before you send
      options:
        - label: I put the scale on a level kitchen surface
"""
SENT = """### What the scale shows

Tell us what the display shows, in grams.

### Bowl

_No response_

### Before you send

- [X] I put the scale on a level kitchen surface
"""
TEMPLATES = read_templates({"bug.md": MARKDOWN, "bug.yml": FORM, "config.yml": "blank_issues_enabled: false\n"})
WRITTEN = MARKDOWN.split("---\n", 2)[2]
SAYS = "With the bowl `B-3` on it the scale shows 12 g more than before."


def verdict(title: str, body: str) -> Verdict:
    report = parse(IssueText(title, body), TEMPLATES)
    facts = IssueFacts(report, OfflineJudge().judge(report), "ana", "none", False, (), "open", False)
    return decide_issue(facts, Policy())


@pytest.mark.parametrize(
    ("sent", "field"),
    [(WRITTEN, "Was passiert"), (WRITTEN.replace("[ ]", "[x]").replace("\n", "\r\n"), "Was passiert"), (SENT, "Bowl")],
)
def test_an_untouched_template_is_an_emptied_form(sent: str, field: str) -> None:
    """Without the templates nobody can tell their words from the reporter's."""
    held = verdict("Broken", sent)
    assert held.decision is Decision.BOUNCE
    assert issue_reasons(held) == ("The form was sent as it is: nothing is filled in.",)
    assert field in [found.quote.rstrip("?") for found in held.evidence if found.check == "empty_section"]
    assert parse(IssueText("Broken", sent)).features["specific_words"] >= 3


def test_a_field_that_has_to_be_filled_is_asked_for_by_its_own_label() -> None:
    held = verdict("Broken", SENT)
    assert held.questions[0].quote == "What the scale shows"
    assert question_sentence(held.questions[0]).partition(" — ")[2].startswith("This section is still empty.")


@pytest.mark.parametrize("filled", [WRITTEN.replace("2. ...", f"2. {SAYS}"), SENT.replace("_No response_", SAYS), SAYS])
def test_what_is_written_into_a_template_or_without_it_counts(filled: str) -> None:
    assert verdict("Wrong weight", filled).decision is Decision.ACCEPT


def test_lines_go_and_nothing_else_moves() -> None:
    assert without_templates("a\n2. ...\n```\n2. ...\n}\n```\nb", TEMPLATES) == "a\n\n```\n2. ...\n}\n```\nb"
    assert without_templates("hier das Protokoll einfügen", TEMPLATES) == ""
    assert without_templates(WRITTEN, ()) == WRITTEN


TOLD_BY_A_FORM = """
body:
  - type: markdown
    attributes: {value: "Weigh nothing that is still warm!"}
  - type: textarea
    attributes:
      label: What the scale shows
      description: |
        Read the display aloud and write it here.
        # Grams and unit
  - type: textarea
    attributes: {label: Log, render: shell, value: "# Put the log of the scale below"}
"""


@pytest.mark.parametrize(
    ("of_the_form", "reporters"),
    [
        ("Weigh nothing that is still warm!", "It weighs nothing that is still warm!"),
        ("Read the display aloud and write it here.", "I read the display aloud: 12 g."),
        ("```shell\n# Put the log of the scale below\n```", "```shell\n# Put the log of the scale below\nE42\n```"),
        ("~~~\n# Put the log of the scale below\n~~~", "~~~\n# the log of the scale\n~~~\nE42"),
    ],
)
def test_what_a_form_says_is_never_the_reporters(of_the_form: str, reporters: str) -> None:
    templates = read_templates({"a.yml": TOLD_BY_A_FORM})
    empty, told = (
        parse(IssueText("Scale", f"### What the scale shows\n\n{answer}\n"), templates)
        for answer in (of_the_form, reporters)
    )
    assert not empty.filled
    assert told.filled == ("What the scale shows",)


BOXES = """
body:
  - type: checkboxes
    attributes:
      label: Kitchen
      options: [{label: Electric stove of the old kind}, {label: Gas}]
  - type: checkboxes
    attributes:
      label: Before you send
      options: [{label: The scale stands level, required: true}, {label: It is clean}]
"""


@pytest.mark.parametrize(
    ("boxes", "filled"),
    [
        ("### Kitchen\n\n- [X] Electric stove of the old kind\n- [ ] Gas", ("Kitchen",)),
        ("### Kitchen\n\n- [ ] Electric stove of the old kind\n- [x] Gas", ("Kitchen",)),
        ("### Kitchen\n\n- [ ] Electric stove of the old kind\n- [ ] Gas", ()),
        ("### Before you send\n\n- [X] The scale stands level\n- [ ] It is clean", ()),
    ],
)
def test_what_is_ticked_in_a_list_to_choose_from_is_an_answer(boxes: str, filled: tuple[str, ...]) -> None:
    """A rule that has to be ticked is none."""
    assert parse(IssueText("Scale", boxes), read_templates({"a.yml": BOXES})).filled == filled


WITH_A_FACT = """
body:
  - type: textarea
    attributes:
      label: What happened?
      value: |
        Attach scale.log if it doesn't work.
        ```
        >>> weigh("bowl")
        12
        ```
"""


@pytest.mark.parametrize(("own", "there"), [("", False), ("\nscale.log says E42.\n", True)])
def test_what_a_form_says_answers_nothing_and_is_never_quoted(own: str, there: bool) -> None:
    templates = read_templates({"a.yml": WITH_A_FACT})
    text = f"""### What happened?

Attach scale.log if it doesn't work.
```
>>> weigh("bowl")
12
```

The scale is wrong since Monday.
{own}"""
    report = parse(IssueText("Scale", text), templates)
    fact = {"fact": "log of the scale", "question": "Please attach scale.log.", "words": ["scale.log"]}
    (line,) = fact_lines(report, report.kind, policy(issues={"ask_for": [fact]}))
    assert line.clear is there
    assert not report.items.get(Item.EXPECTED)
    asked = questions(report, (Item.OBSERVED,), (), 3)
    assert [each.quote for each in asked] != ["Attach scale.log if it doesn't work."]


def test_a_template_without_headings_is_no_text_of_ones_own() -> None:
    templates = read_templates({"issue_template.md": "Please search first.\n"})
    report = parse(IssueText("Help", "Please search first.\n"), templates)
    held = decide_issue(IssueFacts(report, OfflineJudge().judge(report)), Policy())
    assert issue_reasons(held) == ("It has no text of its own, and its title alone says too little.",)


def test_a_heading_stays_where_it_is_one() -> None:
    """`# Put the log ...` heads something in a text, and is the form's remark in its box of code."""
    templates = read_templates({"a.yml": TOLD_BY_A_FORM})
    for text in ("# Put the log of the scale below\nE42", "# Grams and unit\n12"):
        assert without_templates(text, templates) == text
    assert without_templates("> ```\n> # Put the log of the scale below\n> ```", templates).count("scale") == 1


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SHORT.read_text(encoding="utf-8").splitlines()), st.sampled_from([WRITTEN, SENT]))
def test_appending_the_template_changes_nothing(line: str, template: str) -> None:
    row = json.loads(line)
    plain = verdict(row["title"], row["body"])
    assert verdict(row["title"], f"{row['body']}\n\n{template}").decision is plain.decision


@pytest.mark.parametrize(
    "broken",
    [
        "body: [",
        "body: 7",
        "- a",
        "body:\n- 3\n- attributes: 7\n- type: checkboxes",
        "\0",
        "x" * (LARGEST + 1),
        "---\n",
    ],
)
def test_a_broken_template_says_nothing(broken: str) -> None:
    assert read_templates({"a.yml": broken}) == ()
    assert read_templates({"a.txt": MARKDOWN}) == ()
    assert len(read_templates({"a.yml": broken, "b.md": MARKDOWN})) == 1
