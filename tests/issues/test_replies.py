"""Whose words a reply holds."""

import pytest

from bot.reports import IssueText, Reply


@pytest.mark.parametrize(
    ("body", "own", "others"),
    [
        ("It fails.", "It fails.", ""),
        ("> It fails.\n> Really.\n\nNo.", "\nNo.", "It fails.\nReally."),
        (">It fails.\r\nNo.", "No.", "It fails."),
        ("> ```\n> >>> half(3)\n> ```\nNo.", "No.", "```\n>>> half(3)\n```"),
        (">>> half(3)\n1", ">>> half(3)\n1", ""),
        (">>>", ">>>", ""),
        ("```sh\n> npm test\n```\n> Why?", "```sh\n> npm test\n```", "Why?"),
        ("~~~~\n~~~\n> a\n~~~~\n> b", "~~~~\n~~~\n> a\n~~~~", "b"),
    ],
)
def test_what_a_reporter_quotes_is_somebody_elses(body: str, own: str, others: str) -> None:
    text = IssueText("t", "> as it stands", (Reply("ann", True, body), Reply("bob", False, "> Me\ntoo.")))
    assert text.reporters == IssueText("t", "> as it stands", (Reply("ann", True, own),))
    assert text.others == (others, "> Me\ntoo.")
