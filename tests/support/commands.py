"""What commands are run with, so that they ask no model and leave nothing behind."""

from pathlib import Path

import pytest


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_JUDGE", "offline")


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BOUNCER_CACHE_DIR", str(tmp_path / "cache"))
