"""The threat model names only what is there, and a test for each thing that it says is stopped."""

import re

from tests.docs.pages import DOCS, ROOT

PAGE = (DOCS / "threat-model.md").read_text(encoding="utf-8")


def test_every_file_that_it_names_is_there() -> None:
    named = set(re.findall(r"`((?:bot|webhooks|tests|\.github)/[^`]*|constraints\.txt)`", PAGE)) - {
        ".github/bouncer.yml"
    }
    assert len(named) > 30
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_every_attack_has_its_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| tries |")]
    assert len(rows) > 15
    assert [row for row in rows if not re.search(r"`tests/[\w/]+\.py` \|$|`tests/[\w/]+\.py`, ", row)] == []


def test_what_is_left_is_said_of_everybody() -> None:
    sections = PAGE.partition("## Who, and what stops them")[2].split("\n### ")[1:]
    assert len(sections) == 7
    assert [section.partition("\n")[0] for section in sections if "**Left:**" not in section] == []


def test_whoever_reports_a_hole_is_led_to_it() -> None:
    assert "(docs/threat-model.md)" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
