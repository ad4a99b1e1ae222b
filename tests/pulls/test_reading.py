"""What there is to judge in a change, told from the diff alone."""

import pytest

from bot.changes.read import read_change
from bot.pulls.facts import Asked, Substance
from bot.pulls.reading import read_facts


@pytest.mark.parametrize(
    ("path", "substance"),
    [
        ("README.md", Substance.PAPER),
        ("guide.rst", Substance.PAPER),
        ("docs/words.txt", Substance.PAPER),
        ("src/pkg/README.txt", Substance.PAPER),
        ("tests/words.txt", Substance.PAPER),
        ("words.txt", Substance.CODE),
        ("src/pkg/words.txt", Substance.CODE),
        ("src/pkg/prompts/ask.md", Substance.CODE),
        ("src/pkg/tea.py", Substance.CODE),
    ],
)
def test_what_a_program_may_read_is_executed(path: str, substance: Substance) -> None:
    diff = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-one\n+two\n"
    assert read_facts(Asked.ISSUE, read_change(diff), "It should say two.").substance is substance
