"""The capacity plan: what is measured of one, times how many there are."""

import pytest

from lab.benchmarks.capacity import ONE_MACHINE, Activity, Cost, Measured, Prices, main, plan, table
from tests.support.cases import cases

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
