"""A plugin of pytest for `lab/benchmarks/mutants.py`: which test runs which line of `bot/`, and how long each takes.

It writes to the folder that `COVERED_INTO` names, one data file of coverage.py and one of times for each process.
"""

import json
import os
from pathlib import Path

import coverage
import pytest

_INTO = Path(os.environ["COVERED_INTO"])
_NAME = str(os.getpid())
_COVERAGE = coverage.Coverage(data_file=str(_INTO / f"{_NAME}.coverage"), include=["*/bot/*"], config_file=False)
_SECONDS: dict[str, float] = {}
_FAILED: set[str] = set()

_COVERAGE.start()


def pytest_runtest_logstart(nodeid: str) -> None:
    _COVERAGE.switch_context(nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _SECONDS[report.nodeid] = _SECONDS.get(report.nodeid, 0.0) + report.duration
    if not report.passed:
        _FAILED.add(report.nodeid)


def pytest_sessionfinish() -> None:
    _COVERAGE.stop()
    _COVERAGE.save()
    passed = {test: seconds for test, seconds in _SECONDS.items() if test not in _FAILED}
    (_INTO / f"{_NAME}.json").write_text(json.dumps(passed))
