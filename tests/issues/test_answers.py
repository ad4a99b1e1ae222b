"""Which answers of a form say nothing, each with an honest twin, and what is handed over beside the text."""

import pytest

from bot.issues.answers import says_nothing
from bot.issues.parse import parse
from bot.issues.templates import read_templates
from bot.reports import IssueText
from bot.verdicts import Item
from tests.support.cases import cases


@cases
def test_an_answer_that_says_nothing(hollow: str, twin: str) -> None:
    assert says_nothing(hollow)
    assert not says_nothing(twin)


@cases
def test_what_supplies_an_item_and_what_does_not(body: str, item: Item, supplied: bool) -> None:
    report = parse(IssueText("Crash when a pattern is opened", body))
    assert (report.items[item] is not None) is supplied


@cases
def test_a_file_is_handed_over_by_a_link(body: str, files: int) -> None:
    assert parse(IssueText("Trouble with the loom", f"It goes wrong.\n\n{body}\n")).features["attachments"] == files


@cases
def test_what_is_quoted_stands_in_the_report(body: str, item: Item) -> None:
    quote = parse(IssueText("Trouble", f"It goes wrong.\n\n{body}\n")).items[item]
    assert quote and quote in body


@pytest.mark.parametrize("remark", ["# Show what goes wrong", "// Show what goes wrong", "; Show what goes wrong"])
def test_a_remark_of_the_form_in_a_fence_is_no_answer(remark: str) -> None:
    value = f"value: |\n      ```\n      {remark}\n      ```\n"
    form = f"body:\n- type: textarea\n  attributes:\n    label: What happened?\n    {value}"
    templates = read_templates({"bug.yml": form})
    empty, told = (
        parse(IssueText("trouble", f"### What happened?\n\n```\n{remark}\n{more}```\n"), templates)
        for more in ("", "print(threads(3))\n")
    )
    assert not empty.filled
    assert told.filled == ("What happened?",)


def test_an_address_in_brackets_is_no_code() -> None:
    for address in ("<https://pictures.example/a/77>", "<ada@example.org>"):
        found = parse(IssueText("It doesn't work", f"Please have a look.\n\n{address}\n")).features
        assert not found["code_blocks"] and not found["concrete"]
    assert parse(IssueText("It doesn't work", "<Button onClick={save}>\n")).features["code_blocks"]
