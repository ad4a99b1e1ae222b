"""BENCHMARKS.md has the results that are kept, how large Bouncer may be, and how much it carries."""

import re
import tomllib
from datetime import date

import pytest
from click import Context

from lab import ceilings
from lab.benchmark_tables import PAGE, RESULTS, ROOT, misses_goal, read_result, render_page, render_table
from lab.benchmarks.capacity import ONE_MACHINE, Activity, Cost, Measured, Prices, main, plan, table
from lab.commands.bench import bench
from tests.support.cases import cases

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


ONE = Measured(issue=Cost(1, 1e6, 0), pull=Cost(9, 0, 30.4e6), deliveries=10)


@pytest.mark.parametrize(
    ("activity", "expected"),
    [
        (Activity(0, 0, 0, 0, 1), (0.0, 0.0, 1, 0.0, 0.0, 0.0)),
        (Activity(3600, 0, 0, 0, 1), (0.0, 3600 / 730, 1, 1.0, 0.0, 3.6)),
        (Activity(0, 360, 0, 1, 1), (0.0, 360 / 730, 1, 1.0, 60.0, 2.52)),
        (Activity(0, 0, 730 * 3600, 0, 25), (25.0, 0.0, 3, 0.0, 0.0, 0.0)),
    ],
)
def test_a_plan_multiplies(activity: Activity, expected: tuple[float, ...]) -> None:
    got = plan(1, activity, ONE)
    assert (got.deliveries_a_second, got.judgements_an_hour, got.web_processes) == pytest.approx(expected[:3])
    assert (got.core_hours, got.verification_minutes, got.gigabytes) == pytest.approx(expected[3:])
    assert got.worker_cores == pytest.approx(got.core_hours / 730 * activity.peak)


PLANS = [plan(2, Activity(3600, 0, 0, 0, 1), ONE)]


def test_where_one_machine_is_too_small_the_times_are_those_of_postgresql() -> None:
    dearer = Measured(issue=Cost(2, 0, 0), pull=Cost(0, 0, 0), deliveries=10)
    small, large = (
        plan(count, Activity(3600, 0, 0, 0, 1), ONE, dearer) for count in ((ONE_MACHINE - 1) * 730, ONE_MACHINE * 730)
    )
    assert (small.database, small.worker_cores, small.cores) == ("SQLite", ONE_MACHINE - 1, ONE_MACHINE)
    assert (large.database, large.worker_cores, large.cores) == ("PostgreSQL", 2 * ONE_MACHINE, 2 * ONE_MACHINE + 1)


@cases
def test_money_is_told_where_all_its_prices_are_known(prices: Prices, told: list[str]) -> None:
    head, bar, row = (line.strip("|").split("|") for line in table(PLANS, prices, 3600).splitlines())
    assert [cell.strip() for cell in row[9:]] == told
    assert len(head) == len(bar) == len(row)


@pytest.mark.parametrize(
    ("option", "wrong"), [("issues", "-1"), ("verification", "nan"), ("peak", "0.5"), ("peak", "inf")]
)
def test_a_number_that_means_nothing_is_refused(
    option: str, wrong: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["capacity", "plan", f"--{option}={wrong}"])
    with pytest.raises(SystemExit):
        main()
    assert f"{wrong}: give a number of" in capsys.readouterr().err


def test_every_figure_has_a_ceiling_and_every_ceiling_a_figure() -> None:
    assert set(tomllib.loads(ceilings.CEILINGS.read_text())["most"]) == set(ceilings.FIGURES)


@pytest.mark.parametrize(("most", "named"), [(9, ["lines"]), (10, []), (11, [])])
def test_only_what_is_above_its_ceiling_is_named(most: int, named: list[str]) -> None:
    assert ceilings.above({"lines": most}, {"lines": 10}) == named


def test_a_passed_ceiling_fails_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ceilings, "FIGURES", {"words of the README": lambda: 10_000})
    with pytest.raises(SystemExit) as ended:
        ceilings.main()
    said = capsys.readouterr()
    assert ended.value.code == 1 and "10,000 of" in said.out and "too many" in said.out and "less" in said.err
