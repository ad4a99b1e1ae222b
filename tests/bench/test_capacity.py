"""The capacity plan: what is measured of one, times how many there are."""

import pytest

from benchmarks.capacity import Activity, Cost, Measured, plan, table

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


def test_money_is_told_only_with_both_prices() -> None:
    plans = [plan(1, Activity(3600, 0, 0, 0, 1), ONE)]
    assert "cost" not in table(plans, 1.0, None)
    assert table(plans, 2.0, 10.0).splitlines()[-1].endswith("| 38.00 |")
