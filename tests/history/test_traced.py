"""What git says of candidates: runs of words, pickaxe and blame, and what becomes of them without time or objects."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from bot.history.git_trace import HistoryTracer, Traced, TraceMade
from bot.history.report import read
from bot.history.search import search
from bot.history.values import Searched, Sought
from tests.history.house import FIX, MENDED, PARSER, SOUGHT, House


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path, others=2)


def asked(house: House, sought: Sought = SOUGHT, **more: float) -> Searched:
    return search(
        house.index(),
        sought,
        reported=house.base,
        head=house.head,
        directory=house.directory,
        seconds=more.get("seconds", 60),
    )


def test_the_line_at_which_it_stopped_names_the_change_that_mended_it(house: House) -> None:
    fix = house.fix()
    later = house.commit("Say more", {"grid/parser.py": f"# Reads tables.\n{MENDED}"})
    found = {one.commit: one.why for one in asked(house).candidates}
    line = "It changes a line at which the report's stack trace stopped."
    assert line in found[fix]
    assert line not in found[later]


def test_the_line_is_found_by_its_code_wherever_it_stands(house: House) -> None:
    moved = replace(SOUGHT, text=SOUGHT.text.replace("line 3", "line 300"))
    fix = house.fix()
    found = {one.commit: one.why for one in asked(house, moved).candidates}
    assert "It changes a line at which the report's stack trace stopped." in found[fix]
    other = replace(SOUGHT, text=SOUGHT.text.replace("rows.pop()", "rows.push()"))
    assert not any("stopped" in why for one in asked(house, other).candidates for why in one.why)


def test_pickaxe_tells_who_adds_or_takes_away_a_name(house: House) -> None:
    one = house.commit("Use it", {"a.py": "from grid.parser import parse_table\n"})
    more = house.commit("Use it more", {"a.py": "from grid.parser import parse_table  # parse_table\n"})
    same = house.commit("Say it so", {"a.py": "from grid.parser import parse_table  # parse_table!\n"})
    assert [said.names for said in traced(house, one, more, same)] == [1, 1, 0]


def test_a_test_and_a_message_that_repeat_the_report_are_told(house: House) -> None:
    sought = Sought(
        "Table forgets its last row of numbers",
        "It forgets its last row of numbers whenever I ask.\n\n```\nassert parse_table('a,1.5') == [['a', 1.5]]\n```\n",
    )
    fix = house.commit(
        "Mend tables\n\nThe table forgets its last row of numbers.",
        {
            "grid/parser.py": MENDED,
            "tests/test_parser.py": "def test():\n    assert parse_table('a,1.5') == [['a', 1.5]]\n",
        },
    )
    best = asked(house, sought).candidates[0]
    assert best.commit == fix
    assert {
        "Its tests contain code from the report.",
        "Its message or its changelog says it in the report's own words.",
    } <= set(best.why)
    plain = search(house.index(), sought, reported=house.base, head=house.head).candidates[0]
    assert "Its tests contain code from the report." not in plain.why
    assert best.score > plain.score


def test_without_time_what_names_the_report_is_told_and_that_it_is_not_all(house: House) -> None:
    fix = house.fix(f"{FIX}\n\nFixes #12.")
    other = house.commit("Table rows", {"grid/parser.py": PARSER + "# last row\n"})
    found = asked(house, seconds=-1)
    assert [one.commit for one in found.candidates] == [fix]
    assert "its time was over" in found.problem
    assert other in {one.commit for one in asked(house).candidates}


def test_git_without_time_or_objects_says_nothing(house: House) -> None:
    fix = house.fix()
    assert traced(house, fix)[0].changed
    assert traced(house, fix, seconds=-1) == [Traced()]
    assert traced(house, "0" * 40) == [Traced()]


def traced(house: House, *commits: str, seconds: float = 60) -> list[Traced]:
    """Of commits that stand alone."""
    made = {}
    for number, sha in enumerate(commits):
        before = house.git("rev-list", "--parents", "-1", sha).split()[1:] if int(sha, 16) else ()
        made[number] = TraceMade((sha,), frozenset(before), ("grid/parser.py",))
    tracer = HistoryTracer(house.directory, house.base, house.head, time.monotonic() + seconds)
    said = tracer.traced(made, read(SOUGHT), ["parse_table"])
    assert tracer.late == (seconds < 0)
    return [replace(said[number], asked=1) for number in made]


def test_what_fixed_a_report_with_the_same_symptoms_is_a_candidate(house: House) -> None:
    fix = house.commit("Mend it\n\nFixes #7.", {"c.py": "1"})
    named = house.commit("Go on, see #7", {"d.py": "1"})
    house.commit("Another\n\nFixes #8.", {"e.py": "1"})
    without = {one.commit: one for one in asked(house).candidates}
    found = {one.commit: one for one in asked(house, replace(SOUGHT, relatives=(7,))).candidates}
    assert "It names #7, a report of the same symptoms." in found[fix].why
    assert not found[fix].names_issue
    assert found[fix].score > found[named].score
    assert named not in without or found[named].score >= without[named].score
    said = replace(SOUGHT, text=f"{SOUGHT.text}\nMaybe a duplicate of #7.")
    assert {one.commit: one.why for one in asked(house, said).candidates}[fix] == found[fix].why


def test_a_grafted_clone_says_so(house: House) -> None:
    house.fix()
    (house.directory / ".git" / "info").mkdir(exist_ok=True)
    (house.directory / ".git" / "info" / "grafts").write_text(f"{house.head}\n")
    assert "grafted" in house.index().problem
