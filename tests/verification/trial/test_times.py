"""Whose doing it is when time ends."""

import pytest

from bot.verification.patch_evidence import PatchFacts
from bot.verification.testing.witnesses import TIME_OUT
from bot.verification.trial.times import spent_by_base
from bot.verification.values import TestResult, TestRun, TestStatus


def run(tests: int, seconds: float, *, cut: bool = True) -> TestRun:
    """So many tests that take equally long, ended by its time or not."""
    results = tuple(TestResult(f"test_{at}", TestStatus.PASSED, "", seconds / max(tests, 1)) for at in range(tests))
    return TestRun(results, seconds, problem=TIME_OUT if cut else "")


OWN = run(1, 0.1, cut=False)


@pytest.mark.parametrize(
    ("base", "head", "own", "by_base"),
    [
        (run(100, 120), run(90, 110), OWN, True),
        (run(100, 120, cut=False), run(40, 60), OWN, True),
        (run(100, 120), run(1, 110), OWN, False),  # a head that stops at its first test
        (run(100, 120, cut=False), run(1, 60), OWN, False),
        (run(100, 120), run(0, 2), OWN, True),  # it had no time at all
        (run(100, 120), run(90, 110), run(10, 70, cut=False), False),  # its own tests took the time
        (run(100, 120, cut=False), run(100, 130), OWN, False),
    ],
)
def test_time_is_spent_by_the_base_where_its_head_keeps_up(
    base: TestRun, head: TestRun, own: TestRun, by_base: bool
) -> None:
    assert spent_by_base(PatchFacts(base, head, own)) is by_base
