"""BENCHMARKS.md has the results that are kept, and each has a command that is there."""

import re
from datetime import date

import pytest

from bot.commands.bench import bench
from lab.benchmark_tables import PAGE, RESULTS, ROOT, missed, page, result, table

NAMES = sorted(path.stem for path in RESULTS.glob("*.json"))


def test_the_page_has_each_result_once_and_as_it_is_kept() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text, "run: make docs"
    assert sorted(re.findall(r"<!-- (\w+) -->", text)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_result_says_when_where_and_how_it_was_measured(name: str) -> None:
    measured = result(name)
    assert date(2026, 11, 1) < date.fromisoformat(measured["date"])
    assert measured["machine"] and measured["figures"]
    assert measured["commit"] is None or re.fullmatch(r"[0-9a-f]{8}", measured["commit"])
    assert exists(measured["command"]), measured["command"]


def exists(command: str) -> bool:
    match command.split():
        case ["python", "-m", module, *_]:
            path = f"{module.replace('.', '/')}.py"
            return any((ROOT / place).is_file() for place in (path, path.removeprefix("lab/")))
        case ["make", target, *_]:
            return f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
        case ["bouncer", "bench", name, *_]:
            return name in bench.list_commands(None)
        case _:
            return False


def test_a_goal_that_is_missed_is_called_so() -> None:
    figures = [
        {"figure": "held", "hits": 3, "of": 40, "low": 2.6, "high": 19.9, "at_most": 5},
        {"figure": "tricks that merge", "hits": 0, "of": 237, "at_most": 0},
        {"figure": "pass", "halves": [[9, 10], [7, 10]], "at_least": 80},
        {"figure": "slowest", "value": 1200, "unit": "ms", "at_most": 1000},
        {"figure": "the most", "value": 1195, "unit": "a second", "at_least": 1000},
        {"figure": "size", "value": 710, "unit": "MB"},
    ]
    assert [missed(each) for each in figures] == [True, False, True, True, False, False]
    measured = {"date": "2026-11-26", "command": "make hostile", "figures": figures}
    assert table(measured).splitlines() == [
        "| 2026-11-26, `make hostile` | goal | measured |",
        "|---|---|---|",
        "| held | ≤ 5% | **missed:** 3 of 40, 7.5% (2.6 to 19.9) |",
        "| tricks that merge | none | 0 of 237, 0% |",
        "| pass | ≥ 80% | **missed:** 9 of 10; 7 of 10 |",
        "| slowest | ≤ 1,000 ms | **missed:** 1,200 ms |",
        "| the most | ≥ 1,000 a second | 1,195 a second |",
        "| size |  | 710 MB |",
    ]
