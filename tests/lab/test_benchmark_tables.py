"""BENCHMARKS.md has the results that are kept and nothing else in its tables, and each has a command that is there."""

import re
from datetime import date

import pytest
from click import Context

from lab.benchmark_tables import PAGE, RESULTS, ROOT, misses_goal, read_result, render_page, render_table
from lab.commands.bench import bench

NAMES = sorted(path.stem for path in RESULTS.glob("*.json"))


def test_the_page_has_each_result_once_and_no_figure_without_one() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert render_page(text) == text, "run: make docs"
    shown = re.findall(r"<!-- (\w+) -->", text)
    assert sorted(shown) == NAMES
    rows = [row for name in shown for row in render_table(read_result(name)).splitlines()]
    assert re.findall(r"^\|.*", text, re.MULTILINE) == rows


@pytest.mark.parametrize("name", NAMES)
def test_a_result_says_when_where_and_how_it_was_measured(name: str) -> None:
    measured = read_result(name)
    assert date.fromisoformat(measured["date"]) and measured["machine"] and measured["figures"]
    assert measured["commit"] is None or re.fullmatch(r"[0-9a-f]{8}", measured["commit"])
    assert exists(measured["command"]), measured["command"]


def test_every_command_that_the_page_names_is_there() -> None:
    named = re.findall(r"`((?:python -m|make|bouncer bench) [^`]+)`", PAGE.read_text(encoding="utf-8"))
    assert named
    assert [command for command in named if not exists(command)] == []


def exists(command: str) -> bool:
    match command.replace("make bench-", "python -m lab.benchmarks.").split():
        case ["python", "-m", "lab.benchmarks.NAME"]:
            return True
        case ["python", "-m", module, *_]:
            return (ROOT / f"{module.replace('.', '/')}.py").is_file()
        case ["make", target, *_]:
            return f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
        case ["bouncer", "bench", name, *_]:
            return name in bench.list_commands(Context(bench))
        case _:
            return False


def test_a_goal_that_is_missed_is_called_so() -> None:
    figures = [
        {"figure": "held", "hits": 3, "of": 40, "low": 2.6, "high": 19.9, "at_most": 5},
        {"figure": "tricks that merge", "hits": 0, "of": 237, "at_most": 0},
        {"figure": "pass", "halves": [[9, 10], [7, 10]], "at_least": 80},
        {"figure": "slowest", "value": 1200, "unit": "ms", "at_most": 1000},
        {"figure": "the most", "value": 1195, "unit": "/s", "at_least": 1000},
        {"figure": "share", "value": 4.5, "unit": "%", "at_least": 4.5},
        {"figure": "size", "value": 710, "unit": "MB"},
    ]
    assert [misses_goal(each) for each in figures] == [True, False, True, True, False, False, False]
    measured = {"date": "2026-11-26", "command": "make hostile", "figures": figures}
    assert render_table(measured).splitlines() == [
        "| 2026-11-26, `make hostile` | goal | measured |",
        "|---|---|---|",
        "| held | ≤5% | **missed:** 3/40, 7.5% (2.6–19.9) |",
        "| tricks that merge | none | 0/237, 0% |",
        "| pass | ≥80% | **missed:** 9/10; 7/10 |",
        "| slowest | ≤1,000 ms | **missed:** 1,200 ms |",
        "| the most | ≥1,000/s | 1,195/s |",
        "| share | ≥4.5% | 4.5% |",
        "| size |  | 710 MB |",
    ]
