"""In CI a test that is skipped proves nothing, so it fails there, whatever skipped it: except for those
about SQLite, and those that say `@pytest.mark.may_skip("why")`."""

import os
from collections.abc import Generator
from typing import Any

import pytest

from tests.support.databases import skipped_on_purpose


def _fail_if_skipped(report: Any) -> None:
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"In CI nothing may be skipped. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    if not skipped_on_purpose(item) and item.get_closest_marker("may_skip") is None:
        _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    report = yield
    _fail_if_skipped(report)
    return report
