"""docs/internals/verification.md says what the code does."""

import re
from pathlib import Path

from bot.verification.patch_evidence import Standing
from bot.verification.verified import Case
from bot.verification.weakening import Weakened

PAGE = (Path(__file__).parents[2] / "docs" / "internals" / "verification.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[str]:
    """The first cells of the first table below a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)`", section, re.MULTILINE)


def test_every_case_has_its_row() -> None:
    assert sorted(rows("The cases")) == sorted(case.value for case in Case)


def test_every_standing_has_its_row() -> None:
    assert sorted(rows("The trial of a change")) == sorted(standing.value for standing in Standing)


def test_every_way_to_weaken_a_test_is_named() -> None:
    words = {
        Weakened.UNREADABLE: "no longer parse",
        Weakened.EMPTY_CHECK: "always hold",
        Weakened.BROADER_EXCEPT: "broader `except`",
    }
    words |= {Weakened.FEWER_CHECKS: "fewer", Weakened.LOOSER_CHECK: "looser checks"}
    assert [way for way in Weakened if words.get(way, way.value) not in PAGE] == []
