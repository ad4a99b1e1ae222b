"""The pages on verification say what the code does."""

import re
from pathlib import Path

from bot.verification.evidence import Case
from bot.verification.patch_evidence import Standing

INTERNALS = Path(__file__).parents[2] / "docs" / "internals"


def rows(page: str) -> list[str]:
    """The words in the first cells of a page's tables."""
    return re.findall(r"^\| `(\w+)`", (INTERNALS / page).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_case_has_its_row() -> None:
    assert sorted(rows("verification.md")) == sorted(case.value for case in Case)


def test_every_standing_has_its_row() -> None:
    assert sorted(rows("trial.md")) == sorted(standing.value for standing in Standing)
