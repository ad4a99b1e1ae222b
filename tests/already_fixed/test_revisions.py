"""As of when an old revision's packages are."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.already_fixed.revisions import moments
from tests.already_fixed.house import repository
from tests.support.cases import cases

MADE = datetime(2024, 5, 1, 12, tzinfo=UTC)  # as `tests.support.clones` dates every commit


@cases
def test_an_old_commit_gets_packages_of_its_month(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: int, days: int, expected: tuple[str, ...]
) -> None:
    there, shas = repository(tmp_path / "r", "a = 1\n")
    monkeypatch.setattr(sys, "version_info", type("Version", (), {"minor": python}))
    assert moments(there.directory, shas[0], MADE + timedelta(days=days)) == expected


def test_a_commit_that_cannot_be_read_gets_those_of_today(tmp_path: Path) -> None:
    there, _ = repository(tmp_path / "r", "a = 1\n")
    assert moments(there.directory, "0" * 40, MADE) == ("",)
